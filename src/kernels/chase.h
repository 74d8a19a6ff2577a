/* The pointer chase: each load gives the address of the next. */
#ifndef FATHOM_KERNELS_CHASE_H
#define FATHOM_KERNELS_CHASE_H

#include "kernels/kernel.h"

struct chase {
    void *position; /* where the last run stopped, and the next one goes on */
};

extern const unsigned chase_steps; /* loads a repeat */
kernel_function chase_run;         /* state: struct chase */

#endif
