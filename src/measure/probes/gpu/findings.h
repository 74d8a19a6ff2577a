/*
 * What experiments on a GPU conclude from several points at once: the latency that they have in
 * common, and the rate of one.
 */
#ifndef FATHOM_MEASURE_PROBES_GPU_FINDINGS_H
#define FATHOM_MEASURE_PROBES_GPU_FINDINGS_H

#include "conclude/levels/curve/levels.h"
#include "measure/probes/gpu/gpu.h"

/* Points of one or of several series, in the pool. */
struct gpu_points {
    const struct point **list;
    size_t count;
};

/* Adds a point, unless it has no value. */
int gpu_points_add(struct gpu_points *, struct gpu_task *, const struct point *, struct error *);
/* Adds those points of a curve whose x lies in [from, to]. */
int gpu_points_between(struct gpu_points *, struct gpu_task *, const struct series *, double from,
                       double to, struct error *);

/* One latency from all of them: their median and an interval no narrower than their own; in cycles
 * where all have them. NAN without points. Leaves their flags (those that a quarter of them bear)
 * in *flags, which may be NULL. ERROR_SYSTEM without memory. */
struct gpu_latency_read {
    struct level_estimate ns, cycles;
    unsigned flags;
};
int gpu_points_read(const struct gpu_points *, struct gpu_task *, struct gpu_latency_read *,
                    struct error *);

/* Adds "gpu0.<finding>" in cycles, where all points have them, and "gpu0.<finding>_ns"; nothing
 * where there is no point. `text` may be NULL. */
int gpu_add_latency(struct gpu_task *, const char *finding, const struct gpu_points *,
                    const char *text, struct error *);
/* Adds "gpu0.<finding>" in B/s from one point; nothing where that has no value. */
int gpu_add_rate(struct gpu_task *, const char *finding, const struct point *, const char *text,
                 struct error *);

/* The point of a curve at the largest x that has a value; NULL: none has. */
const struct point *gpu_last_point(const struct series *);

#endif
