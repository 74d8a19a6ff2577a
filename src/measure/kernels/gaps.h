/*
 * Gaps: the counter is read as fast as possible. Where two readings lie too far apart, something
 * else had the CPU meanwhile.
 */
#pragma once

#include "measure/kernels/kernel.h"

#include <stddef.h>

struct gap {
    uint64_t at, ticks; /* the reading before the gap, and the gap's length */
    /* The thread's context switches and page faults since its last count; 0 where nothing is
     * counted. */
    uint32_t switches, faults;
};

/* The system's counts for the calling thread. */
struct gap_counts {
    uint64_t switches, faults;
};

struct gaps {
    uint64_t over;     /* two readings at least so many ticks apart are a gap; 0: the first call
                          chooses, by the time that its readings take */
    uint64_t shortest; /* fewest ticks between two different readings when `over` was chosen: at
                          least the counter's step; 0: there were none */
    void (*count)(struct gap_counts *); /* NULL: nothing is counted */
    struct gap *log;                    /* [room] */
    size_t room;
    /* Results of all calls that were not recalled, since the caller set these members to 0: `used`
     * gaps in the log, and `missed` gaps for which it had no room. */
    size_t used;
    uint64_t missed, missed_ticks, missed_longest;
    uint64_t readings;
    uint64_t watched;    /* ticks, with the gaps, without the time that recording them took */
    uint64_t backwards;  /* readings that were less than the one before */
    uint64_t last_ticks; /* in the last call, from its first reading to its last */

    /* For the kernel alone: results of the current call. */
    struct gap_counts counts;
    size_t used_now;
    uint64_t missed_now, missed_ticks_now, missed_longest_now, backwards_now, noting;
};

/* A repeat is one reading. State: struct gaps. */
kernel_function gaps_run;
