/* One load between two readings of the counter, for x86-64, in assembly. */
#pragma once

#include "steps.loops.h"

#include <stdint.h>

/* MFENCE waits until the line is out (Intel SDM vol. 2A, CLFLUSH). */
static inline void loops_flush(const void *at)
{
    __asm__ volatile("clflush (%0)\n\tmfence" : : "r"(at) : "memory");
}

/* Returns the ticks from the reading *began to the one after the load. LFENCE waits for all that
 * comes before it, and nothing that comes after it begins earlier (Intel SDM vol. 2A), so between
 * both readings there is this load alone. */
#define SINGLE(name, load)                                                                         \
    static inline uint64_t name(const void *at, uint64_t *began)                                   \
    {                                                                                              \
        uint64_t ended, first;                                                                     \
        __asm__ volatile(SINGLE_STEPS(load)                                                        \
                         : "=&a"(ended), [first] "=&r"(first)                                      \
                         : [at] "r"(at)                                                            \
                         : "rdx", "cc", "memory");                                                 \
        *began = first;                                                                            \
        return ended - first;                                                                      \
    }
SINGLE(loops_single, SINGLE_LOAD)
SINGLE(loops_no_load, "")
#undef SINGLE
