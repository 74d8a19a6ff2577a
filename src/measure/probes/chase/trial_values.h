/*
 * The value of each trial of each point, for probes that let the rounds vote: trials of the same
 * number belong to one round, on the same memory, so a curve through them shows one state of the
 * machine. Summaries of points would mix the rounds.
 */
#pragma once

#include "measure/probes/kit/probe.h"

struct trial_values {
    double *list; /* [points][room], in core cycles, or in ns if the core's clock is unknown; NAN:
                     missing */
    size_t points;
    unsigned room;
    unsigned trials; /* number of votes: of single trials or, in a sweep, of groups of short trials.
                        Trial i is in group i % trials, so each group covers the whole stage */
};

/* Allocates values for all trials of the task's plan, all NAN. In a sweep the trials vote in
 * `groups` groups; 0: each trial votes alone. */
void trial_values_reserve(struct probe_task *, struct trial_values *, unsigned groups);
/* A probe's observe(): stores a trial in the values that were reserved last: the time of one
 * operation by the trial's undisturbed batches. */
void trial_values_observe(void *task, const struct observation *);
/* The value of trial `trial` of that point, or of that group of its trials
 * (undisturbed_envelope()); NAN if there is none, or too few trials for a group. */
double trial_value(const struct trial_values *, size_t point, unsigned trial);
/* The number of votes that every point has: only these rounds are complete. */
unsigned trial_values_rounds(const struct trial_values *);

/* Adds a point at x to a series with room for it: the summary of the trials' answers. Sorts the
 * answers. */
void trial_series_tell(struct series *, double x, double *answers, size_t n);
/* Adds a series with the names and factors of `like` to the result: one point with this x and the
 * summary of the trials' answers as its y. Only for conclude(), because the plan's series are then
 * an array of pool_append(). */
void trial_series_conclude(struct probe_task *, const struct series *like, double x,
                           const struct summary *);
