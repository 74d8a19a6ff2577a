#include "processes.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES_MAX = 16 };

/* What the processes share. */
struct shared {
    atomic_uint next; /* machine that nobody has begun with */
    alignas(16) unsigned char outcomes[];
};

/* Machines differ much in what they take, so each process comes for the next one when it is done
 * with one. */
void *examine_all(unsigned machines, size_t outcome_bytes,
                  void (*examine)(void *outcome, unsigned machine, const void *what),
                  const void *what)
{
    struct shared *shared = mmap(NULL, sizeof *shared + machines * outcome_bytes,
                                 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return NULL;
    long processes = sysconf(_SC_NPROCESSORS_ONLN);
    processes = processes < 1 ? 1 : processes > PROCESSES_MAX ? PROCESSES_MAX : processes;
    for (long process = 0; process < processes; process++) {
        if (fork() != 0)
            continue;
        for (unsigned i; (i = atomic_fetch_add(&shared->next, 1)) < machines;)
            examine(shared->outcomes + i * outcome_bytes, i, what);
        _exit(0);
    }
    while (wait(NULL) > 0)
        ;
    return shared->outcomes;
}
