/*
 * How many first-level caches a multiprocessor has: a part of `sharing`, for sharing.c.
 */
#ifndef FATHOM_MEASURE_PROBES_GPU_FIRST_LEVELS_H
#define FATHOM_MEASURE_PROBES_GPU_FIRST_LEVELS_H

#include "measure/probes/gpu/gpu.h"

/* Its series in the plan; -1: the device can't. */
struct first_levels {
    int alone, beside;
};

/* Adds them, or says in the result why not. */
int first_levels_plan(struct gpu_task *, struct first_levels *, struct error *);
/* Adds "gpu0.L1.count", where the points show it. */
int first_levels_conclude(struct gpu_task *, const struct first_levels *, struct error *);
/* From the series of a document: whether there are any. */
bool first_levels_recall(struct gpu_task *, struct first_levels *);

#endif
