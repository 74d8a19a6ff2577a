/* Dependent additions: one core cycle each, so that their rate is the core's clock. Four chains
 * side by side take a third of that or less, and some more while another thread of the core works.
 */
#pragma once

#include "measure/kernels/kernel.h"

extern const unsigned addition_steps; /* additions per repeat */
kernel_function additions_run;        /* state is not used */
kernel_function additions_wide_run;   /* the same number, in four chains */
