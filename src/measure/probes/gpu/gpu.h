/*
 * What the parts of the `gpu` probe share. The probe (gpu.c) opens a backend and runs the
 * experiments of its table on each device asked for. An experiment (latency.c, ...) plans points,
 * each with a `struct gpu_work`, and concludes findings from them. It has one or more stages of the
 * probe's plan.
 */
#pragma once

#include "conclude/levels/level.h"
#include "measure/gpu/gpu.h"
#include "measure/probes/kit/probe.h"

/* One experiment on one device while it is planned, measured and concluded. */
struct gpu_task {
    struct probe_task *task;
    const struct gpu_backend *backend;
    struct gpu *gpu;
    const struct gpu_facts *facts; /* of this device */
    const struct gpu_facts *all;   /* of all devices of the backend */
    size_t all_count;
    unsigned device;     /* its index in `all` */
    size_t first_series; /* index in task->plan.series of this experiment's first series */
    void *state; /* what the experiment keeps from stage to stage, in the pool; NULL at first */
    uint64_t free_bytes; /* free memory when the experiment began; 0 unknown */
    unsigned stage;      /* for plan(): the number of the stage to plan, from 0 */
};

struct gpu_experiment {
    const char *name;    /* of --what */
    const char *summary; /* a clause for --help */
    double weight;       /* seconds on a device */
    bool cuda_alone; /* only CUDA can do it; with another backend it gets no share of the time */
    bool by_default; /* part of a whole run (`fathom run`); `fathom gpu` without --what runs every
                        experiment */
    unsigned stages; /* the most that plan() is called for; 0 means 1 */
    /* Leaves with ERROR_USAGE if options contradict each other or the device's facts. Called before
     * a device is started: `gpu` is NULL. May be NULL. */
    void (*check)(const struct gpu_task *);
    /* Returns NULL, or why this device can't do it, as a clause. May be NULL: every device can. */
    const char *(*refuses)(const struct gpu_task *);
    /* Adds a stage's series and points to task->plan, which has the settings of all GPU
     * plans; its `share` is a share of this experiment's time. The series of earlier stages have
     * their measured values. A stage without points is skipped. */
    void (*plan)(struct gpu_task *);
    /* Adds findings, such as "gpu0.L2.latency", from the device's series, which it finds by name.
     * Called after the last stage, so that later experiments find them in task->result, and for the
     * series of a document; then `task` has only pool, result and plan.series. Adds nothing if the
     * device has no such series. */
    void (*conclude)(struct gpu_task *);
};

extern const struct gpu_experiment gpu_latency, /* by working set: levels */
    gpu_memories,    /* scratchpad, constant memory, textures, widths, atomics */
    gpu_sharing,     /* which paths share a first-level cache, and how many caches there are */
    gpu_banks,       /* bank conflicts of the scratchpad */
    gpu_fetch,       /* line sizes, and what a miss brings */
    gpu_distance,    /* lines of L2, near and far, by multiprocessor */
    gpu_bandwidth,   /* device memory, L2, scratchpad */
    gpu_loaded,      /* latency under traffic */
    gpu_host,        /* copies, zero-copy reads, launches */
    gpu_together,    /* copies of all devices at once */
    gpu_places,      /* the host's nodes, managed memory */
    gpu_translation, /* page strides over gigabytes */
    gpu_cluster,     /* multiprocessor to multiprocessor */
    gpu_peers;       /* device to device */

/* The experiments' findings, for the registry (lines.c). */
extern const struct finding_line gpu_lines[];
extern const struct standard gpu_experiment[];
/* All experiments, in the order in which they are measured; ends with NULL. */
extern const struct gpu_experiment *const gpu_experiments[];

/* --- series and points --- */

extern const struct axis gpu_by_size; /* "working set" in B */
extern const struct axis gpu_in_ns;   /* "latency" in ns */
extern const struct axis gpu_rate;    /* "bandwidth" in B/s */

/* Adds a series named "gpu0 <what>", with the factors `what` and `gpu`; the caller may turn the
 * curve into a matrix. The address is valid until the next series is added. */
