/* One load between two readings of the counter, for AArch64, in assembly. */
#pragma once

#include "steps.loops.h"

#include <stdint.h>

/* DSB waits until the line is out (Arm ARM B2.3, D7.5). */
static inline void loops_flush(const void *at)
{
    __asm__ volatile("dc civac, %0\n\tdsb ish" : : "r"(at) : "memory");
}

/* Returns the ticks from the reading *began to the one after the load. DSB waits for the load, and
 * ISB keeps a reading or a load from beginning before what precedes it. */
#define SINGLE(name, load)                                                                         \
    static inline uint64_t name(const void *at, uint64_t *began)                                   \
    {                                                                                              \
        uint64_t ended, first;                                                                     \
        __asm__ volatile(SINGLE_STEPS(load)                                                        \
                         : [ended] "=&r"(ended), [first] "=&r"(first)                              \
                         : [at] "r"(at)                                                            \
                         : "memory");                                                              \
        *began = first;                                                                            \
        return ended - first;                                                                      \
    }
SINGLE(loops_single, SINGLE_LOAD)
SINGLE(loops_no_load, "")
#undef SINGLE
