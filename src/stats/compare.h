/*
 * Whether two medians differ, judged by the quantiles of each side's trials.
 *
 * The bootstrap of a median (Efron, "Bootstrap methods: another look at the jackknife", Annals of
 * Statistics 7, 1979) redraws n trials and takes their median. The median of n draws from a
 * quantile function Q is distributed as Q(U), where U is the median of n uniform numbers,
 * distributed as Beta((n+1)/2, (n+1)/2). So the draws need only Q and not the trials; Q is
 * interpolated linearly between the document's quantiles.
 */
#ifndef FATHOM_STATS_COMPARE_H
#define FATHOM_STATS_COMPARE_H

#include "stats/summary.h"

#include <stdbool.h>

struct comparison {
    double ratio;     /* median of b over median of a */
    double low, high; /* its 95 % interval; NAN where a side has a single trial or an interval that
                         reaches zero, because the ratio may then be anything */
    double p; /* probability of a ratio this far from 1 if the true one is within the threshold; 1
                 where there is no interval */
};

/* Compares two medians above 0. `threshold` is a relative change: 0.03. With `doubtful`, each
 * median may lie anywhere in the middle four fifths of its trials. */
void compare_medians(const struct summary *a, const struct summary *b, double threshold,
                     bool doubtful, struct comparison *);

/* The same for two values given as {value, low, high}; the ratio's interval is the widest that
 * these allow. */
void compare_intervals(const double a[3], const double b[3], double threshold, struct comparison *);

/* Finds which of p[n] survive Holm's correction for n comparisons at the level alpha (Holm, "A
 * simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6,
 * 1979): returns the largest p that does, -1 where none does. Sorts p. */
double compare_holm(double *p, size_t n, double alpha);

#endif
