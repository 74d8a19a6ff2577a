/* Reading the counter as fast as possible, for AArch64, in assembly. */
#pragma once

#include <stdint.h>

/* Reads the counter until a reading is at least `over` ticks after the one before it, or is less
 * than that one, and returns that reading; *last is then the one before it, and *left does not
 * count it. If none of *left readings (at least one) is such, *left is then 0 and *last the last
 * reading. */
static inline uint64_t loops_gap(uint64_t *last, uint64_t over, uint64_t *left)
{
    uint64_t now, gap;
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     "isb\n\t"
                     "mrs %2, cntvct_el0\n\t"
                     "sub %3, %2, %0\n\t"
                     "cmp %3, %4\n\t"
                     "b.hs 2f\n\t"
                     "mov %0, %2\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b\n"
                     "2:"
                     : "+r"(*last), "+r"(*left), "=&r"(now), "=&r"(gap)
                     : "r"(over)
                     : "cc", "memory");
    return now;
}
