/*
 * Only x86-64 has string instructions that every processor of it knows. See kernels/copy.h.
 */
#ifndef FATHOM_KERNELS_COPY_LOOPS_H
#define FATHOM_KERNELS_COPY_LOOPS_H

#include <stdint.h>

#define COPY_HAS_STRINGS 0

#endif
