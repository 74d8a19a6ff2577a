/*
 * Traffic for AArch64, in assembly. See x86_64/inject_loops.h.
 */
#ifndef FATHOM_MEASURE_KERNELS_AARCH64_INJECT_LOOPS_H
#define FATHOM_MEASURE_KERNELS_AARCH64_INJECT_LOOPS_H

#include <stdint.h>

#define INJECT_FORWARD                                                                             \
    "add %[position], %[position], %[step]\n\t"                                                    \
    "and %[at], %[mask], %[position]\n\t"
#define INJECT_ANYWHERE                                                                            \
    "mul %[position], %[position], %[factor]\n\t"                                                  \
    "add %[position], %[position], %[increment]\n\t"                                               \
    "and %[at], %[mask], %[position], lsr #24\n\t"

#define INJECT_READ "ldr %[at], [%[memory], %[at]]\n\t"
#define INJECT_MODIFY                                                                              \
    "ldr %[left], [%[memory], %[at]]\n\t"                                                          \
    "add %[left], %[left], #1\n\t"                                                                 \
    "str %[left], [%[memory], %[at]]\n\t"
#define INJECT_LINE(address, access)                                                               \
    address access "mov %[left], %[delay]\n"                                                       \
                   "2:\n\t"                                                                        \
                   "subs %[left], %[left], #1\n\t"                                                 \
                   "b.ne 2b\n\t"

#define INJECT_LOOP(name, address, first, second, third)                                           \
    static inline uint64_t name(unsigned char *memory, uint64_t mask, uint64_t step,               \
                                uint64_t position, uint64_t delay, uint64_t turns)                 \
    {                                                                                              \
        const uint64_t factor = 6364136223846793005, increment = 1442695040888963407;              \
        uint64_t at, left;                                                                         \
        __asm__ volatile(                                                                          \
            ".p2align 6\n"                                                                         \
            "1:\n\t" INJECT_LINE(address, first) INJECT_LINE(address, second)                      \
                INJECT_LINE(address, third) "subs %[turns], %[turns], #1\n\t"                      \
                                            "b.ne 1b"                                              \
            : [position] "+r"(position), [turns] "+r"(turns), [at] "=&r"(at), [left] "=&r"(left)   \
            : [memory] "r"(memory), [mask] "r"(mask), [step] "r"(step), [delay] "r"(delay),        \
              [factor] "r"(factor), [increment] "r"(increment)                                     \
            : "cc", "memory");                                                                     \
        return position;                                                                           \
    }

#endif
