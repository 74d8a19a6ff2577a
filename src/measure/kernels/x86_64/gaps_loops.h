/* Reading the counter as fast as possible, for x86-64, in assembly. */
#pragma once

#include "steps.loops.h"

#include <stdint.h>

/* Reads the counter until a reading is at least `over` ticks after the one before it, or is less
 * than that one, and returns that reading; *last is then the one before it, and *left does not
 * count it. If none of *left readings (at least one) is such, *left is then 0 and *last the last
 * reading. */
static inline uint64_t loops_gap(uint64_t *last, uint64_t over, uint64_t *left)
{
    uint64_t now;
    __asm__ volatile(GAP_LOOP
                     : [last] "+r"(*last), [left] "+r"(*left), "=&a"(now)
                     : [over] "r"(over)
                     : "rdx", "cc", "memory");
    return now;
}
