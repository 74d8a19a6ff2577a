/*
 * Runs real probes on a modelled machine, as the program would: the same options, plan, rounds,
 * statistics and conclusions. Only the machine's facts are made up, and the time is the model's.
 */
#ifndef FATHOM_TESTS_MODEL_MEASURE_H
#define FATHOM_TESTS_MODEL_MEASURE_H

#include "measure/run/run.h"
#include "model.h"

enum { BATCHES_MAX = 128 };

/* A trial that was kept. */
struct kept_trial {
    struct plan_point point;
    uint64_t repeats;
    double at_s;                  /* of the model's time */
    double value_ns;              /* of its undisturbed batches, an operation */
    double shift;                 /* by how much interference may have raised it: a share */
    double batch_ns[BATCHES_MAX]; /* an operation */
    unsigned batches;
};

struct measurement {
    const struct model_machine *machine;
    uint64_t seed;
    struct model *model;
    struct document document; /* the results of all probes so far, in order */

    /* of the last probe */
    const struct probe *probe;
    struct probe watched; /* what is measured in its place */
    const struct probe *watched_alone[2];
    struct run run; /* still planned, for trials beyond it */
    struct settings settings;
    struct timing_model timing;
    struct probe_result result;
    struct kept_trial *trials;
    size_t trial_count;
    size_t arena_bytes; /* of the first round */

    struct machine facts;
    struct cpu_place places[MODEL_CPUS_MAX];
    int cpu_ids[MODEL_CPUS_MAX];
    struct cache_facts caches[MODEL_LEVELS_MAX];
    struct error error;
};

/* `arena_bytes`: the most that any probe will ask for. False, with `error`, without memory. */
bool measurement_begin(struct measurement *, const struct model_machine *, size_t arena_bytes,
                       uint64_t seed);
/* Plans, measures and concludes. `options` are name, value, ..., NULL; may be NULL. 0, or the
 * probe's error; its result is added to the document. */
int measurement_run(struct measurement *, const struct probe *, const char *const *options);
void measurement_end(struct measurement *);

#endif
