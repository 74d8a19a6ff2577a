/* The steps of the timed loops for x86-64. See measure/kernels/assembled/loops.h. */
#pragma once

#define ADDITION_STEP       "add %2, %0\n\t"
#define MULTIPLICATION_STEP "imul %2, %0\n\t"

#include "measure/kernels/assembled/loops.h"
