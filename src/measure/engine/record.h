/*
 * The record of one point while its trials come in, and its point of the document once they have.
 */
#ifndef FATHOM_MEASURE_ENGINE_RECORD_H
#define FATHOM_MEASURE_ENGINE_RECORD_H

#include "measure/engine/plan.h"
#include "measure/engine/visit.h"

struct record {
    /* One a trial. A trial's value is the median of its batches, and its quiet value what those
     * come to that no neighbour disturbed (stats/quiet.h), in the same unit; cycles are NAN where
     * they make no sense. Floats: 24 bits are finer than any trial. */
    float *values, *cycles, *quiet, *quiet_cycles, *core_mhz;
    unsigned trials, room;
    unsigned redone, interrupted, clock_moved, batches; /* batches, over all trials */
    unsigned visits, stolen_trials, starved_visits;
    unsigned lost_visits; /* in a row */
    unsigned flags;       /* known before the end: those of the arena */
    uint64_t repeats;
    const char *failed; /* why it has no value; NULL while it may have one */
};

/* How far the machine has drifted since the beginning: trials are divided by it. */
struct drift {
    double value, cycles;
};

/* Adds the trials of a finished visit, all of them or, of a sweep, one alone. ERROR_SYSTEM when
 * there is no memory. */
int record_add(struct record *, const struct visit *, struct drift, double *scratch,
               struct error *);
int record_add_trial(struct record *, const struct visit *, unsigned trial, struct drift,
                     double *scratch, struct error *);
/* Whether so many of its batches were interrupted, or saw two clocks, that a record of it alone
 * would bear the flag. */
bool record_is_spoiled(const struct visit *);
/* The medians of its trials, in both units. */
struct drift record_medians(const struct record *, double *scratch);
/* Half of the interval's width, over the median: what the plan's precision is compared with.
 * `scratch` has room for two doubles a trial. */
double record_width(const struct record *, const struct plan *, double *scratch);
/* Whether the point is precise enough. `scratch` has room for two doubles a trial. */
bool record_converged(const struct record *, const struct plan *, double *scratch);
/* Sums up: the values, the flags, the counts. `scratch` has room for two doubles a trial, and for
 * one a batch of a trial. */
void record_conclude(const struct record *, const struct plan *, double *scratch, struct point *);
/* Empties it and keeps its buffers. */
void record_clear(struct record *);
void record_free(struct record *);

#endif
