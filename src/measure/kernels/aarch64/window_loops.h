/* What is between two loads on AArch64. See measure/kernels/assembled/window_loops.h. */
#pragma once

#define WINDOW_BETWEEN 1 /* instructions between two loads beside the steps: a jump */

/* The bytes of one filler. */
#define WINDOW_NOP_BYTES  4
#define WINDOW_ADD_BYTES  4
#define WINDOW_LOAD_BYTES 4

#define WINDOW_DECLARE  register const void *loaded __asm__("x7") = window->loaded;
#define WINDOW_LOADED   "r"(loaded)
#define WINDOW_CLOBBERS "x8", "x9", "x10", "x11"

#include "measure/kernels/assembled/window_loops.h"
