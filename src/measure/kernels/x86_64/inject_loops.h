/*
 * Traffic for x86-64, in assembly. A turn of the loop is three lines, each with its pause.
 */
#ifndef FATHOM_MEASURE_KERNELS_X86_64_INJECT_LOOPS_H
#define FATHOM_MEASURE_KERNELS_X86_64_INJECT_LOOPS_H

#include <stdint.h>

/* Computes the next line in %[at]. Forward: prefetchers can predict it. Anywhere: Knuth's MMIX
 * generator, of which the bits from 24 on are used, because those below repeat too soon. */
#define INJECT_FORWARD                                                                             \
    "add %[step], %[position]\n\t"                                                                 \
    "mov %[position], %[at]\n\t"
#define INJECT_ANYWHERE                                                                            \
    "imul %[factor], %[position]\n\t"                                                              \
    "add %[increment], %[position]\n\t"                                                            \
    "mov %[position], %[at]\n\t"                                                                   \
    "shr $24, %[at]\n\t"

#define INJECT_READ   "mov (%[memory],%[at]), %[at]\n\t"
#define INJECT_MODIFY "incq (%[memory],%[at])\n\t"
#define INJECT_LINE(address, access)                                                               \
    address "and %[mask], %[at]\n\t" access "mov %[delay], %[left]\n"                              \
            "2:\n\t"                                                                               \
            "dec %[left]\n\t"                                                                      \
            "jnz 2b\n\t"

#define INJECT_LOOP(name, address, first, second, third)                                           \
    static inline uint64_t name(unsigned char *memory, uint64_t mask, uint64_t step,               \
                                uint64_t position, uint64_t delay, uint64_t turns)                 \
    {                                                                                              \
        const uint64_t factor = 6364136223846793005, increment = 1442695040888963407;              \
        uint64_t at, left;                                                                         \
        __asm__ volatile(                                                                          \
            ".p2align 6\n"                                                                         \
            "1:\n\t" INJECT_LINE(address, first) INJECT_LINE(address, second)                      \
                INJECT_LINE(address, third) "dec %[turns]\n\t"                                     \
                                            "jnz 1b"                                               \
            : [position] "+r"(position), [turns] "+r"(turns), [at] "=&r"(at), [left] "=&r"(left)   \
            : [memory] "r"(memory), [mask] "r"(mask), [step] "r"(step), [delay] "r"(delay),        \
              [factor] "r"(factor), [increment] "r"(increment)                                     \
            : "cc", "memory");                                                                     \
        return position;                                                                           \
    }

#endif
