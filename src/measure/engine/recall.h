/* The signal that calls a worker back out of its timed loop. A signal's handler belongs to the
 * whole process, which may be another program that measures through the library. So the handler is
 * installed only while there is a team, and every signal that is not for a worker is passed on to
 * the previous handler. */
#ifndef FATHOM_MEASURE_ENGINE_RECALL_H
#define FATHOM_MEASURE_ENGINE_RECALL_H

#include <signal.h>

/* A signal that few handle and that does no harm when it arrives too late. It can't be SIGUSR2: the
 * compilers in OpenCL drivers (LLVM) handle that, and after a SIGINT restore its default action,
 * which ends the process. */
enum { RECALL_SIGNAL = SIGURG };

/* Has `handle` called on every recall; it returns whether the thread was a worker of ours. May be
 * called for several teams, which share the handler. */
void recall_begin(int (*handle)(void));
/* After as many ends as beginnings the signal is handled as before. A team that has lost a worker
 * does not end: the recall that would stop that worker's loop may still be under way. First
 * beginning and last end must not overlap in two threads. */
void recall_end(void);

#endif
