/* Store-to-load forwarding in assembly: a step is one store and one load. */
#pragma once

#include "repeat.h"

#include <stdint.h>

#define FORWARD_STEPS 64

#define FORWARD_LOOP(name, step)                                                                   \
    static inline uint64_t name(void *to, const void *from, uint64_t value, uint64_t repeats)      \
    {                                                                                              \
        __asm__ volatile(".p2align 6\n"                                                            \
                         "1:\n\t"                                                                  \
                         ".rept 64\n\t" step ".endr\n\t" REPEAT("%1", "1b")                        \
                         : "+r"(value), "+r"(repeats)                                              \
                         : "r"(to), "r"(from)                                                      \
                         : "cc", "memory");                                                        \
        return value;                                                                              \
    }
