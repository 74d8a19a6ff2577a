/*
 * A model of the time that hardware takes. An engine that has one measures on it and not on the
 * machine (executors/model.c): plans, rounds, statistics and analysis are the real ones, and only
 * the kernels' time is the model's. Every point that it gives is flagged `modelled`.
 *
 * The coordinator's thread does everything: it prepares, then calls work() for every seat in turn.
 * So neither the CPUs nor the NUMA nodes need exist: trial->arena->node says where the memory would
 * lie. Time is modelled time (of the longest measured seat of each batch, and of the bursts of
 * additions): budgets, spans and observations use it, and no result depends on the real clock.
 * Nothing is recalled.
 */
#pragma once

#include "machine/os.h"
#include "measure/engine/plan.h"

struct stage_outcome;

struct timing_model {
    void *self;
    /* Called when the trial is prepared and no worker has run yet: the model reads the memory and
     * settles its caches. May be NULL. */
    void (*prepared)(void *self, const struct trial *);
    /* Does what `run` would do with `state` on that CPU, if the model knows that kernel, and
     * returns the picoseconds that the hardware would have taken. In a run of batches of one trial
     * a partner is called once, for the repeats of all batches, and a background worker once, for
     * one repeat; both before the measured workers, and their times are not used. In a window each
     * worker is called until its time is a sixteenth of the window, and is assumed to go on at that
     * speed. `state` is worker->state: usually its `room`. */
    uint64_t (*work)(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats);
    /* Picoseconds that a number of dependent additions takes now: the model's clock. */
    uint64_t (*additions)(void *self, int cpu, uint64_t additions);
    /* Called before each prepared() with the engine's time, which pauses and other trials have
     * advanced. May be NULL. */
    void (*now)(void *self, uint64_t now_ps);
    /* Tells what pages and which node the stage's memory was obtained on; NULL: the real memory
     * tells. */
    void (*placed)(void *self, const struct plan *, struct stage_outcome *);
    /* Picoseconds that additions in four chains side by side take now; NULL: nothing ever shares a
     * core. */
    uint64_t (*additions_wide)(void *self, int cpu, uint64_t additions);

    /* A model that knows times and no memory: the members below are then set, no memory is mapped,
     * and no kernel is known by its function. */

    /* In place of the probe's prepare(): sets the workers' states, by which work() knows the trial.
     * `operations` stays 1. */
    void (*prepare)(void *self, struct trial *);
    /* Why it knows no time of that point; NULL: it knows one. */
    const char *(*lacks)(void *self, const struct plan *, const struct plan_point *);
    /* Whether interference disturbed the whole trial of that state, as threads would see it. */
    bool (*disturbed)(void *self, const void *state);
    /* The time of the whole run, which all stages advance; NULL: each stage begins at 0, and the
     * run goes by the real clock. */
    uint64_t *clock_ps;
};

/* The time by which a run counts. The model may be NULL. */
static inline uint64_t timing_now_ns(const struct timing_model *model)
{
    return model && model->clock_ps ? *model->clock_ps / 1000 : os_raw_ns();
}
