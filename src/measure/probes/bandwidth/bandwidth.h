/*
 * What the parts of the bandwidth probe share: what was asked for, and what is measured at each
 * point of a plan. Their functions are steps of the pool (base/pool.h), but for prepare's.
 */
#ifndef FATHOM_MEASURE_PROBES_BANDWIDTH_BANDWIDTH_H
#define FATHOM_MEASURE_PROBES_BANDWIDTH_BANDWIDTH_H

#include "measure/kernels/stream.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/kit/build.h"

struct bandwidth_options {
    struct setting kernel, mix, width, threads, size, from, to, per_octave, sizes, access, stride,
        pages, stream;
};

enum bandwidth_shape {
    BANDWIDTH_BY_SIZE,    /* one CPU, x is the working set */
    BANDWIDTH_BY_THREADS, /* one level, x is the number of CPUs */
    BANDWIDTH_BY_NODE,    /* all CPUs of a node, memory on another */
    BANDWIDTH_STREAM,     /* STREAM's own, x is the number of CPUs */
    BANDWIDTH_PER_CPU,    /* derived: BY_THREADS over x */
};

/* Reads and writes as the memory sees them. */
struct bandwidth_mix {
    const char *name; /* as it was asked for: "4:1", "2:1nt" */
    unsigned reads, writes;
    unsigned loads; /* of the reads: the rest are reads of stores that fetch their line first */
    bool past_caches;
};

/* What each series of the plan is. */
struct bandwidth_curve {
    enum bandwidth_shape shape;
    enum stream_op op;
    const char *level; /* "L1", ..., "DRAM"; "set": the one asked for; NULL: has none */
    const struct bandwidth_mix *mix; /* NULL: the kernel `op` alone */
};

struct bandwidth_state {
    const struct bandwidth_options *asked;
    const struct stream_kernel *kernels[STREAM_OPS]; /* those that are measured; NULL: not */
    struct bandwidth_mix *mixes;
    size_t mix_count;                              /* 0: --mix was not given */
    const struct stream_kernel *mixed[STREAM_OPS]; /* the loops that mixes are made of */
    struct stream_access access;
    const char *access_text; /* "sequential", "strided:4K" */
    int *cpus; /* the order in which they join in: the fastest kind first, then cores before their
                  second threads */
    size_t cpu_count;
    uint64_t size;  /* --size; 0: none */
    uint64_t moved; /* bytes that settle every cache */
    struct working_sets sets;
    struct bandwidth_curve *curves;
    size_t curve_count;
    bool brief; /* one probe of many: no more than a first screen wants */
    bool looks; /* for a whole run: what a quick one measures comes first, and the rest leaves it
                   out */
    bool quick; /* for a quick run of many probes: only what a check of the path to DRAM needs */
    enum { SIZES_STAGE, THREADS_STAGE, NODES_STAGE } stage; /* the next one */
    unsigned node;                                          /* index of the next memory node */
    size_t measured; /* curves that were not made of others, once those were added; 0: not yet */
    struct arena_part *parts; /* a seat's place in the arena, of the plan that is carried out */
};

/* Names of series. */
#define BANDWIDTH_BY_THREADS_NAME "bandwidth by threads"
#define BANDWIDTH_STREAM_NAME     "stream"
#define BANDWIDTH_PER_CPU_NAME    "bandwidth per CPU"

/* --- options.c: what the options ask for --- */

extern const struct option_spec bandwidth_options[];
/* Reads the options into the state. */
void bandwidth_choose(struct probe_task *);

/* --- points.c: how large the sets are, and which CPUs measure what --- */

/* Arrays of the kernel. */
unsigned bandwidth_arrays(const struct stream_kernel *);
/* The smallest set that every kernel measured can go through. */
uint64_t bandwidth_least_set(const struct bandwidth_state *);
/* How many CPUs join in at each point by threads, ascending: 1 to 8, then half as many more each
 * time, and all; only 1 and all where it is brief. */
size_t bandwidth_counts(const struct probe_task *, size_t **counts);
/* Bytes of arena for each byte of a set that the first CPUs share, each point with parts of its
 * own. */
double bandwidth_parts_share(const size_t *counts, size_t n);

/* Adds a series, which is described by the curve, and returns its index. */
unsigned bandwidth_add_series(struct probe_task *, struct bandwidth_curve);
/* The plans of the stages: each fills task->plan, whose series stay, with its points. Some may have
 * nothing to measure. */
void bandwidth_plan_sizes(struct probe_task *, bool first);
void bandwidth_plan_threads(struct probe_task *);
void bandwidth_plan_nodes(struct probe_task *);
void bandwidth_plan_stream(struct probe_task *);
void bandwidth_plan_mixes(struct probe_task *);
void bandwidth_plan_quick(struct probe_task *);

void bandwidth_prepare(struct trial *);

/* --- findings.c: what the series say --- */

/* Adds the series that are derived. */
void bandwidth_conclude(struct probe_task *, const struct stage_outcome *);
void bandwidth_analyse(struct analysis *);

#endif
