/* Store-to-load forwarding in assembly: a step is one store and one load. */
#pragma once

#include "repeat.h"
#include "steps.loops.h"

#include <stdint.h>

#define FORWARD_STEPS 64

#define FORWARD_LOOP(name, step)                                                                   \
    static inline uint64_t name(void *to, const void *from, uint64_t value, uint64_t repeats)      \
    {                                                                                              \
        __asm__ volatile(".p2align 6\n"                                                            \
                         "1:\n\t"                                                                  \
                         ".rept 64\n\t" step ".endr\n\t" REPEAT("%[repeats]", "1b")                \
                         : [value] "+r"(value), [repeats] "+r"(repeats)                            \
                         : [to] "r"(to), [from] "r"(from)                                          \
                         : "cc", "memory");                                                        \
        return value;                                                                              \
    }
