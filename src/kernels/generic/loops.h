/*
 * The timed loops in C for every other architecture. See x86_64/loops.h for what each one is.
 * KEEP hides a value from the optimizer and costs no instruction.
 */
#ifndef FATHOM_KERNELS_LOOPS_H
#define FATHOM_KERNELS_LOOPS_H

#include <stdint.h>

#define KEEP(value) __asm__ volatile("" : "+r"(value))

#define ADDITION_STEPS 64
static inline uint64_t loops_additions(uint64_t value, uint64_t repeats)
{
    uint64_t one = 1;
    KEEP(one);
#define STEP                                                                                       \
    value += one;                                                                                  \
    KEEP(value);
#define EIGHT_STEPS STEP STEP STEP STEP STEP STEP STEP STEP
    for (; repeats; repeats--) {
        EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS
            EIGHT_STEPS
    }
#undef EIGHT_STEPS
#undef STEP
    return value;
}

#endif
