#include "machine/bell.h"

#include "arch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const bell_names[BELL_KINDS + 1] = {"futex",     "eventfd", "pipe",
                                                "condition", "spin",    NULL};

/* --- futex --- */

static void ring_futex(void *argument)
{
    struct bell *bell = argument;
    __atomic_store_n(&bell->word, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &bell->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void await_futex(void *argument)
{
    struct bell *bell = argument;
    while (__atomic_exchange_n(&bell->word, 0, __ATOMIC_ACQUIRE) == 0)
        syscall(SYS_futex, &bell->word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

/* --- descriptors --- */

static void ring_eventfd(void *argument)
{
    const struct bell *bell = argument;
    const uint64_t one = 1;
    while (write(bell->writes, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

static void await_eventfd(void *argument)
{
    const struct bell *bell = argument;
    uint64_t value;
    while (read(bell->reads, &value, sizeof value) < 0 && errno == EINTR)
        ;
}

static void ring_pipe(void *argument)
{
    const struct bell *bell = argument;
    while (write(bell->writes, "", 1) < 0 && errno == EINTR)
        ;
}

static void await_pipe(void *argument)
{
    const struct bell *bell = argument;
    char byte;
    while (read(bell->reads, &byte, 1) < 0 && errno == EINTR)
        ;
}

/* --- condition variable --- */

static void ring_condition(void *argument)
{
    struct bell *bell = argument;
    pthread_mutex_lock(&bell->mutex);
    bell->word = 1;
    pthread_mutex_unlock(&bell->mutex);
    pthread_cond_signal(&bell->condition);
}

static void await_condition(void *argument)
{
    struct bell *bell = argument;
    pthread_mutex_lock(&bell->mutex);
    while (!bell->word)
        pthread_cond_wait(&bell->condition, &bell->mutex);
    bell->word = 0;
    pthread_mutex_unlock(&bell->mutex);
}

/* --- spinning --- */

static void ring_word(void *argument)
{
    struct bell *bell = argument;
    __atomic_store_n(&bell->word, 1, __ATOMIC_RELEASE);
}

static void await_word(void *argument)
{
    struct bell *bell = argument;
    while (__atomic_load_n(&bell->word, __ATOMIC_ACQUIRE) == 0)
        arch_relax();
    __atomic_store_n(&bell->word, 0, __ATOMIC_RELAXED);
}

const struct bell_way bell_ways[BELL_KINDS] = {
    [BELL_FUTEX] = {ring_futex, await_futex}, [BELL_EVENTFD] = {ring_eventfd, await_eventfd},
    [BELL_PIPE] = {ring_pipe, await_pipe},    [BELL_CONDITION] = {ring_condition, await_condition},
    [BELL_SPIN] = {ring_word, await_word},
};

/* --- all of them --- */

static int refuse(const struct bell *bell, struct error *error)
{
    return error_set(error, ERROR_IMPOSSIBLE, "no %s can be had: %s; %s", bell_names[bell->kind],
                     strerror(errno),
                     errno == EMFILE || errno == ENFILE ? "raise the limit of open files (ulimit "
                                                          "-n), or choose fewer CPUs with --cpus"
                                                        : "choose another way with --way");
}

int bell_open(struct bell *bell, enum bell_kind kind, struct error *error)
{
    int ends[2];
    *bell = (struct bell){.kind = kind, .reads = -1, .writes = -1};
    if (kind == BELL_EVENTFD) {
        bell->reads = bell->writes = eventfd(0, EFD_CLOEXEC);
        if (bell->reads < 0)
            return refuse(bell, error);
    } else if (kind == BELL_PIPE) {
        if (pipe2(ends, O_CLOEXEC) < 0)
            return refuse(bell, error);
        bell->reads = ends[0];
        bell->writes = ends[1];
    }
    bell_silence(bell);
    return 0;
}

/* The mutex and the condition are initialised without being destroyed: a recalled thread may have
 * left the mutex locked or be counted as a waiter, and pthread_cond_destroy() would wait for it. */
void bell_silence(struct bell *bell)
{
    bell->word = 0;
    if (bell->reads >= 0) { /* removes rings of a pipe or an eventfd that no thread has awaited */
        char bytes[64];
        const int flags = fcntl(bell->reads, F_GETFL);
        fcntl(bell->reads, F_SETFL, flags | O_NONBLOCK);
        while (read(bell->reads, bytes, sizeof bytes) > 0)
            ;
        fcntl(bell->reads, F_SETFL, flags & ~O_NONBLOCK);
    }
    if (bell->kind == BELL_CONDITION) {
        pthread_mutex_init(&bell->mutex, NULL);
        pthread_cond_init(&bell->condition, NULL);
    }
}

void bell_close(struct bell *bell)
{
    if (bell->reads >= 0)
        close(bell->reads);
    if (bell->writes >= 0 && bell->writes != bell->reads)
        close(bell->writes);
    bell->reads = bell->writes = -1;
}
