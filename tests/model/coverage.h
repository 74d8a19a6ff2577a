/*
 * Do the intervals of the medians hold the truth?
 *
 * What an interval claims to hold is the median of a population: of all trials of that point, each
 * with fresh memory and a fresh ring, at times spread evenly over the stay at that point (from its
 * first trial of the run to its last), with the clock, the neighbour and the memory in whatever
 * mood they happen to be, each mood as often as it comes in the long run. So the truth is the
 * median of many such trials, modelled one by one with the probe's own preparation, none of them
 * redone.
 *
 * The run itself does not draw from that population independently: moods last for some rounds, and
 * a point is left as soon as its interval is narrow enough, so its coverage is not exactly what it
 * says. It has to be near it.
 */
#ifndef FATHOM_TESTS_MODEL_COVERAGE_H
#define FATHOM_TESTS_MODEL_COVERAGE_H

#include "base/random.h"
#include "measure.h"

struct span {
    double low, high;
};

/* The trials of one point, in their order. */
struct point_trials {
    const struct kept_trial *const *trials;
    size_t count;
};

/* An estimator: the interval of the median that it makes of a point's trials. `scratch` has room
 * for all their batches. */
struct span interval_of_trials(const struct point_trials *, double *scratch);
/* Two faulty ones: each rank is one too far in; and batches are taken for trials. */
struct span interval_one_rank_in(const struct point_trials *, double *scratch);
struct span interval_of_batches(const struct point_trials *, double *scratch);

enum estimator { ESTIMATOR_SOUND, ESTIMATOR_ONE_RANK_IN, ESTIMATOR_POOLED, ESTIMATORS };

struct coverage {
    unsigned points, covered[ESTIMATORS];
    /* Of points of few trials: of many, one rank hardly moves the ends. */
    unsigned few, few_covered[ESTIMATORS];
    unsigned disagreements; /* of the sound estimator with the document: none */
};

/* The true median of a point: of `trials` trials with a model of that machine, at times from
 * `from_s` for `lasted_s` seconds. The probe that was measured last is still planned. */
double coverage_truth(struct measurement *, const struct model_machine *, const struct plan_point *,
                      uint64_t repeats, double from_s, double lasted_s, unsigned trials,
                      struct random *);

/* Checks `count` points of the last probe's series, drawn at random from those of at most
 * `bytes_most`, each against `trials` trials of its own. */
void coverage_add(struct coverage *, struct measurement *, unsigned count, unsigned trials,
                  uint64_t bytes_most);

#endif
