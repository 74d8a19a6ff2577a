/* The steps of store-to-load forwarding for AArch64. See measure/kernels/assembled/forward_loops.h.
 */
#pragma once

#define FORWARD_SAME_STEP    "str %0, [%2]\n\tldr %0, [%3]\n\t"
#define FORWARD_NAMED_STEP   "str %0, [%2]\n\tldr %0, [%2]\n\t"
#define FORWARD_NARROW_STEP  "str %0, [%2]\n\tldr %w0, [%3]\n\t"
#define FORWARD_WIDE_STEP    "str %w0, [%2]\n\tldr %0, [%3]\n\t"
#define FORWARD_OVERLAP_STEP "str %0, [%2]\n\tldur %0, [%3, #4]\n\t"

#include "measure/kernels/assembled/forward_loops.h"
