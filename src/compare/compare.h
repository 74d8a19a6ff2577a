/*
 * The one comparison: how far one figure lies from another, how sure that is, and what it means.
 * diff, check, baselines and fleets' references ask this and nothing else.
 *
 * The variance of the ratio's logarithm has two parts: that of each value by its own interval, and
 * what lies between runs of one machine. The latter comes from the runs that a side has, shrunk to
 * the prior of the figure's sort, host and disturbance (stats/peers.h, compare/prior.h). Others at
 * work make a figure worse and never better, so they widen the interval to that side alone.
 *
 * Three answers follow from the interval. Same: it lies within the tolerance. Changed: chance does
 * not explain the ratio, after one correction for all figures, and it is beyond the tolerance.
 * Else it can't be told, with the resolution.
 */
#pragma once

#include "compare/figure.h"

enum answer {
    SAME,
    CANT_TELL,
    CHANGED,
    CONDITION, /* a condition of the run; it is not judged */
    ANSWERS
};

/* Which part of the variance decided. */
enum decided {
    BY_PLACEMENT,
    BY_ITSELF,
    BY_PRIOR,
    BY_RUNS,
    BY_INTERVALS,
    BY_NOTHING,
    BY_VOTES,
};

struct comparison {
    enum answer answer;
    enum side side;    /* of a change: SIDE_MORE is worse, SIDE_LESS better */
    double ratio;      /* the second figure over the first */
    double low, high;  /* its interval of 95 %; NAN: votes have none, nor has a value without one */
    double p;          /* probability of so large a ratio by chance; NAN: it can't be tested */
    double resolution; /* the larger half of the interval, relative; NAN as above */
    double tolerance;
    /* For the sentence that says why. */
    enum decided decided;
    enum figure_sort sort;
    double scatter; /* standard deviation of a run's value, relative */
    double freedom; /* its degrees of freedom */
    size_t runs;    /* of both sides */
};

/* Both values are above 0. `tolerance` NAN: that of the sort. The answer is CANT_TELL or SAME until
 * comparison_settle(). */
struct comparison compare(const struct figure *a, const struct figure *b, double tolerance);

/* Which p may still count as a change, so that of the documents of an unchanged machine at most
 * a `share` shows any (false_discovery_limit() of stats/peers.h). Sorts p[n]. */
extern const double comparison_share;
/* Makes the comparison a change where its p is within the limit. */
void comparison_settle(struct comparison *, double limit);

/* Whether the ratio is beyond the tolerance, by chance or not. */
bool comparison_is_beyond(const struct comparison *);

/* Sets an answer that needs no interval: BY_PLACEMENT, hand-offs of two placements can't be told,
 * because the host may have moved the CPUs; BY_ITSELF, a document and itself are the same. */
void comparison_decide(struct comparison *, enum answer, enum decided);
/* The end of the interval on the worse side, as the logarithm of the ratio: above 0 is worse. */
double comparison_worst(const struct comparison *, enum side worse);
