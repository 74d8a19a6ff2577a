/*
 * Hand-offs: two workers pass a turn to and fro through memory. A repeat is one round trip, two
 * hand-offs. Both sides must be asked for the same number of repeats in all.
 */
#ifndef FATHOM_KERNELS_HANDOFF_H
#define FATHOM_KERNELS_HANDOFF_H

#include "kernels/kernel.h"

/* One line and a compare-and-swap. One side swaps 0 to 1, the other 1 to 0; *flag begins as 0. */
struct handoff_cas {
    uint32_t *flag;
    uint32_t expected, desired;
};

/* Two lines, one written by each side, at least 128 bytes apart: adjacent lines travel together
 * on processors that prefetch pairs of lines (Intel's spatial prefetcher; Optimization Reference
 * Manual, "L2 hardware prefetching"). Both words begin as `last`. */
struct handoff_readwrite {
    uint32_t *mine;
    const uint32_t *theirs;
    uint32_t last;
};
enum { HANDOFF_LINE_DISTANCE = 128 };

kernel_function handoff_cas_run;              /* state: struct handoff_cas; either side */
kernel_function handoff_readwrite_first_run;  /* state: struct handoff_readwrite; begins */
kernel_function handoff_readwrite_second_run; /* answers */

extern const char *const handoff_cas_order, *const handoff_readwrite_order; /* memory orders */

#endif
