/*
 * The record of one point while its trials come in, and how it becomes a point of the document.
 */
#pragma once

#include "measure/engine/placement.h"
#include "measure/engine/plan.h"
#include "measure/engine/visit.h"

struct record {
    /* One element per trial. A trial's value is that of its undisturbed batches
     * (stats/undisturbed.h); `longer` is how much longer its median batch took, and `shift` by how
     * much interference may have raised the value all the same, as shares. Cycles are NAN where
     * they make no sense. A float's 24 bits are finer than any trial. */
    float *values, *cycles, *longer, *shift, *core_mhz;
    float *core_width;      /* of its batches, the median one's (burst.h) */
    float *interval, *turn; /* the trial's visit's */
    double core_alone;      /* the width on the core alone, as the last trial knew it */
    unsigned trials, room;
    bool moved; /* the host moved the CPUs meanwhile, and trials were left out */
    unsigned redone, interrupted, clock_moved, batches; /* batches of all trials */
    unsigned disturbed_trials; /* trials disturbed throughout, by a cause that was seen and never by
                                  their values */
    unsigned stolen_trials, starved_visits;
    unsigned lost_visits; /* consecutive ones */
    unsigned flags;       /* known before the end: the flags of arenas and of the executor */
    uint64_t repeats;
    const char *failed; /* why it has no value; NULL while it may have one */
};

/* The machine's drift since the stage began, as factors (1: none): trials are divided by them. */
struct drift {
    double value, cycles;
};

/* Adds the trials of a finished visit, or one trial of a sweep. ERROR_SYSTEM without memory. */
int record_add(struct record *, const struct visit *, struct drift, double *scratch,
               struct error *);
int record_add_trial(struct record *, const struct visit *, unsigned trial, struct drift,
                     double *scratch, struct error *);
/* Whether so many of the visit's batches were interrupted, or had two bursts that differ, that a
 * record of this visit alone would be flagged. */
bool record_is_spoiled(const struct visit *);
/* The medians of its trials, in the plan's unit and in cycles. */
struct drift record_medians(const struct record *, double *scratch);
/* Half width of the interval over the value, to compare with the plan's precision. `scratch` has
 * room for three doubles per trial. */
double record_width(const struct record *, const struct plan *, double *scratch);
/* The trials throughout which another hardware thread used the core, where too few others are left
 * for an interval; else 0. More trials may come without it, however well these agree. */
unsigned record_lacks_core(const struct record *);
/* Whether the point is precise enough. `scratch` as above. */
bool record_converged(const struct record *, const struct plan *, double *scratch);
/* Fills the point: values, flags, counts. `scratch` as above, with room for at least a trial's
 * batches. */
void record_conclude(const struct record *, const struct plan *, double *scratch, struct point *);
/* The record of the trials in that state of the CPUs in which most were taken, or of all unless
 * `one_alone`. Their states are added to `states`, as bits: 1 << placement_of(). These trials
 * become the first ones of the record, whose buffers both have. */
struct record record_of_states(struct record *, const struct placement *, bool one_alone,
                               unsigned *states);
/* Empties it and keeps its buffers. */
void record_clear(struct record *);
void record_free(struct record *);
