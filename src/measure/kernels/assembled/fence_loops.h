/*
 * The five loops of an operation, in assembly. Lines are chosen by a linear congruential generator
 * (Knuth's of MMIX) and not by a chase, so that the accesses are independent.
 */
#pragma once

#include "repeat.h"
#include "steps.loops.h"

#include <stdint.h>

#define FENCE_STEPS 16

#define FENCE_LOOP(name, steps)                                                                    \
    static inline uint64_t loops_fence_##name(struct fence *fence, uint64_t repeats)               \
    {                                                                                              \
        uint64_t left = 0, value = 0;                                                              \
        unsigned char *at = fence->word;                                                           \
        __asm__ volatile(".p2align 6\n1:\n\t" steps REPEAT("%[n]", "1b")                           \
                         : [n] "+&r"(repeats), [random] "+&r"(fence->random), [left] "+&r"(left),  \
                           [value] FENCE_VALUE(value), [at] "+&r"(at)                              \
                         : [word] "r"(fence->word), [memory] "r"(fence->memory),                   \
                           [lines] "r"(fence->lines), [open] "r"(fence->open),                     \
                           [by] "r"(6364136223846793005u), [more] "r"(1442695040888963407u)        \
                         : "cc", "memory");                                                        \
        return value;                                                                              \
    }
#define FENCE_FIVE(name, operation)                                                                \
    FENCE_LOOP(name##_alone, ".rept 16\n\t" operation("word") ".endr\n\t")                         \
    FENCE_LOOP(name##_after, FENCE_OP_store("word") operation("word") FENCE_LOAD_BEHIND)           \
    FENCE_LOOP(name##_lines, FENCE_PICK operation("at"))                                           \
    FENCE_LOOP(name##_loads, FENCE_OPEN(FENCE_LOAD_FROM("at")) operation("word"))                  \
    FENCE_LOOP(name##_stores, FENCE_OPEN(FENCE_OP_store("at")) operation("word"))
