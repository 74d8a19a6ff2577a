/* The steps of store-to-load forwarding for x86-64. See measure/kernels/assembled/forward_loops.h.
 */
#pragma once

#define FORWARD_SAME_STEP    "mov %0, (%2)\n\tmov (%3), %0\n\t"
#define FORWARD_NAMED_STEP   "mov %0, (%2)\n\tmov (%2), %0\n\t"
#define FORWARD_NARROW_STEP  "mov %0, (%2)\n\tmov (%3), %k0\n\t"
#define FORWARD_WIDE_STEP    "mov %k0, (%2)\n\tmov (%3), %0\n\t"
#define FORWARD_OVERLAP_STEP "mov %0, (%2)\n\tmov 4(%3), %0\n\t"

#include "measure/kernels/assembled/forward_loops.h"
