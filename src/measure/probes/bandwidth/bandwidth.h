/*
 * What the files of the bandwidth probe share: the options, and what each point of a plan measures.
 * All functions but bandwidth_prepare() are steps of the pool (base/pool.h).
 */
#pragma once

#include "measure/kernels/stream.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/kit/build.h"

struct bandwidth_options {
    struct setting kernel, mix, width, threads, size, access, stride, pages, stream;
    struct working_set_options sets;
};

enum bandwidth_shape {
    BANDWIDTH_BY_SIZE,    /* one CPU, x is the working set */
    BANDWIDTH_BY_THREADS, /* one level, x is the number of CPUs */
    BANDWIDTH_BY_NODE,    /* all CPUs of a node, memory on another */
    BANDWIDTH_STREAM,     /* as STREAM measures, x is the number of CPUs */
    BANDWIDTH_PER_CPU,    /* derived: BY_THREADS over x */
};

/* A mix of reads and writes, counted as they reach the memory. */
struct bandwidth_mix {
    const char *name; /* as given in --mix: "4:1", "2:1nt" */
    unsigned reads, writes;
    unsigned loads; /* reads that are loads; the others are lines that stores fetch first */
    bool past_caches;
};

/* What one series of the plan measures. */
struct bandwidth_curve {
    enum bandwidth_shape shape;
    enum stream_op op;
    const char *level; /* "L1", ..., "DRAM"; "set": the size that --size gave; NULL: no level */
    const struct bandwidth_mix *mix; /* NULL: the kernel `op` alone */
};

struct bandwidth_state {
    const struct bandwidth_options *asked;
    const struct stream_kernel *kernels[STREAM_OPS]; /* NULL: this kernel is not measured */
    struct bandwidth_mix *mixes;
    size_t mix_count;                              /* 0: --mix was not given */
    const struct stream_kernel *mixed[STREAM_OPS]; /* the loops that mixes are made of */
    struct stream_access access;
    const char *access_text; /* "sequential", "strided:4K" */
    int *cpus; /* in the order of joining: the fastest kind first, then first threads of cores */
    size_t cpu_count;
    uint64_t size;  /* --size; 0: none */
    uint64_t moved; /* bytes that a thread must go through to settle every cache */
    struct working_sets sets;
    struct bandwidth_curve *curves;
    size_t curve_count, looked; /* the first ones are what was looked at */
    bool brief;                 /* one probe of many: only what the first screen shows */
    bool looks; /* for a whole run: DRAM's rates on the first screen come first, and only once */
    bool quick; /* for a quick run of many probes: only one CPU's and all CPUs' reads of DRAM */
    enum { SIZES_STAGE, THREADS_STAGE, NODES_STAGE } stage; /* the next one */
    unsigned node;                                          /* index of the next memory node */
    size_t measured;          /* curves without the derived ones; 0: none was derived yet */
    struct arena_part *parts; /* each seat's part of the arena in the current plan */
};

/* Names of series. */
#define BANDWIDTH_BY_THREADS_NAME "bandwidth by threads"
#define BANDWIDTH_STREAM_NAME     "stream"
#define BANDWIDTH_PER_CPU_NAME    "bandwidth per CPU"

/* --- points.c: how large the sets are, and which CPUs measure what --- */

/* How many arrays the kernel uses. */
unsigned bandwidth_arrays(const struct stream_kernel *);
/* The smallest working set in bytes that every measured kernel can use. */
uint64_t bandwidth_least_set(const struct bandwidth_state *);
/* The numbers of CPUs of points by threads, ascending: 1 to 8, then half as many more each time,
 * and all; only 1 and all in a brief run. */
size_t bandwidth_counts(const struct probe_task *, size_t **counts);
/* Bytes of arena needed for each byte of a set that the CPUs share, for all those counts. */
double bandwidth_parts_share(const size_t *counts, size_t n);

/* Adds the curve's series and returns its index. */
unsigned bandwidth_add_series(struct probe_task *, struct bandwidth_curve);
/* The plans of the stages: each replaces the points of task->plan and keeps its series. A plan may
 * have no points. */
void bandwidth_plan_sizes(struct probe_task *, bool first);
void bandwidth_plan_threads(struct probe_task *);
void bandwidth_plan_nodes(struct probe_task *);
/* STREAM's kernels on that many CPUs. */
void bandwidth_plan_stream(struct probe_task *, size_t cpus);
void bandwidth_plan_mixes(struct probe_task *);
void bandwidth_plan_spread(struct probe_task *);

void bandwidth_prepare(struct trial *);

/* --- findings.c: derived series and findings --- */

/* Adds the derived series. */
void bandwidth_conclude(struct probe_task *);
void bandwidth_analyse(struct analysis *);
