/*
 * The timed loops in assembly, so that a compiler's choice of registers and alignment never affects
 * a result: the C around the instruction that each architecture's steps.loops gives.
 */
#pragma once

#include "repeat.h"
#include "steps.loops.h"

#include <stdint.h>

/* `repeats` x 64 steps of `value` with `other`. */
#define VALUE_LOOP(name, step, with)                                                               \
    static inline uint64_t name(uint64_t value, uint64_t repeats)                                  \
    {                                                                                              \
        const uint64_t other = with;                                                               \
        __asm__ volatile(".p2align 6\n"                                                            \
                         "1:\n\t"                                                                  \
                         ".rept 64\n\t" step ".endr\n\t" REPEAT("%[repeats]", "1b")                \
                         : [value] "+r"(value), [repeats] "+r"(repeats)                            \
                         : [other] "r"(other)                                                      \
                         : "cc");                                                                  \
        return value;                                                                              \
    }

/* `repeats` x ADDITION_STEPS dependent additions, one cycle each. Register to register: recent
 * cores execute an addition of a small constant while renaming, at no cost. */
#define ADDITION_STEPS 64
VALUE_LOOP(loops_additions, ADDITION_STEP, 1)

/* `repeats` x MULTIPLICATION_STEPS dependent multiplications. The factor is odd: no bit is lost,
 * so the product never becomes zero, by which a core might multiply faster. */
#define MULTIPLICATION_STEPS 64
VALUE_LOOP(loops_multiplications, MULTIPLICATION_STEP, 0x9e3779b97f4a7c15)
