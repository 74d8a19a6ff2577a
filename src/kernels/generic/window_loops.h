/* None: between two loads must stand exactly so many instructions, and in C nobody can say so. */
#ifndef FATHOM_KERNELS_WINDOW_LOOPS_H
#define FATHOM_KERNELS_WINDOW_LOOPS_H

#define WINDOW_BETWEEN 0

#endif
