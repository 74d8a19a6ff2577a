/* Dependent additions: one core cycle each, so that their rate is the core's clock. */
#ifndef FATHOM_MEASURE_KERNELS_ADDITIONS_H
#define FATHOM_MEASURE_KERNELS_ADDITIONS_H

#include "measure/kernels/kernel.h"

extern const unsigned addition_steps; /* additions per repeat */
kernel_function additions_run;        /* state is not used */

#endif
