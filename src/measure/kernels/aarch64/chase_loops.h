/* The steps of the chases for AArch64. See measure/kernels/assembled/chase_loops.h. */
#pragma once

#define CHASE_STEP         "ldr %0, [%0]\n\t"
#define CHASE_SPILLED_STEP "ldr %2, %0\n\tldr %2, [%2]\n\tstr %2, %0\n\t"
#define CHASE_MODIFY_TWO_STEPS                                                                     \
    "ldr %2, [%0]\n\t"                                                                             \
    "str %2, [%0, #8]\n\t"                                                                         \
    "ldr %0, [%2]\n\t"                                                                             \
    "str %0, [%2, #8]\n\t"

#define INDEX_STEP_8 "ldr %[index], [%[base], %[index], lsl #3]\n\t"
#define INDEX_STEP(shift)                                                                          \
    "add %[address], %[base], %[index], lsl #" #shift "\n\tldr %[index], [%[address]]\n\t"
#define INDEX_SCRATCH        uint64_t address;
#define INDEX_SCRATCH_OUTPUT , [address] "=&r"(address)
#define CHECK_STEP           "cmp %[index], %[count]\n\tb.hs 2f\n\t"

#include "measure/kernels/assembled/chase_loops.h"
