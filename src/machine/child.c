#include "machine/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child leaves no core file and prints nothing, and nothing that the program has registered for
 * its end runs in it. It writes a byte when the work went well. */
static void try_it(bool (*work)(void *), void *of, int answer)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    signal(SIGABRT, SIG_DFL);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    const bool well = work(of) && write(answer, "", 1) == 1;
    _exit(well ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Whether the child answered before it ended. */
static bool has_answered(int answer)
{
    char byte;
    ssize_t got;
    do
        got = read(answer, &byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 1;
}

/* The answer comes by a pipe, because a program that ignores its children's ends does not learn how
 * they ended. */
bool child_try(bool (*work)(void *), void *of)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return true;
    const pid_t child = fork();
    if (child == 0)
        try_it(work, of, ends[1]);
    close(ends[1]);
    const bool well = child < 0 || has_answered(ends[0]);
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return well;
}
