/*
 * Single loads: the counter is read right before and right after each, so that every load has a
 * time of its own. They go to random lines of a set, after random pauses, so that no rhythm of the
 * loop can be taken for one of the memory.
 */
#pragma once

#include "measure/kernels/gaps.h"

#include <stdbool.h>

enum { SINGLE_BINS = 4096 };

struct single {
    const unsigned char *memory; /* the set: `lines` lines of `line_bytes` */
    uint64_t lines;              /* less than 2^32 */
    size_t line_bytes;
    uint64_t random;     /* any number */
    unsigned pause_bits; /* pauses of less than 2^pause_bits turns of an empty loop; 1 to 31 */
    bool flush;          /* each line is taken out of all caches before its load: only where
                            line_flush_possible() */
    uint64_t over;       /* loads of at least so many ticks are logged, at most SINGLE_BINS */
    uint64_t check;      /* after those of at least so many, the thread's counts are read */
    void (*count)(struct gap_counts *); /* NULL: nothing is counted */
    uint32_t *bins;                     /* [SINGLE_BINS] loads that were not logged, by ticks */
    struct gap *log;                    /* [room] the others: when they began, and their ticks */
    size_t room;
    /* Results of all calls since the caller set these members to 0. */
    size_t used;
    uint64_t missed;     /* loads for which the log had no room */
    uint64_t timed;      /* ticks of all loads */
    double empty;        /* ticks between two readings without a load */
    uint64_t last_ticks; /* in the last call, from its first reading to its last */
};

/* A repeat is one load. State: struct single. */
kernel_function single_run;
