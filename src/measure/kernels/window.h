/*
 * Two chases at once, with a given number of independent instructions (fillers) between a load of
 * one chase and the next load of the other. While the processor's window holds both a waiting load
 * and the load after the fillers, the two loads wait at the same time.
 */
#pragma once

#include "measure/kernels/kernel.h"

enum window_filler { WINDOW_NOP, WINDOW_ADD, WINDOW_LOAD, WINDOW_FILLERS };
enum { WINDOW_FILLERS_MOST = 1024 };

struct window {
    void *position[2];  /* of each chase: where the next run goes on */
    uint64_t fillers;   /* between two loads, at most WINDOW_FILLERS_MOST */
    const void *loaded; /* the word that the fillers of WINDOW_LOAD load, which stays in the
                           cache */
};

/* A repeat is one load of each chase, with the fillers after each. State: struct window. NULL
 * where this architecture has no loop in assembly: a compiled loop would have other instructions
 * in between. */
extern kernel_function *const window_kernels[WINDOW_FILLERS];
/* The loop's own instructions between the first load and the second, in addition to the fillers. */
extern const unsigned window_between;
