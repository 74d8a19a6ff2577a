/*
 * What each trial of each point gave, for probes that let the trials of a round vote: the trials of
 * the same number are one round, on the same memory, so a curve through them is one machine's at
 * one time. Summaries of points would mix the rounds.
 */
#ifndef FATHOM_MEASURE_PROBES_CHASE_TRIAL_VALUES_H
#define FATHOM_MEASURE_PROBES_CHASE_TRIAL_VALUES_H

#include "measure/probes/kit/probe.h"

struct trial_values {
    double *list; /* [points][room], in core cycles, or ns where there are none; NAN: missing */
    size_t points;
    unsigned room;
    unsigned trials; /* number of votes: each trial alone, or in a sweep groups of short trials,
                        which take the trials in turn and so are spread over the whole stage */
};

/* Room for all trials of the task's plan, none of them there yet. Of a plan that sweeps, they vote
 * in `groups` groups; 0: each trial votes alone. */
void trial_values_reserve(struct probe_task *, struct trial_values *, unsigned groups);
/* A probe's observe(): keeps a trial in the values that were reserved last, as what its undisturbed
 * batches come to, for one operation. */
void trial_values_observe(void *task, const struct observation *);
/* Trial number `trial` of that point, or what that group of its trials comes to
 * (quiet_of_visits()); NAN where there are none, or too few for a group. */
double trial_value(const struct trial_values *, size_t point, unsigned trial);
/* The number of trials that every point has: a vote that needs whole rounds can use only these. */
unsigned trial_values_rounds(const struct trial_values *);

/* Adds a point to a series with room for it: what trials answered at x. Sorts the answers. */
void trial_series_tell(struct series *, double x, double *answers, size_t n);
/* Adds a series like that one to the result, made of the answers of trials: one point, whose y is
 * the summary of the answers and whose x is the number of trials asked, or what the caller says.
 * Only for conclude(), where the plan's series grew by pool_append(). */
void trial_series_conclude(struct probe_task *, const struct series *like, double x,
                           const struct summary *);

#endif
