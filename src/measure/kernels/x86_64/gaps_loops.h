/* Reading the counter as fast as possible, for x86-64, in assembly. */
#pragma once

#include <stdint.h>

/* Reads the counter until a reading is at least `over` ticks after the one before it, or is less
 * than that one, and returns that reading; *last is then the one before it, and *left does not
 * count it. If none of *left readings (at least one) is such, *left is then 0 and *last the last
 * reading. */
static inline uint64_t loops_gap(uint64_t *last, uint64_t over, uint64_t *left)
{
    uint64_t now;
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     "lfence\n\t"
                     "rdtsc\n\t"
                     "shl $32, %%rdx\n\t"
                     "or %%rdx, %%rax\n\t"
                     "mov %%rax, %%rdx\n\t"
                     "sub %0, %%rdx\n\t"
                     "cmp %3, %%rdx\n\t"
                     "jae 2f\n\t"
                     "mov %%rax, %0\n\t"
                     "dec %1\n\t"
                     "jnz 1b\n"
                     "2:"
                     : "+r"(*last), "+r"(*left), "=&a"(now)
                     : "r"(over)
                     : "rdx", "cc", "memory");
    return now;
}