struct series *gpu_add_series(struct gpu_task *, const char *what, struct axis x, struct axis y);
/* The device's series of that name; unless `factor` is NULL, with that factor equal to `text` or,
 * if `text` is NULL, to `number`. NULL: there is none. */
struct series *gpu_find_series(const struct gpu_task *, const char *what, const char *factor,
                               const char *text, double number);
/* The same by all these factors (document/document.h, series_find()). */
struct series *gpu_find_series_with(const struct gpu_task *, const char *what,
                                    const struct factor *);
/* Adds a factor with the value `text` or, if that is NULL, `number`. */
void gpu_add_factor(struct gpu_task *, struct series *, const char *name, const char *text,
                    double number);
/* A chase in random order through the device's own memory. */
struct gpu_work gpu_chase(enum gpu_path, size_t bytes, size_t stride);
/* Add a point to a curve of the plan at x, or to a matrix at from and to. The work is copied. */
void gpu_add_point(struct gpu_task *, const struct series *, double x, const struct gpu_work *);
void gpu_add_pair(struct gpu_task *, const struct series *, int from, int to,
                  const struct gpu_work *);
/* The next stage's values are rates in B/s, by the device's clock alone. */
void gpu_plan_rates(struct gpu_task *);
/* Whether the device can do that work; if not, adds the reason to the result's parameter
 * `not_measured` ("gpu0 texture: needs ..."). */
bool gpu_can(struct gpu_task *, const char *what, const struct gpu_work *);
/* Adds to `not_measured` that this device did not measure `what`, and why. */
void gpu_not_measured(struct gpu_task *, const char *what, const char *why);
/* Whether that device is a CPU that OpenCL offers. */
bool gpu_is_cpu(const struct gpu_facts *);
/* Bytes of memory that an experiment may use: the free memory, or all memory if that is unknown. */
uint64_t gpu_memory(const struct gpu_task *);

/* --- findings --- */

/* "gpu0.L1.latency" from "L1.latency". */
const char *gpu_name(const struct gpu_task *, const char *finding);
/* Adds "gpu0.<finding>". */
struct finding *gpu_add_finding(struct gpu_task *, const char *finding, const char *unit,
                                struct interval, unsigned flags, const char *text);

/* Points of one or more series, in the pool. */
struct gpu_points {
    const struct point **list;
    size_t count;
};

/* Adds a point, unless it has no value. */
void gpu_points_add(struct gpu_points *, struct gpu_task *, const struct point *);
/* All points of a curve; none if the curve is NULL. */
struct gpu_points gpu_points_of(struct gpu_task *, const struct series *);
/* Its points with x in [from, to]. */
struct gpu_points gpu_points_between(struct gpu_task *, const struct series *, double from,
                                     double to);

/* One latency from several points: their median, with an interval no narrower than their own;
 * `cycles` only if all points have them. NAN without points. `flags`: those of more than a quarter
 * of the points. */
struct gpu_latency_read {
    struct interval ns, cycles;
    unsigned flags;
};
struct gpu_latency_read gpu_points_read(struct gpu_task *, const struct gpu_points *);
/* The same for the points of gpu_points_between(). */
struct gpu_latency_read gpu_read_between(struct gpu_task *, const struct series *, double from,
                                         double to);

/* Adds "gpu0.<finding>" in cycles, if all points have them, and "gpu0.<finding>_ns"; nothing
 * without points. `text` may be NULL. */
void gpu_add_latency(struct gpu_task *, const char *finding, struct gpu_points, const char *text);
/* Adds "gpu0.<finding>" in B/s from one point; nothing if it has no value. */
void gpu_add_rate(struct gpu_task *, const char *finding, const struct point *, const char *text);

/* The latency of a point: in cycles, which do not depend on the clock rate, if it has them, else in
 * ns. */
double gpu_latency_of(const struct point *);
/* The point with the largest x among the curve's points with a value; NULL: none has one. */
const struct point *gpu_last_point(const struct series *);
/* Capacity in bytes of level 1 or 2, as `latency` found it on this device, else `declared`. */
double gpu_capacity(const struct gpu_task *, unsigned level, double declared);

/* For tests: the probe's plan() with these backends in place of gpu_backends. */
void gpu_plan_with(struct probe_task *, const struct gpu_backend *const *backends);
