/* The steps of the timed loops for AArch64. See measure/kernels/assembled/loops.h. */
#ifndef FATHOM_MEASURE_KERNELS_AARCH64_LOOPS_H
#define FATHOM_MEASURE_KERNELS_AARCH64_LOOPS_H

#define ADDITION_STEP       "add %0, %0, %2\n\t"
#define MULTIPLICATION_STEP "mul %0, %0, %2\n\t"

#include "measure/kernels/assembled/loops.h"

#endif
