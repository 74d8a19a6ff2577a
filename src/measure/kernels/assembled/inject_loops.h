/* Traffic in assembly, whose steps each architecture's steps.loops gives. A turn of the loop is
 * three lines, each with its pause. */
#pragma once

#include "repeat.h"
#include "steps.loops.h"

#include <stdint.h>

enum { INJECT_WRITE_BYTES = 64 };

/* The next line, an access to it, and the pause. */
#define INJECT_LINE(address, access)                                                               \
    address access INJECT_PAUSE "2:\n\t" REPEAT("%[left]", "2b") "\n\t"

#define INJECT_LOOP(name, address, access)                                                         \
    static inline uint64_t name(unsigned char *memory, uint64_t mask, uint64_t step,               \
                                uint64_t position, uint64_t delay, uint64_t turns)                 \
    {                                                                                              \
        const uint64_t factor = 6364136223846793005, increment = 1442695040888963407;              \
        uint64_t at, left;                                                                         \
        __asm__ volatile(                                                                          \
            ".p2align 6\n"                                                                         \
            "1:\n\t" INJECT_LINE(address, access) INJECT_LINE(address, access)                     \
                INJECT_LINE(address, access) REPEAT("%[turns]", "1b")                              \
            : [position] "+r"(position), [turns] "+r"(turns), [at] "=&r"(at), [left] "=&r"(left)   \
            : [memory] "r"(memory), [mask] "r"(mask), [step] "r"(step), [delay] "r"(delay),        \
              [factor] "r"(factor), [increment] "r"(increment)                                     \
            : "cc", "memory");                                                                     \
        return position;                                                                           \
    }
