/*
 * What the parts of the `gpu` probe share. The probe (gpu.c) opens a backend and goes through the
 * experiments of its table on each device asked for; an experiment (latency.c, ...) plans
 * points, each a `struct gpu_work`, and says what they came to. Every experiment is a stage, or
 * several, of the probe's plan.
 */
#ifndef FATHOM_MEASURE_PROBES_GPU_GPU_H
#define FATHOM_MEASURE_PROBES_GPU_GPU_H

#include "measure/gpu/gpu.h"
#include "measure/probes/kit/probe.h"

/* One experiment on one device while it is planned, measured and concluded. */
struct gpu_task {
    struct probe_task *task;
    const struct gpu_backend *backend;
    struct gpu *gpu;
    const struct gpu_facts *facts; /* of this device */
    const struct gpu_facts *all;   /* of all devices that the backend has */
    size_t all_count;
    unsigned device;     /* its index in them */
    size_t first_series; /* in task->plan.series: where this experiment's own begin */
    void *state;         /* the experiment's own, in the pool */
    uint64_t free_bytes; /* of its memory, when the experiment began; 0 unknown */
};

struct gpu_experiment {
    const char *name;    /* of --what */
    const char *summary; /* a clause for --help */
    double weight;       /* seconds on a device */
    bool cuda_alone;     /* no other backend can do any of it, so it takes no share of the time */
    bool by_default;     /* part of a whole run (`fathom run`), beside `fathom gpu` without --what,
                            which does all that the device can */
    /* ERROR_USAGE where options contradict each other or the device's facts, before anything is
     * started: `gpu` is NULL. May be NULL. */
    int (*check)(const struct gpu_task *, struct error *);
    /* NULL, or why this device can't: a clause. May be NULL itself: every device can. */
    const char *(*refuses)(const struct gpu_task *);
    /* Adds series and points; task->plan comes with what all GPU plans have in common, and its
     * `share` is of this experiment's own time. Stage 0 begins; it is asked again for stage 1, 2,
     * ... with the series as measured so far. Returns 1 where there is something to measure, 0
     * where it is done, or ERROR_USAGE and the like, which end this experiment and no other. */
    int (*plan)(struct gpu_task *, unsigned stage, struct error *);
    /* Adds findings, "gpu0.L2.latency" and the like, from the series that it added (those of
     * task->plan from first_series on). Called as soon as its last stage was measured, so that
     * later experiments find them in task->result. */
    int (*conclude)(struct gpu_task *, struct error *);
    /* Fills `state` with what conclude() reads, from the series of a document, of which `task` has
     * no more than pool, result and plan.series: 1, or 0 where the device was not so measured. */
    int (*recall)(struct gpu_task *, struct error *);
};

extern const struct gpu_experiment gpu_latency, /* by working set: levels */
    gpu_memories,                               /* scratchpad, constant, texture, widths, atomics */
    gpu_sharing,                                /* which first-level caches are one, how many */
    gpu_banks,                                  /* bank conflicts of the scratchpad */
    gpu_fetch,                                  /* line sizes, and what a miss brings */
    gpu_distance,                               /* lines of L2, near and far, by multiprocessor */
    gpu_bandwidth,                              /* device memory, L2, scratchpad */
    gpu_host,                                   /* copies, zero-copy reads, launches */
    gpu_together,                               /* copies of all devices at once */
    gpu_places,                                 /* the host's nodes, managed memory */
    gpu_translation,                            /* page strides over gigabytes */
    gpu_cluster,                                /* multiprocessor to multiprocessor */
    gpu_peers;                                  /* device to device */

/* What the experiments' findings are, for the registry (lines.c). */
extern const struct finding_line gpu_lines[]; /* the registry's */
extern const struct standard gpu_experiment[];
/* All there are, in the order in which they are measured; ends with NULL (experiments.c). */
extern const struct gpu_experiment *const gpu_experiments[];

/* Adds a series named "gpu0 <what>", with the factors `what` and `gpu`, a curve to begin with; its
 * index is task->plan.series_count - 1. The address holds until the next one is added. NULL: no
 * memory. */
struct series *gpu_add_series(struct gpu_task *, const char *what, struct axis x, struct axis y);
/* The index of the device's series of that name, and where `factor` is not NULL with that factor:
 * its text or, where `text` is NULL, its number. -1: there is none. */
int gpu_find_series(const struct gpu_task *, const char *what, const char *factor, const char *text,
                    double number);
int gpu_add_factor(struct gpu_task *, struct series *, const char *name, const char *text,
                   double number, struct error *);
/* Adds a point to the last series added, or to series `index` of the plan: at x, or from and to
 * where the series is a matrix. The work is copied. */
int gpu_add_point(struct gpu_task *, size_t index, double x, const struct gpu_work *,
                  struct error *);
int gpu_add_pair(struct gpu_task *, size_t index, int from, int to, const struct gpu_work *,
                 struct error *);
/* Whether the device can do that work; otherwise the result's parameter `not_measured` says why not
 * ("gpu0 texture: needs ..."), and nothing is planned. */
bool gpu_can(struct gpu_task *, const char *what, const struct gpu_work *);
/* Whether that device is a CPU that OpenCL offers. */
bool gpu_is_cpu(const struct gpu_facts *);
/* Memory that an experiment may count on: what is free, or where that is unknown all there is. */
uint64_t gpu_memory(const struct gpu_task *);
/* "gpu0.L1.latency" from "L1.latency". NULL: no memory. */
const char *gpu_name(const struct gpu_task *, const char *finding);

/* The probe's plan() with these backends, as gpu_backends: for tests. */
int gpu_plan_with(struct probe_task *, const struct gpu_backend *const *backends, struct error *);

#endif
