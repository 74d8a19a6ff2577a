/*
 * How far two curves lie apart, from values that were measured at the same places of both.
 *
 * What makes one place slower than another is in both curves and cancels, and so does what places
 * only one of them has (Student's test of paired differences, "The probable error of a mean",
 * Biometrika 6, 1908). Where every place has an interval of its own, each counts by that (inverse
 * variances, none beyond the median place's: few trials may agree by chance); else by how many
 * trials stand behind it, for single trials count as well.
 *
 * The scatter among the places is what is asked of. But few of them have so few degrees of freedom
 * that they prove little, so where they scatter as their own intervals say that they should, both
 * are pooled.
 */
#ifndef FATHOM_STATS_PAIRED_H
#define FATHOM_STATS_PAIRED_H

#include "stats/compare.h"

#include <stddef.h>

struct paired_value {
    double a, b;               /* above 0 */
    double trials_a, trials_b; /* behind each, from 1 on */
    double deviation;          /* of log(b / a), as these trials say; 0: unknown */
};

/* The mean of their logarithms' differences, with Student's interval; a place that lies further off
 * than chance takes it was disturbed in one of the two, and is left out (Hampel, "The influence
 * curve and its role in robust estimation", Journal of the American Statistical Association 69,
 * 1974: by the median absolute deviation). Fewer than two places have no interval. n >= 1;
 * `scratch` has room for n. `threshold` as for compare_medians(). */
void compare_paired(const struct paired_value *, size_t n, double threshold, double *scratch,
                    struct comparison *);

#endif
