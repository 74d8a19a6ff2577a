/*
 * Several chases at once for AArch64, in assembly. See x86_64/chains_loops.h.
 *
 * Twenty-seven registers are free: x0 and x1 hold the address of the chains in memory and the
 * counter, x18 is reserved for the platform, and x29 is the frame pointer.
 */
#pragma once

#include "steps.loops.h"

#include <stdint.h>

#define CHAINS_REGISTERS 27

#define CHAINS_LOOP(n, rounds, positions, repeats)                                                 \
    do {                                                                                           \
        register void **in_memory __asm__("x0") = (positions);                                     \
        register uint64_t left __asm__("x1") = (repeats);                                          \
        __asm__ volatile(                                                                          \
            CHAINS_EACH(#n, "ldr \\r, [x0, at]\n\t") /* all are loaded */                          \
            ".p2align 6\n"                                                                         \
            "1:\n\t"                                                                               \
            ".rept " #rounds "\n\t" CHAINS_EACH(#n, "ldr \\r, [\\r]\n\t")                          \
                CHAINS_OTHERS(#n) ".endr\n\t"                                                      \
                                  "subs x1, x1, #1\n\t"                                            \
                                  "b.ne 1b\n" CHAINS_EACH(#n, "str \\r, [x0, at]\n\t")             \
            : "+r"(left)                                                                           \
            : "r"(in_memory)                                                                       \
            : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",   \
              "x15", "x16", "x17", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27",  \
              "x28", "x30", "cc", "memory");                                                       \
    } while (0)

static inline uint64_t loops_iterations(uint64_t x, uint64_t iterations)
{
    uint64_t y = x, z = x;
    __asm__ volatile(ITERATIONS_LOOP
                     : [x] "+r"(x), [y] "+r"(y), [z] "+r"(z), [left] "+r"(iterations)
                     :
                     : "cc");
    return z;
}

#define CHAINS_WORK_BYTES 4 /* of an addition */

#include "measure/kernels/assembled/chains_loops.h"
