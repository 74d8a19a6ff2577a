/*
 * A model of the time that hardware takes. An engine that has one measures on it and not on the
 * machine (executors/model.c): plans, rounds, statistics and analysis are the real ones, and only
 * the kernels' time is the model's. Every point that it gives is flagged `modelled`.
 *
 * One thread, the coordinator's, does everything: prepares, then calls work() for every seat in
 * turn, so neither the CPUs nor the NUMA nodes need exist: trial->arena->node says where the memory
 * would lie. Time is what was modelled (the longest measured seat of each batch, and the bursts of
 * additions): budgets, spans and observations are measured in it and no result depends on the real
 * clock. Nothing in it is recalled.
 */
#ifndef FATHOM_MEASURE_ENGINE_TIMING_MODEL_H
#define FATHOM_MEASURE_ENGINE_TIMING_MODEL_H

#include "measure/engine/plan.h"

struct timing_model {
    void *self;
    /* The trial was prepared and nothing of it runs yet: the model sees the memory as it is now,
     * and settles its caches. May be NULL. */
    void (*prepared)(void *self, const struct trial *);
    /* Does what `run` would do with `state` on that CPU, as far as the model knows that kernel, and
     * returns the picoseconds that the hardware would have taken. In a run of batches of
     * one trial a partner is called once, for the repeats of all of them, and a background
     * worker once, for one repeat; both before the measured ones. A partner's time is not asked
     * for; a background worker is taken to go on at the speed of its one repeat.
     * `state` is worker->state: usually its `room`. */
    uint64_t (*work)(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats);
    /* Picoseconds that a number of dependent additions takes now: the model's clock. */
    uint64_t (*additions)(void *self, int cpu, uint64_t additions);
    /* Told before each prepared(): the engine's time, which pauses and other trials moved on. May
     * be NULL. */
    void (*now)(void *self, uint64_t now_ps);
};

#endif
