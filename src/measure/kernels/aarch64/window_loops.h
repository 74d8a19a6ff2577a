/* The steps between two loads for AArch64. See measure/kernels/assembled/window_loops.h. */
#pragma once

#define WINDOW_BETWEEN 1 /* instructions between two loads beside the steps: a jump */

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

#define WINDOW_ENTER                                                                               \
    "adr %[one], 3f\n\t"                                                                           \
    "adr %[two], 5f\n\t"                                                                           \
    "sub %[one], %[one], %[skip]\n\t"                                                              \
    "sub %[two], %[two], %[skip]\n\t"
#define WINDOW_STEP(at) "ldr %[" at "], [%[" at "]]\n\t"
#define WINDOW_TO(at)   "br %[" at "]\n"
#define WINDOW_DECLARE  register const void *loaded __asm__("x7") = window->loaded;
#define WINDOW_LOADED   "r"(loaded)
#define WINDOW_CLOBBERS "x8", "x9", "x10", "x11"

#include "measure/kernels/assembled/window_loops.h"
