/*
 * Two chases at once, and between a load of the one and the next load of the other so many
 * instructions that have nothing to do with either. As long as the processor's window holds a load
 * that waits and the next one behind it, both wait at the same time.
 */
#ifndef FATHOM_KERNELS_WINDOW_H
#define FATHOM_KERNELS_WINDOW_H

#include "kernels/kernel.h"

enum window_filler { WINDOW_NOP, WINDOW_ADD, WINDOW_LOAD, WINDOW_FILLERS };
enum { WINDOW_FILLERS_MOST = 1024 };

struct window {
    void *position[2];  /* of each chase: where the last run stopped, and the next one goes on */
    uint64_t fillers;   /* between two loads, at most WINDOW_FILLERS_MOST */
    const void *loaded; /* by the fillers of WINDOW_LOAD: a word that stays in the cache */
};

/* A repeat is one load of each chase, with the fillers after each. State: struct window. NULL where
 * there is no loop for this architecture: a compiler's would have other instructions between. */
extern kernel_function *const window_kernels[WINDOW_FILLERS];
/* Instructions of the loop itself between the first load and the second, beside the fillers. */
extern const unsigned window_between;

#endif
