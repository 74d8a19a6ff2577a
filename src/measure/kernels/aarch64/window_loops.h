/*
 * Two loads and what is between them, for AArch64, in assembly. See x86_64/window_loops.h.
 */
#ifndef FATHOM_MEASURE_KERNELS_AARCH64_WINDOW_LOOPS_H
#define FATHOM_MEASURE_KERNELS_AARCH64_WINDOW_LOOPS_H

#include <stdint.h>

#define WINDOW_BETWEEN 1 /* the jump */

#define WINDOW_NOP_STEPS                                                                           \
    ".rept 1024\n\t"                                                                               \
    "nop\n\t"                                                                                      \
    ".endr\n"
#define WINDOW_NOP_BYTES 4
#define WINDOW_ADD_STEPS                                                                           \
    ".rept 256\n\t"                                                                                \
    "add x8, x8, x7\n\t"                                                                           \
    "add x9, x9, x7\n\t"                                                                           \
    "add x10, x10, x7\n\t"                                                                         \
    "add x11, x11, x7\n\t"                                                                         \
    ".endr\n"
#define WINDOW_ADD_BYTES 4
#define WINDOW_LOAD_STEPS                                                                          \
    ".rept 1024\n\t"                                                                               \
    "ldr x8, [x7]\n\t"                                                                             \
    ".endr\n"
#define WINDOW_LOAD_BYTES 4

#define WINDOW_LOOP(name, steps, bytes)                                                            \
    static uint64_t name(void *state, uint64_t repeats)                                            \
    {                                                                                              \
        struct window *window = state;                                                             \
        void *first = window->position[0], *second = window->position[1];                          \
        register const void *loaded __asm__("x7") = window->loaded;                                \
        uint64_t enter[2];                                                                         \
        __asm__ volatile("adr %[one], 3f\n\t"                                                      \
                         "adr %[two], 5f\n\t"                                                      \
                         "sub %[one], %[one], %[skip]\n\t"                                         \
                         "sub %[two], %[two], %[skip]\n\t"                                         \
                         ".p2align 6\n"                                                            \
                         "1:\n\t"                                                                  \
                         "ldr %[first], [%[first]]\n\t"                                            \
                         "br %[one]\n"                                                             \
                         "2:\n\t" steps "3:\n\t"                                                   \
                         "ldr %[second], [%[second]]\n\t"                                          \
                         "br %[two]\n"                                                             \
                         "4:\n\t" steps "5:\n\t"                                                   \
                         "subs %[repeats], %[repeats], #1\n\t"                                     \
                         "b.ne 1b"                                                                 \
                         : [first] "+&r"(first), [second] "+&r"(second), [repeats] "+&r"(repeats), \
                           [one] "=&r"(enter[0]), [two] "=&r"(enter[1])                            \
                         : [skip] "r"(bytes * window->fillers), "r"(loaded)                        \
                         : "x8", "x9", "x10", "x11", "cc", "memory");                              \
        window->position[0] = first;                                                               \
        window->position[1] = second;                                                              \
        return (uint64_t)(uintptr_t)first;                                                         \
    }

#endif
