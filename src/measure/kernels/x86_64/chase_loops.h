/* What the chases by index declare on x86-64. See measure/kernels/assembled/chase_loops.h. */
#pragma once

#define INDEX_SCRATCH
#define INDEX_SCRATCH_OUTPUT

#include "measure/kernels/assembled/chase_loops.h"
