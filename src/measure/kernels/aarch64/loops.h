/*
 * The timed loops for AArch64, in assembly. See x86_64/loops.h for what each one is.
 */
#ifndef FATHOM_MEASURE_KERNELS_AARCH64_LOOPS_H
#define FATHOM_MEASURE_KERNELS_AARCH64_LOOPS_H

#include <stdint.h>

#define ADDITION_STEPS 64
static inline uint64_t loops_additions(uint64_t value, uint64_t repeats)
{
    const uint64_t one = 1;
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 64\n\t"
                     "add %0, %0, %2\n\t"
                     ".endr\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(value), "+r"(repeats)
                     : "r"(one)
                     : "cc");
    return value;
}

#define MULTIPLICATION_STEPS 64
static inline uint64_t loops_multiplications(uint64_t value, uint64_t repeats)
{
    const uint64_t odd = 0x9e3779b97f4a7c15;
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 64\n\t"
                     "mul %0, %0, %2\n\t"
                     ".endr\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(value), "+r"(repeats)
                     : "r"(odd)
                     : "cc");
    return value;
}

#endif
