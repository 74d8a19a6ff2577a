/*
 * One access to each page for AArch64, in assembly. See measure/kernels/pages.h.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#define PAGE_LOOP(name, access)                                                                    \
    static inline void name(unsigned char *at, uint64_t step, uint64_t pages)                      \
    {                                                                                              \
        uint64_t value = 1;                                                                        \
        __asm__ volatile(".p2align 6\n"                                                            \
                         "1:\n\t" access "add %[at], %[at], %[step]\n\t"                           \
                         "subs %[pages], %[pages], #1\n\t"                                         \
                         "b.ne 1b"                                                                 \
                         : [at] "+r"(at), [pages] "+r"(pages), [value] "+r"(value)                 \
                         : [step] "r"(step)                                                        \
                         : "cc", "memory");                                                        \
    }

PAGE_LOOP(loops_touch, "strb %w[value], [%[at]]\n\t")
PAGE_LOOP(loops_look, "ldrb %w[value], [%[at]]\n\t")

static inline void loops_clear(unsigned char *at, uint64_t bytes)
{
    memset(at, 0, bytes);
}
