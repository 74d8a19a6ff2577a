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
#ifndef FATHOM_STATS_PAIRED_H
#define FATHOM_STATS_PAIRED_H

#include "stats/compare.h"

#include <stddef.h>

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
