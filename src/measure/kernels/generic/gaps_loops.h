/* Reading the counter as fast as it can be, in C. */
#ifndef FATHOM_MEASURE_KERNELS_GENERIC_GAPS_LOOPS_H
#define FATHOM_MEASURE_KERNELS_GENERIC_GAPS_LOOPS_H

#include "arch.h"

#include <stdint.h>

/* Reads the counter until a reading is `over` ticks or more from the one before, or is less, and
 * returns that one: *last is then the reading before it and *left has not counted it. Or until it
 * has read `*left` times (at least once), which leaves 0 there and the last reading in *last. */
static inline uint64_t loops_gap(uint64_t *last, uint64_t over, uint64_t *left)
{
    for (;;) {
        const uint64_t now = arch_counter();
        if (now - *last >= over)
            return now;
        *last = now;
        if (--*left == 0)
            return now;
    }
}

#endif
