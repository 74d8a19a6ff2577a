/*
 * A flat of a curve that is too short, or too blurred at its end, for a level to be fitted to it:
 * what sizes beyond the end of the level before agree on, and between which two sizes they stop.
 */
#ifndef FATHOM_MEASURE_PROBES_GPU_FLAT_H
#define FATHOM_MEASURE_PROBES_GPU_FLAT_H

#include "document/document.h"

#include <stdbool.h>

struct gpu_flat {
    double from, to; /* the first and the last size on it */
    double off;      /* the first size beyond it whose latency is more; NAN: none */
    double latency;  /* of its points, in cycles where they have them, else in the series' unit */
};

/* The first flat beyond that size: three neighbouring sizes at least, within 2 % of one another.
 * False where there is none. The points stand in ascending order. */
bool gpu_flat_find(const struct series *, double beyond, struct gpu_flat *);

#endif
