/*
 * Gaps: the counter is read as fast as it can be, and where two readings lie farther apart than
 * they should, something else had the CPU meanwhile.
 */
#ifndef FATHOM_MEASURE_KERNELS_GAPS_H
#define FATHOM_MEASURE_KERNELS_GAPS_H

#include "measure/kernels/kernel.h"

#include <stddef.h>

struct gap {
    uint64_t at, ticks; /* the counter before it, and how long it took */
    /* What the thread's own counts grew by; 0 where nothing is counted. */
    uint32_t switches, faults;
};

/* What the system counts of the calling thread. */
struct gap_counts {
    uint64_t switches, faults;
};

struct gaps {
    uint64_t over; /* ticks from which on the distance of two readings is a gap; 0: the first call
                      chooses, by how long its own readings take */
    uint64_t shortest; /* ticks between two readings that differed, as the call that chose saw them:
                          no less than the step in which the counter moves; 0: it saw none */
    void (*count)(struct gap_counts *); /* NULL: nothing is counted */
    struct gap *log;                    /* [room] */
    size_t room;
    /* What was seen by calls that came to their end, since `used` and the rest were last set to 0:
     * the first `used` gaps of the log, and those that found no room in it. */
    size_t used;
    uint64_t missed, missed_ticks, missed_longest;
    uint64_t readings;
    uint64_t watched;    /* ticks, with the gaps, without what noting them took */
    uint64_t backwards;  /* readings that were less than the one before */
    uint64_t last_ticks; /* in the last call, from its first reading to its last */

    /* The kernel's own: of the call that is at work. */
    struct gap_counts counts;
    size_t used_now;
    uint64_t missed_now, missed_ticks_now, missed_longest_now, backwards_now, noting;
};

/* A repeat is one reading. State: struct gaps. */
kernel_function gaps_run;

#endif
