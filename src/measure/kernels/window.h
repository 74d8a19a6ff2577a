/*
 * Two chases at once, with a given number of independent instructions (fillers) between a load of
 * the one and the next load of the other. As long as the processor's window holds both a waiting
 * load and the next one behind it, the two loads wait at the same time.
 */
#ifndef FATHOM_MEASURE_KERNELS_WINDOW_H
#define FATHOM_MEASURE_KERNELS_WINDOW_H

#include "measure/kernels/kernel.h"

enum window_filler { WINDOW_NOP, WINDOW_ADD, WINDOW_LOAD, WINDOW_FILLERS };
enum { WINDOW_FILLERS_MOST = 1024 };

struct window {
    void *position[2];  /* of each chase: where the last run stopped, and the next one goes on */
    uint64_t fillers;   /* between two loads, at most WINDOW_FILLERS_MOST */
    const void *loaded; /* what the fillers of WINDOW_LOAD load: a word that stays in the cache */
};

/* A repeat is one load of each chase, with the fillers after each. State: struct window. NULL where
 * there is no loop for this architecture: a compiled one would have other instructions in
 * between. */
extern kernel_function *const window_kernels[WINDOW_FILLERS];
/* The loop's own instructions between the first load and the second, beside the fillers. */
extern const unsigned window_between;

#endif
