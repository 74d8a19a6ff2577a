#include "measure/kernels/window.h"

#include "window_loops.h"

#include <stddef.h>

const unsigned window_between = WINDOW_BETWEEN;

#ifdef WINDOW_LOOP
WINDOW_LOOP(window_nop_run, WINDOW_NOP_STEPS, WINDOW_NOP_BYTES)
WINDOW_LOOP(window_add_run, WINDOW_ADD_STEPS, WINDOW_ADD_BYTES)
WINDOW_LOOP(window_load_run, WINDOW_LOAD_STEPS, WINDOW_LOAD_BYTES)

kernel_function *const window_kernels[WINDOW_FILLERS] = {
    [WINDOW_NOP] = window_nop_run, [WINDOW_ADD] = window_add_run, [WINDOW_LOAD] = window_load_run};
#else
kernel_function *const window_kernels[WINDOW_FILLERS] = {NULL, NULL, NULL};
#endif
