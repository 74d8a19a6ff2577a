/*
 * What the files of the parallelism probe share.
 */
#pragma once

#include "measure/probes/chase/chain_ring.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/trial_values.h"
#include "measure/probes/chase/working_sets.h"
#include "stats/curve.h"

struct parallelism_options {
    struct setting chains, level, size, threads, work, prefetch, pages, cpu;
    struct working_set_options sets;
};

enum parallelism_look {
    LOOK_CURVE,   /* time per access by number of chains, in one level */
    LOOK_REST,    /* the same level's other numbers of chains */
    LOOK_THREADS, /* accesses per second by threads, beyond all caches */
    LOOK_WORK,    /* time per access by work after each, beyond all caches */
    LOOK_SIZES,   /* time per access by working set */
};

struct parallelism_stage {
    enum parallelism_look look;
    size_t level;
    bool optional; /* only if there is enough time */
};

/* The results of one level's curve. */
struct parallelism_level {
    const struct chase_level *level;
    int series;               /* -1: not measured yet */
    struct summary sustained; /* one chain's time over the plateau's, by trial; n = 0: unknown */
    struct summary four;      /* the time of four chains over a quarter of one's, by trial */
};

enum { STAGES_MAX = 2 * CHASE_LEVELS_MAX + 2, CURVE_POINTS_MAX = 64 };

struct parallelism_state {
    const struct parallelism_options *asked;
    struct chase_level levels[CHASE_LEVELS_MAX];
    struct parallelism_level curves[CHASE_LEVELS_MAX];
    size_t level_count, far; /* far: index of the level in which threads and work are measured */
    struct parallelism_stage stages[STAGES_MAX];
    size_t stage_count, at;
    bool taken;            /* parallelism_take() was called for this stage */
    const char *left_out;  /* levels skipped for lack of time: "L1, L2"; NULL: none */
    double time_for_all_s; /* a budget that is enough for all of them */
    struct chain_ring ring;
    struct trial_values values;
    unsigned chains[CURVE_POINTS_MAX]; /* numbers of chains of the next curve */
    size_t chain_count;
    bool chains_named;
    int *cpus; /* the measuring CPU first; first threads of cores before other ones */
    size_t threads;
    int all;                    /* series of accesses per second by threads; -1: not measured */
    unsigned chains_per_thread; /* chains per thread of that series */
    int work[3]; /* series by work: one chain, several, several with prefetch; -1: none */
    unsigned work_most, ahead;
    unsigned works[CURVE_POINTS_MAX]; /* amounts of work that --work lists */
    size_t work_count;
    bool iterations;          /* they are of the article's loop, not cycles */
    struct working_sets sets; /* of curves by size; count = 0: not requested */
    struct summary work_knee, prefetch_gain;
    unsigned work_trials; /* number of trials that could have shown the knee */
    double prefetch_at;   /* the amount of work at which prefetch_gain was measured */
};

enum { PARALLELISM_USUAL = 16 }; /* chains by default */

/* What a point measures: plan_point.own. */
struct parallelism_point {
    enum parallelism_mode { MODE_CHAINS, MODE_WORK, MODE_PREFETCH } mode;
    unsigned chains, work;
};

/* --- findings.c --- */

/* Keeps the results of the last stage's trials, before the next stage is planned. */
void parallelism_take(struct probe_task *);
/* Adds the results of all stages as series. */
void parallelism_conclude(struct probe_task *);
/* Names of series: accesses by all threads; time by work. */
extern const char *const parallelism_all_name, *const parallelism_work_names[3];

/* The documented number of first-level misses that a core tracks at once. */
struct miss_buffers {
    unsigned count;
    const char *name;           /* what its maker calls them */
    const char *source;         /* the document that states it */
    const char *vendor, *model; /* patterns of the processor's names */
};
/* NULL for a processor that is not in the table; vendor and model may be NULL. */
const struct miss_buffers *miss_buffers_find(const char *vendor, const char *model);

void parallelism_analyse(struct analysis *);
extern const struct finding_line parallelism_lines[];
extern const struct standard parallelism_experiment[];
