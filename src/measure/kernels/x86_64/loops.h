/*
 * The timed loops for x86-64, in assembly, so that a compiler's choice of registers and alignment
 * never affects a result.
 */
#ifndef FATHOM_MEASURE_KERNELS_X86_64_LOOPS_H
#define FATHOM_MEASURE_KERNELS_X86_64_LOOPS_H

#include <stdint.h>

/* `repeats` x ADDITION_STEPS dependent additions, one cycle each. Register to register: recent
 * cores execute an addition of a small constant while renaming, at no cost. */
#define ADDITION_STEPS 64
static inline uint64_t loops_additions(uint64_t value, uint64_t repeats)
{
    const uint64_t one = 1;
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 64\n\t"
                     "add %2, %0\n\t"
                     ".endr\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(value), "+r"(repeats)
                     : "r"(one)
                     : "cc");
    return value;
}

/* `repeats` x MULTIPLICATION_STEPS dependent multiplications. By an odd number: no bit is lost, so
 * the product never becomes zero, which a core might multiply faster. */
#define MULTIPLICATION_STEPS 64
static inline uint64_t loops_multiplications(uint64_t value, uint64_t repeats)
{
    const uint64_t odd = 0x9e3779b97f4a7c15;
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 64\n\t"
                     "imul %2, %0\n\t"
                     ".endr\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(value), "+r"(repeats)
                     : "r"(odd)
                     : "cc");
    return value;
}

#endif
