/* The steps of the timed loops for x86-64. See measure/kernels/assembled/loops.h. */
#ifndef FATHOM_MEASURE_KERNELS_X86_64_LOOPS_H
#define FATHOM_MEASURE_KERNELS_X86_64_LOOPS_H

#define ADDITION_STEP       "add %2, %0\n\t"
#define MULTIPLICATION_STEP "imul %2, %0\n\t"

#include "measure/kernels/assembled/loops.h"

#endif
