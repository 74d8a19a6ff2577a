/* How far values lie from one another, and whether they fall into two groups. */
#ifndef FATHOM_STATS_SPREAD_H
#define FATHOM_STATS_SPREAD_H

#include <stddef.h>

/* Median absolute deviation of n >= 1 ascending values, times 1.4826, which makes it the standard
 * deviation of a normal distribution (Hampel 1974). `scratch` has room for n doubles. */
double robust_deviation(const double *ascending, size_t n, double *scratch);

/* The number of values in the lower of two groups; 0 where there are not two groups. Each group has
 * at least a fifth of all values and at least three, and the gap between the groups is at least
 * three times the wider group's range. Normal and uniform samples of eight values or more pass this
 * test in less than one case of a hundred (shown in the tests), six uniform values in 1.3 %. */
size_t spread_groups(const double *ascending, size_t n);

#endif
