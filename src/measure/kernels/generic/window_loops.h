/* There is no such loop: C can't prescribe the exact number of instructions between two loads. */
#ifndef FATHOM_MEASURE_KERNELS_GENERIC_WINDOW_LOOPS_H
#define FATHOM_MEASURE_KERNELS_GENERIC_WINDOW_LOOPS_H

#define WINDOW_BETWEEN 0

#endif
