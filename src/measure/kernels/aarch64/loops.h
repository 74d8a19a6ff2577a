/* The steps of the timed loops for AArch64. See measure/kernels/assembled/loops.h. */
#pragma once

#define ADDITION_STEP       "add %0, %0, %2\n\t"
#define MULTIPLICATION_STEP "mul %0, %0, %2\n\t"

#include "measure/kernels/assembled/loops.h"
