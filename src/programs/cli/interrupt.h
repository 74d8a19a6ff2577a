/* SIGINT, SIGTERM and SIGHUP ask the run to end soon and to save what it has. */
#ifndef FATHOM_PROGRAMS_CLI_INTERRUPT_H
#define FATHOM_PROGRAMS_CLI_INTERRUPT_H

#include <signal.h>

/* Catches them from now on; a second one ends the process at once. */
void interrupt_catch(void);
/* Zero, or the number of the signal that came. Those who wait are given its address. */
extern volatile sig_atomic_t interrupt_signal;

#endif
