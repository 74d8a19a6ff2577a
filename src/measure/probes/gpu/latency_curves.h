/*
 * Which curves of a GPU's latency are asked for, and over which working sets they go: read off the
 * options and what the device says of itself.
 */
#ifndef FATHOM_MEASURE_PROBES_GPU_LATENCY_CURVES_H
#define FATHOM_MEASURE_PROBES_GPU_LATENCY_CURVES_H

#include "measure/probes/chase/working_sets.h"
#include "measure/probes/gpu/gpu.h"
#include "measure/probes/gpu/split.h"

enum {
    GPU_LATENCY_PATHS = 3,
    GPU_LATENCY_ORDERS = 2,
    GPU_LATENCY_CURVES_MOST = GPU_SPLITS_MOST + GPU_LATENCY_PATHS + GPU_LATENCY_ORDERS
};

struct gpu_latency_curve {
    size_t path; /* index of `gpu_latency_paths` */
    enum gpu_order order;
    struct gpu_split split;
    size_t series; /* where it lies in the plan */
};

struct gpu_latency_curves {
    struct gpu_latency_curve list[GPU_LATENCY_CURVES_MOST];
    size_t count, dense; /* the first `dense` are dense and show levels */
    size_t stride;
    bool split, sweep; /* --l1 was given; and it is a sweep */
};

/* In the order of gpu_path_names; and by enum gpu_order. */
extern const enum gpu_path gpu_latency_paths[GPU_LATENCY_PATHS];
extern const char *const gpu_latency_order_names[];

/* What the options ask for; ERROR_USAGE naming the option. */
int gpu_latency_curves_read(const struct gpu_task *, struct gpu_latency_curves *, struct error *);
/* A chase of that curve over so many bytes. */
struct gpu_work gpu_latency_curve_work(const struct gpu_latency_curves *,
                                       const struct gpu_latency_curve *, uint64_t bytes);

/* How far the sets reach and how dense they lie: of the dense curves, and of those beside them. */
struct working_set_limits gpu_latency_limits(const struct gpu_task *,
                                             const struct gpu_latency_curves *);
struct working_set_limits gpu_latency_limits_beside(const struct gpu_task *,
                                                    const struct gpu_latency_curves *);
/* The sets within the limits, as the options want them. ERROR_USAGE, ERROR_SYSTEM. */
int gpu_latency_sets(struct working_sets *, struct probe_task *, const struct gpu_latency_curves *,
                     const struct working_set_limits *, struct error *);
/* Between half of L2 and somewhat more than all of it, where an A100 has a plateau of its own of
 * hardly an octave, the first curve gets eight sizes an octave and not four: those more, at most
 * GPU_LATENCY_OUTER_MOST. Returns how many; 0 where the options name sizes or want few. */
enum { GPU_LATENCY_OUTER_MOST = 6 };
size_t gpu_latency_outer_sets(const struct gpu_task *, const struct gpu_latency_curves *,
                              const struct working_set_limits *, uint64_t *bytes);

#endif
