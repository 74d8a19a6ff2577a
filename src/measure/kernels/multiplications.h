/* Dependent multiplications: each takes the same few core cycles, so that their rate shows the
 * core's clock, as with additions. Why there are both: measure/engine/burst.h. */
#pragma once

#include "measure/kernels/kernel.h"

extern const unsigned multiplication_steps; /* multiplications per repeat */
kernel_function multiplications_run;        /* state is not used */
