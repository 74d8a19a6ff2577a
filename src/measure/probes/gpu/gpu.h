/*
 * What the parts of the `gpu` probe share. The probe (gpu.c) opens a backend and goes through the
 * experiments of its table on each device asked for; an experiment (latency.c, ...) plans
 * points, each a `struct gpu_work`, and says what they came to. Every experiment is a stage, or
 * several, of the probe's plan.
 */
#ifndef FATHOM_MEASURE_PROBES_GPU_GPU_H
#define FATHOM_MEASURE_PROBES_GPU_GPU_H

#include "conclude/levels/level.h"
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
    void *state;         /* the experiment's own from stage to stage, in the pool */
    uint64_t free_bytes; /* free memory when the experiment began; 0 unknown */
};

struct gpu_experiment {
    const char *name;    /* of --what */
    const char *summary; /* a clause for --help */
    double weight;       /* seconds on a device */
    bool cuda_alone;     /* no other backend can do any of it, so it takes no share of the time */
    bool by_default;     /* part of a whole run (`fathom run`), as opposed to `fathom gpu` without
                            --what, which does all that the device can */
    unsigned stages;     /* that plan() is asked for at most; 0: one */
    /* Leaves with ERROR_USAGE where options contradict each other or the device's facts, before
     * anything is started: `gpu` is NULL. May be NULL. */
    void (*check)(const struct gpu_task *);
    /* NULL, or why this device can't: a clause. May be NULL itself: every device can. */
    const char *(*refuses)(const struct gpu_task *);
    /* Adds series and points of stage 0, 1, ...; task->plan comes with what all GPU plans have in
     * common, and its `share` is of this experiment's own time. The series of earlier stages are
     * there as measured. A stage without points is passed over. */
    void (*plan)(struct gpu_task *, unsigned stage);
    /* Adds findings, "gpu0.L2.latency" and the like, from the series of its device, which it finds
     * by their names: as soon as its last stage was measured, so that later experiments find them
     * in task->result, and from the series of a document, of which `task` has no more than pool,
     * result and plan.series. Adds nothing where the device was not so measured. */
    void (*conclude)(struct gpu_task *);
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
/* All there are, in the order in which they are measured; ends with NULL. */
extern const struct gpu_experiment *const gpu_experiments[];

/* --- series and points --- */

extern const struct axis gpu_by_size; /* "working set" in B */
extern const struct axis gpu_in_ns;   /* "latency" in ns */
extern const struct axis gpu_rate;    /* "bandwidth" in B/s */

/* Adds a series named "gpu0 <what>", with the factors `what` and `gpu`, a curve to begin with. The
 * address holds until the next one is added. */
struct series *gpu_add_series(struct gpu_task *, const char *what, struct axis x, struct axis y);
/* The device's series of that name, and where `factor` is not NULL with that factor: its text or,
 * where `text` is NULL, its number. NULL: there is none. */
struct series *gpu_find_series(const struct gpu_task *, const char *what, const char *factor,
                               const char *text, double number);
/* Adds a factor: a text or, where that is NULL, a number. */
void gpu_add_factor(struct gpu_task *, struct series *, const char *name, const char *text,
                    double number);
/* Adds a point to a series of the plan: at x, or from and to where the series is a matrix. The work
 * is copied. */
void gpu_add_point(struct gpu_task *, const struct series *, double x, const struct gpu_work *);
void gpu_add_pair(struct gpu_task *, const struct series *, int from, int to,
                  const struct gpu_work *);
/* What the next stage yields are B/s, by the device's clock alone. */
void gpu_plan_rates(struct gpu_task *);
/* Whether the device can do that work; otherwise the result's parameter `not_measured` says why not
 * ("gpu0 texture: needs ..."). */
bool gpu_can(struct gpu_task *, const char *what, const struct gpu_work *);
/* Says in the result that this device did not do that, and why. */
void gpu_not_measured(struct gpu_task *, const char *what, const char *why);
/* Whether that device is a CPU that OpenCL offers. */
bool gpu_is_cpu(const struct gpu_facts *);
/* Memory that an experiment may use: the free memory, or all of it where the free part is unknown.
 */
uint64_t gpu_memory(const struct gpu_task *);

/* --- findings --- */

/* "gpu0.L1.latency" from "L1.latency". */
const char *gpu_name(const struct gpu_task *, const char *finding);
/* Adds "gpu0.<finding>". */
struct finding *gpu_add_finding(struct gpu_task *, const char *finding, const char *unit,
                                struct level_estimate, unsigned flags, const char *text);

/* Points of one or of several series, in the pool. */
struct gpu_points {
    const struct point **list;
    size_t count;
};

/* Adds a point, unless it has no value. */
void gpu_points_add(struct gpu_points *, struct gpu_task *, const struct point *);
/* Those points of a curve whose x lies in [from, to]; none where there is no curve (NULL). */
struct gpu_points gpu_points_between(struct gpu_task *, const struct series *, double from,
                                     double to);

/* One latency from all of them: their median and an interval no narrower than their own; in cycles
 * where all have them. NAN without points. `flags` are those that a quarter of them bear. */
struct gpu_latency_read {
    struct level_estimate ns, cycles;
    unsigned flags;
};
struct gpu_latency_read gpu_points_read(struct gpu_task *, const struct gpu_points *);
/* The same of the points between. */
struct gpu_latency_read gpu_read_between(struct gpu_task *, const struct series *, double from,
                                         double to);

/* Adds "gpu0.<finding>" in cycles, where all points have them, and "gpu0.<finding>_ns"; nothing
 * where there is no point. `text` may be NULL. */
void gpu_add_latency(struct gpu_task *, const char *finding, struct gpu_points, const char *text);
/* Adds "gpu0.<finding>" in B/s from one point; nothing where that has no value. */
void gpu_add_rate(struct gpu_task *, const char *finding, const struct point *, const char *text);

/* The latency of a point: in cycles, which the clock does not move, where it has them. */
double gpu_latency_of(const struct point *);
/* The point of a curve at the largest x that has a value; NULL: none has. */
const struct point *gpu_last_point(const struct series *);
/* What the first level or the second (1, 2) holds: as `latency` found it on this device, else
 * `declared`. */
double gpu_capacity(const struct gpu_task *, unsigned level, double declared);

/* The probe's plan() with these backends, as gpu_backends: for tests. */
void gpu_plan_with(struct probe_task *, const struct gpu_backend *const *backends);

#endif
