/* Whether two sides differ: medians by their trials, and curves by the places that both have. */
#ifndef FATHOM_STATS_COMPARE_H
#define FATHOM_STATS_COMPARE_H

#include "stats/order.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether two medians differ, judged by the quantiles of each side's trials.
 *
 * The bootstrap of a median (Efron, "Bootstrap methods: another look at the jackknife", Annals of
 * Statistics 7, 1979) redraws n trials and takes their median. The median of n draws from a
 * quantile function Q is distributed as Q(U), where U is the median of n uniform numbers,
 * distributed as Beta((n+1)/2, (n+1)/2). So the draws need only Q and not the trials; Q is
 * interpolated linearly between the document's quantiles.
 */

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

/*
 * How far two curves lie apart, from values that were measured at the same places of both.
 *
 * What makes one place slower than another affects both curves and cancels, and places that only
 * one curve has are left out (Student's test of paired differences, "The probable error of a mean",
 * Biometrika 6, 1908). Where every place has an interval of its own, it is weighted by that
 * (inverse variance, at most the median place's, because few trials may agree by chance); otherwise
 * by its number of trials, so that places with a single trial count too.
 *
 * The interval follows from the scatter among the places. Few places have few degrees of freedom
 * and prove little; so where they scatter no more than their own intervals predict, the two
 * variances are pooled.
 */

struct paired_value {
    double a, b;               /* above 0 */
    double trials_a, trials_b; /* trials of a and of b, 1 or more */
    double deviation;          /* of log(b / a), by these trials; 0: unknown */
};

/* The mean difference of the logarithms, with Student's interval. A place that lies further off
 * than chance explains was disturbed in one of the two, and is left out (by the median absolute
 * deviation; Hampel, "The influence curve and its role in robust estimation", Journal of the
 * American Statistical Association 69, 1974). Fewer than two places have no interval. n >= 1;
 * `scratch` has room for n. `threshold` as for compare_medians(). */
void compare_paired(const struct paired_value *, size_t n, double threshold, double *scratch,
                    struct comparison *);

#endif
