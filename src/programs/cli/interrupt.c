#include "programs/cli/interrupt.h"

#include <stddef.h>

/* A signal handler can leave its news nowhere else. */
volatile sig_atomic_t interrupt_signal;

static void note_signal(int number)
{
    interrupt_signal = number;
}

void interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* A lost terminal ends the run too, unless nohup has the signal ignored. */
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}
