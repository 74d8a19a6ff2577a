/*
 * The timed loops in C for every other architecture. See measure/kernels/assembled/loops.h for what
 * each one is. KEEP hides a value from the optimizer and costs no instruction.
 */
#pragma once

#include <stdint.h>

#define KEEP(value) __asm__ volatile("" : "+r"(value))

/* A loop of 64 steps. */
#define LOOP_OF(step)                                                                              \
    for (; repeats; repeats--) {                                                                   \
        EIGHT(step)                                                                                \
        EIGHT(step) EIGHT(step) EIGHT(step) EIGHT(step) EIGHT(step) EIGHT(step) EIGHT(step)        \
    }
#define EIGHT(step) step step step step step step step step

#define ADDITION_STEPS 64
static inline uint64_t loops_additions(uint64_t value, uint64_t repeats)
{
    uint64_t one = 1;
    KEEP(one);
    LOOP_OF(value += one; KEEP(value);)
    return value;
}

#define MULTIPLICATION_STEPS 64
static inline uint64_t loops_multiplications(uint64_t value, uint64_t repeats)
{
    uint64_t odd = 0x9e3779b97f4a7c15;
    KEEP(odd);
    LOOP_OF(value *= odd; KEEP(value);)
    return value;
}

#undef LOOP_OF
#undef EIGHT
