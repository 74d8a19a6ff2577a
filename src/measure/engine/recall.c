#include "measure/engine/recall.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

/* A signal handler can reach only static data, and the process has one handler. */
static struct {
    atomic_int teams;
    int (*handle)(void);
    struct sigaction before;
} recall;

static void handle_signal(int number, siginfo_t *info, void *context)
{
    const int reason = errno;
    if (!recall.handle()) {
        /* The default action of this signal is to ignore it. */
        const struct sigaction *before = &recall.before;
        if (before->sa_flags & SA_SIGINFO)
            before->sa_sigaction(number, info, context);
        else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
            before->sa_handler(number);
    }
    errno = reason;
}

void recall_begin(int (*handle)(void))
{
    if (atomic_fetch_add(&recall.teams, 1) > 0)
        return;
    /* Threads of the program that uses the library may get the signal too: SA_RESTART lets their
     * system calls go on, SA_ONSTACK uses the signal stack that they chose. */
    struct sigaction action = {.sa_sigaction = handle_signal,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    recall.handle = handle;
    sigaction(RECALL_SIGNAL, NULL, &recall.before);
    sigaction(RECALL_SIGNAL, &action, NULL);
}

void recall_end(void)
{
    if (atomic_fetch_sub(&recall.teams, 1) == 1)
        sigaction(RECALL_SIGNAL, &recall.before, NULL);
}
