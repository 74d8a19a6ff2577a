/* The steps of the chases for x86-64. See measure/kernels/assembled/chase_loops.h. */
#pragma once

#define CHASE_STEP         "mov (%0), %0\n\t"
#define CHASE_SPILLED_STEP "mov %0, %2\n\tmov (%2), %2\n\tmov %2, %0\n\t"
#define CHASE_MODIFY_TWO_STEPS                                                                     \
    "mov (%0), %2\n\t"                                                                             \
    "mov %2, 8(%0)\n\t"                                                                            \
    "mov (%2), %0\n\t"                                                                             \
    "mov %0, 8(%2)\n\t"

/* An addressing mode scales the index of 8-byte elements; larger elements need a shift. */
#define INDEX_STEP_8      "mov (%[base],%[index],8), %[index]\n\t"
#define INDEX_STEP(shift) "shl $" #shift ", %[index]\n\tmov (%[base],%[index]), %[index]\n\t"
#define INDEX_SCRATCH
#define INDEX_SCRATCH_OUTPUT
#define CHECK_STEP "cmp %[count], %[index]\n\tjae 2f\n\t"

#include "measure/kernels/assembled/chase_loops.h"
