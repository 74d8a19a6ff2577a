/* What the chases by index declare on AArch64. See measure/kernels/assembled/chase_loops.h. */
#pragma once

#define INDEX_SCRATCH        uint64_t address;
#define INDEX_SCRATCH_OUTPUT , [address] "=&r"(address)

#include "measure/kernels/assembled/chase_loops.h"
