/*
 * The parts of parallelism.c. Not for use outside of it.
 */
#ifndef FATHOM_MEASURE_PROBES_PARALLELISM_PARALLELISM_H
#define FATHOM_MEASURE_PROBES_PARALLELISM_PARALLELISM_H

#include "measure/probes/chase/chain_ring.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/trial_values.h"
#include "measure/probes/chase/working_sets.h"
#include "stats/saturation.h"

enum parallelism_look {
    LOOK_CURVE,   /* time per access by chains, in one level */
    LOOK_REST,    /* the same level's other numbers of chains */
    LOOK_THREADS, /* accesses per second by threads, beyond all caches */
    LOOK_WORK,    /* time per access by work after each, beyond all caches */
    LOOK_SIZES,   /* time per access by working set */
};

struct parallelism_stage {
    enum parallelism_look look;
    size_t level;
    bool optional; /* only where there is time enough */
};

/* What the curve of one level came to. */
struct parallelism_level {
    const struct chase_level *level;
    int series;               /* -1: not measured yet */
    struct summary sustained; /* latency over plateau, by trial; n = 0: unknown */
    struct summary four;      /* the time of four chains over a quarter of one's, by trial */
};

enum { STAGES_MAX = 2 * CHASE_LEVELS_MAX + 2, CURVE_POINTS_MAX = 64 };

struct parallelism_state {
    struct chase_level levels[CHASE_LEVELS_MAX];
    struct parallelism_level curves[CHASE_LEVELS_MAX];
    size_t level_count, far; /* far: the level that threads and work are looked at in */
    struct parallelism_stage stages[STAGES_MAX];
    size_t stage_count, at;
    bool taken;            /* what the stage's trials answered is kept */
    const char *left_out;  /* levels that there was no time for, "L1, L2"; NULL: none */
    double time_for_all_s; /* a budget in which there would have been */
    struct chain_ring ring;
    struct trial_values values;
    unsigned chains[CURVE_POINTS_MAX]; /* of the next curve */
    size_t chain_count;
    bool chains_named;
    int *cpus; /* the one that measures first, cores before their other threads */
    size_t threads;
    int all;                    /* series of accesses per second; -1: not measured */
    unsigned chains_per_thread; /* of it, and of work */
    int work[3];                /* series: one chain, several, several with prefetch; -1: none */
    unsigned work_most, ahead;
    unsigned works[CURVE_POINTS_MAX]; /* amounts of work that were named one by one */
    size_t work_count;
    struct working_sets sets; /* of curves by size; none where these were not asked for */
    struct summary work_knee, prefetch_gain;
    unsigned work_trials; /* that could have shown the knee */
    double prefetch_at;   /* the work that the gain is of */
};

/* What a point does: plan_point.own. */
struct parallelism_point {
    enum parallelism_mode { MODE_CHAINS, MODE_WORK, MODE_PREFETCH } mode;
    unsigned chains, work;
};

/* --- options.c --- */

/* In which level, and with how many chains, where nothing else is said. */
extern const char *const parallelism_level_names[];
enum { PARALLELISM_USUAL = 16 };

/* Reads the options into the state, whose CPUs and ring are known. ERROR_USAGE for those that
 * contradict the machine or each other. */
void parallelism_choose(struct probe_task *);
/* The most chains in `bytes`: each has two lines of its own, or it would meet the next one at
 * once. */
uint64_t parallelism_room(const struct parallelism_state *, uint64_t bytes);
/* Bytes that all threads together go through. */
uint64_t parallelism_bytes_for_threads(const struct probe_task *, const struct chase_level *);
/* Numbers of chains for what follows the first curve: all of them, or the rest. */
void parallelism_list_chains(struct parallelism_state *, bool rest);
/* Chains at a time where there is work: the one number that was named, or the usual one. */
unsigned parallelism_chains_at_work(const struct parallelism_state *);

/* --- trials.c --- */

/* Values within this share of the best count as equally good. */
extern const double parallelism_tolerance;
/* Where a curve ends to fall, by the indexes of its points. False where it has too few. */
bool parallelism_plateau(const struct series *, struct saturation *);
/* Keeps what the trials of the stage that was measured answered, before the next one is planned. */
void parallelism_take(struct probe_task *);
/* Adds what all stages came to, as series. */
void parallelism_conclude(struct probe_task *, const struct stage_outcome *);
/* Names of series: accesses by all threads, and by work after each; what trials answered together.
 */
extern const char *const parallelism_all_name,
    *const parallelism_work_names[3], *const parallelism_sustained, *const parallelism_four,
                                                                        *const parallelism_knee,
                                                                            *const parallelism_gain;

/* --- findings.c --- */

/* How many misses of its first-level cache a core is documented to track at once. */
struct miss_buffers {
    unsigned count;
    const char *name;   /* what its maker calls them */
    const char *source; /* where that stands */
};
/* NULL for a processor that is not in the table; vendor and model may be NULL. */
const struct miss_buffers *miss_buffers_find(const char *vendor, const char *model);

void parallelism_analyse(struct analysis *);
extern const struct finding_line parallelism_lines[];
extern const struct standard parallelism_experiment[];

#endif
