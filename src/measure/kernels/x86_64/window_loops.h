/*
 * Two loads and what is between them, for x86-64, in assembly. The jumps into the fillers decide
 * how many run; they always go to the same place, so they are predicted.
 */
#ifndef FATHOM_MEASURE_KERNELS_X86_64_WINDOW_LOOPS_H
#define FATHOM_MEASURE_KERNELS_X86_64_WINDOW_LOOPS_H

#include <stdint.h>

#define WINDOW_BETWEEN 1 /* the jump */

/* 1024 fillers, and the bytes of one. */
#define WINDOW_NOP_STEPS                                                                           \
    ".rept 1024\n\t"                                                                               \
    "nop\n\t"                                                                                      \
    ".endr\n"
#define WINDOW_NOP_BYTES 1
/* Four sums, so that the additions take no longer than the two loads. */
#define WINDOW_ADD_STEPS                                                                           \
    ".rept 256\n\t"                                                                                \
    "add %%rdi, %%r8\n\t"                                                                          \
    "add %%rdi, %%r9\n\t"                                                                          \
    "add %%rdi, %%r10\n\t"                                                                         \
    "add %%rdi, %%r11\n\t"                                                                         \
    ".endr\n"
#define WINDOW_ADD_BYTES 3
#define WINDOW_LOAD_STEPS                                                                          \
    ".rept 1024\n\t"                                                                               \
    "mov (%%rdi), %%r8\n\t"                                                                        \
    ".endr\n"
#define WINDOW_LOAD_BYTES 3

#define WINDOW_LOOP(name, steps, bytes)                                                            \
    static uint64_t name(void *state, uint64_t repeats)                                            \
    {                                                                                              \
        struct window *window = state;                                                             \
        void *first = window->position[0], *second = window->position[1];                          \
        uint64_t enter[2];                                                                         \
        __asm__ volatile("lea 3f(%%rip), %[one]\n\t"                                               \
                         "lea 5f(%%rip), %[two]\n\t"                                               \
                         "sub %[skip], %[one]\n\t"                                                 \
                         "sub %[skip], %[two]\n\t"                                                 \
                         ".p2align 6\n"                                                            \
                         "1:\n\t"                                                                  \
                         "mov (%[first]), %[first]\n\t"                                            \
                         "jmp *%[one]\n"                                                           \
                         "2:\n\t" steps "3:\n\t"                                                   \
                         "mov (%[second]), %[second]\n\t"                                          \
                         "jmp *%[two]\n"                                                           \
                         "4:\n\t" steps "5:\n\t"                                                   \
                         "dec %[repeats]\n\t"                                                      \
                         "jnz 1b"                                                                  \
                         : [first] "+&r"(first), [second] "+&r"(second), [repeats] "+&r"(repeats), \
                           [one] "=&r"(enter[0]), [two] "=&r"(enter[1])                            \
                         : [skip] "r"(bytes * window->fillers), "D"(window->loaded)                \
                         : "r8", "r9", "r10", "r11", "cc", "memory");                              \
        window->position[0] = first;                                                               \
        window->position[1] = second;                                                              \
        return (uint64_t)(uintptr_t)first;                                                         \
    }

#endif
