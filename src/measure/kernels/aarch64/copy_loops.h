/*
 * Only x86-64 has string instructions that every processor of it knows. See measure/kernels/copy.h.
 */
#ifndef FATHOM_MEASURE_KERNELS_AARCH64_COPY_LOOPS_H
#define FATHOM_MEASURE_KERNELS_AARCH64_COPY_LOOPS_H

#include <stdint.h>

#define COPY_HAS_STRINGS 0

#endif
