/* Sorting and quantiles. */
#ifndef FATHOM_STATS_QUANTILE_H
#define FATHOM_STATS_QUANTILE_H

#include <stddef.h>

void sort_ascending(double *values, size_t n);
/* Quantile p in [0, 1] of n >= 1 ascending values, by linear interpolation between order
 * statistics (Hyndman and Fan 1996, type 7: R's and NumPy's default). */
double quantile(const double *ascending, size_t n, double p);
/* The middle value, or the mean of the middle two. */
double median(const double *ascending, size_t n);

#endif
