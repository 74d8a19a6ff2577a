/*
 * Whether a value rises or falls during the run, by the rank test of Mann (1945) and Kendall, which
 * makes no assumption about the distribution; and by how much, by the Theil-Sen slope (Sen 1968).
 */
#ifndef FATHOM_STATS_TREND_H
#define FATHOM_STATS_TREND_H

#include <stddef.h>

struct trend {
    double z;      /* standard normal under "no trend"; 0 for fewer than four values */
    double change; /* the total rise (median slope times n) divided by the median value */
};

/* values[n] in the order of time; O(n^2). `scratch` has room for n doubles. */
struct trend trend_test(const double *values, size_t n, double *scratch);

#endif
