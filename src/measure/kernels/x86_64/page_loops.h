/*
 * One access to each page for x86-64, in assembly. See measure/kernels/pages.h.
 */
#pragma once

#include <stdint.h>

#define PAGE_LOOP(name, access)                                                                    \
    static inline void name(unsigned char *at, uint64_t step, uint64_t pages)                      \
    {                                                                                              \
        __asm__ volatile(".p2align 6\n"                                                            \
                         "1:\n\t" access "add %[step], %[at]\n\t"                                  \
                         "dec %[pages]\n\t"                                                        \
                         "jnz 1b"                                                                  \
                         : [at] "+r"(at), [pages] "+r"(pages)                                      \
                         : [step] "r"(step)                                                        \
                         : "cc", "memory", "rax");                                                 \
    }

PAGE_LOOP(loops_touch, "movb $1, (%[at])\n\t")
PAGE_LOOP(loops_look, "movzbl (%[at]), %%eax\n\t")

/* As Linux clears a page on processors with a fast `rep stosb` (arch/x86/lib/clear_page_64.S). */
static inline void loops_clear(unsigned char *at, uint64_t bytes)
{
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(0) : "memory");
}
