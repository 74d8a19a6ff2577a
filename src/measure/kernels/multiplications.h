/* Dependent multiplications: each takes the same few core cycles, so that their rate shows the
 * core's clock, as with additions. Why there are both: measure/engine/burst.h. */
#ifndef FATHOM_MEASURE_KERNELS_MULTIPLICATIONS_H
#define FATHOM_MEASURE_KERNELS_MULTIPLICATIONS_H

#include "measure/kernels/kernel.h"

extern const unsigned multiplication_steps; /* multiplications per repeat */
kernel_function multiplications_run;        /* state is not used */

#endif
