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
#ifndef FATHOM_MEASURE_ENGINE_TIMING_MODEL_H
#define FATHOM_MEASURE_ENGINE_TIMING_MODEL_H

#include "measure/engine/plan.h"

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
};

#endif
