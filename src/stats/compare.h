/* Whether two values differ, by their intervals, and which of many such comparisons count. */
#pragma once

#include <stddef.h>

struct comparison_of_intervals {
    double ratio;     /* b over a */
    double low, high; /* its interval; NAN where a side has none, or one that reaches zero, because
                         the ratio may then be anything */
    double p; /* probability of a ratio this far from 1 if the true one is within the threshold; 1
                 where there is no interval */
};

/* Compares two values given as {value, low, high}; the ratio's interval is the widest that these
 * allow. `threshold` is a relative change: 0.03. */
void compare_intervals(const double a[3], const double b[3], double threshold,
                       struct comparison_of_intervals *);

/* Finds which of p[n] survive Holm's correction for n comparisons at the level alpha (Holm, "A
 * simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6,
 * 1979): returns the largest p that does, -1 where none does. Sorts p. */
double compare_holm(double *p, size_t n, double alpha);
