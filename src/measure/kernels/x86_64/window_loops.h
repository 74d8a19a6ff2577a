/* What is between two loads on x86-64. See measure/kernels/assembled/window_loops.h. */
#pragma once

#define WINDOW_BETWEEN 1 /* instructions between two loads beside the steps: a jump */

/* The bytes of one filler. */
#define WINDOW_NOP_BYTES  1
#define WINDOW_ADD_BYTES  3
#define WINDOW_LOAD_BYTES 3

#define WINDOW_DECLARE
#define WINDOW_LOADED   "D"(window->loaded)
#define WINDOW_CLOBBERS "r8", "r9", "r10", "r11"

#include "measure/kernels/assembled/window_loops.h"
