/*
 * Store-to-load forwarding for AArch64, in assembly. See x86_64/forward_loops.h.
 */
#ifndef FATHOM_MEASURE_KERNELS_AARCH64_FORWARD_LOOPS_H
#define FATHOM_MEASURE_KERNELS_AARCH64_FORWARD_LOOPS_H

#include <stdint.h>

#define FORWARD_STEPS 64

#define FORWARD_SAME_STEP    "str %0, [%2]\n\tldr %0, [%3]\n\t"
#define FORWARD_NAMED_STEP   "str %0, [%2]\n\tldr %0, [%2]\n\t"
#define FORWARD_NARROW_STEP  "str %0, [%2]\n\tldr %w0, [%3]\n\t"
#define FORWARD_WIDE_STEP    "str %w0, [%2]\n\tldr %0, [%3]\n\t"
#define FORWARD_OVERLAP_STEP "str %0, [%2]\n\tldur %0, [%3, #4]\n\t"

#define FORWARD_LOOP(name, step)                                                                   \
    static inline uint64_t name(void *to, const void *from, uint64_t value, uint64_t repeats)      \
    {                                                                                              \
        __asm__ volatile(".p2align 6\n"                                                            \
                         "1:\n\t"                                                                  \
                         ".rept 64\n\t" step ".endr\n\t"                                           \
                         "subs %1, %1, #1\n\t"                                                     \
                         "b.ne 1b"                                                                 \
                         : "+r"(value), "+r"(repeats)                                              \
                         : "r"(to), "r"(from)                                                      \
                         : "cc", "memory");                                                        \
        return value;                                                                              \
    }

#endif
