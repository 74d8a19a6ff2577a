/* Dependent additions: one core cycle each, so that their rate is the core's clock. */
#pragma once

#include "measure/kernels/kernel.h"

extern const unsigned addition_steps; /* additions per repeat */
kernel_function additions_run;        /* state is not used */
