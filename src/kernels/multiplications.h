/* Dependent multiplications. Each takes the same few core cycles, so that their rate shows the
 * core's clock as that of additions does; and because the next one may wait a cycle less than that
 * for its turn and still not be late, the other hardware thread of a core slows them less. */
#ifndef FATHOM_KERNELS_MULTIPLICATIONS_H
#define FATHOM_KERNELS_MULTIPLICATIONS_H

#include "kernels/kernel.h"

extern const unsigned multiplication_steps; /* multiplications per repeat */
kernel_function multiplications_run;        /* state is not used */

#endif
