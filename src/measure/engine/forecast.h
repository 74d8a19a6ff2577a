/*
 * How long a stage still takes: at first by its plan alone, then more and more by what its visits
 * took, with everything between them.
 */
#ifndef FATHOM_MEASURE_ENGINE_FORECAST_H
#define FATHOM_MEASURE_ENGINE_FORECAST_H

#include "measure/engine/plan.h"

struct forecast {
    const struct plan *plan;
    double trials_left; /* that are expected: a point that goes on after its fewest trials is
                           expected to need its most */
    double trials_done;
    double trial_s; /* as the plan has it */
    double busy_s;  /* since the beginning, without pauses */
    double budget_s;
};

struct forecast forecast_of(const struct plan *);
/* A point had `before` trials, and has `now`. */
void forecast_add(struct forecast *, unsigned before, unsigned now);
/* A point that has that number of trials is done. */
void forecast_leave(struct forecast *, unsigned trials);
/* Seconds that are left when `elapsed_s` have passed, never more than the budget leaves. */
double forecast_left_s(const struct forecast *, double elapsed_s);
/* Whether the budget leaves too little for all the trials that are expected. */
bool forecast_is_short(const struct forecast *, double elapsed_s);

#endif
