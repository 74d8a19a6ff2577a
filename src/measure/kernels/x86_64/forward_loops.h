/*
 * Store-to-load forwarding for x86-64, in assembly: a step is one store and one load.
 */
#ifndef FATHOM_MEASURE_KERNELS_X86_64_FORWARD_LOOPS_H
#define FATHOM_MEASURE_KERNELS_X86_64_FORWARD_LOOPS_H

#include <stdint.h>

#define FORWARD_STEPS 64

#define FORWARD_SAME_STEP    "mov %0, (%2)\n\tmov (%3), %0\n\t"
#define FORWARD_NAMED_STEP   "mov %0, (%2)\n\tmov (%2), %0\n\t"
#define FORWARD_NARROW_STEP  "mov %0, (%2)\n\tmov (%3), %k0\n\t"
#define FORWARD_WIDE_STEP    "mov %k0, (%2)\n\tmov (%3), %0\n\t"
#define FORWARD_OVERLAP_STEP "mov %0, (%2)\n\tmov 4(%3), %0\n\t"

#define FORWARD_LOOP(name, step)                                                                   \
    static inline uint64_t name(void *to, const void *from, uint64_t value, uint64_t repeats)      \
    {                                                                                              \
        __asm__ volatile(".p2align 6\n"                                                            \
                         "1:\n\t"                                                                  \
                         ".rept 64\n\t" step ".endr\n\t"                                           \
                         "dec %1\n\t"                                                              \
                         "jnz 1b"                                                                  \
                         : "+r"(value), "+r"(repeats)                                              \
                         : "r"(to), "r"(from)                                                      \
                         : "cc", "memory");                                                        \
        return value;                                                                              \
    }

#endif
