/*
 * What every kernel is: a function that repeats its loop `repeats` times (at least once) on a
 * state of its own, and returns a value that keeps the work alive.
 */
#ifndef FATHOM_MEASURE_KERNELS_KERNEL_H
#define FATHOM_MEASURE_KERNELS_KERNEL_H

#include <stdint.h>

typedef uint64_t kernel_function(void *state, uint64_t repeats);

#endif
