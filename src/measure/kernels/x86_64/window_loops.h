/* The steps between two loads for x86-64. See measure/kernels/assembled/window_loops.h. */
#pragma once

#define WINDOW_BETWEEN 1 /* instructions between two loads beside the steps: a jump */

/* 1024 fillers, and the bytes of one filler. */
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

#define WINDOW_ENTER                                                                               \
    "lea 3f(%%rip), %[one]\n\t"                                                                    \
    "lea 5f(%%rip), %[two]\n\t"                                                                    \
    "sub %[skip], %[one]\n\t"                                                                      \
    "sub %[skip], %[two]\n\t"
#define WINDOW_STEP(at) "mov (%[" at "]), %[" at "]\n\t"
#define WINDOW_TO(at)   "jmp *%[" at "]\n"
#define WINDOW_DECLARE
#define WINDOW_LOADED   "D"(window->loaded)
#define WINDOW_CLOBBERS "r8", "r9", "r10", "r11"

#include "measure/kernels/assembled/window_loops.h"
