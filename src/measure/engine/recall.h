/* The signal that calls a worker back out of its timed loop. A signal's handler belongs to the
 * whole process, which may be another program that measures through the library. So the handler is
 * installed only while there is a team, and every signal that is not for a worker is passed on to
 * the previous handler. */
#pragma once

#include <signal.h>

/* A signal that few programs handle; by default it is ignored, so it does no harm when it arrives
 * too late. It can't be SIGUSR2: the compilers in OpenCL drivers (LLVM) handle that, and after a
 * SIGINT restore its default action, which ends the process. */
enum { RECALL_SIGNAL = SIGURG };

/* From now on every recall calls `handle`, which returns whether the thread is a worker of fathom.
 * May be called for several teams, which share the handler. */
void recall_begin(int (*handle)(void));
/* After as many calls as recall_begin() had, the signal is handled as before. A team that has lost
 * a worker never calls it, because a recall of that worker may still be under way. The first begin
 * and the last end must not overlap in two threads. */
void recall_end(void);
