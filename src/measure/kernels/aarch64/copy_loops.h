/*
 * Only on x86-64 does every processor have string instructions. See measure/kernels/copy.h.
 */
#ifndef FATHOM_MEASURE_KERNELS_AARCH64_COPY_LOOPS_H
#define FATHOM_MEASURE_KERNELS_AARCH64_COPY_LOOPS_H

#include <stdint.h>

#define COPY_HAS_STRINGS 0

#endif
