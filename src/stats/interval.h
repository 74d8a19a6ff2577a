/*
 * The exact, distribution-free interval of a median from order statistics: if B counts the values
 * below the true median, B is binomial(n, 1/2), so [x(j), x(n+1-j)] holds the median with
 * probability 1 - 2 P(B < j), whatever the distribution (David and Nagaraja, "Order Statistics",
 * 3rd ed., section 7.1). Six values are the fewest that reach 95 %.
 */
#ifndef FATHOM_STATS_INTERVAL_H
#define FATHOM_STATS_INTERVAL_H

#include <stddef.h>

struct median_ranks {
    size_t low, high; /* 1-based ranks of the order statistics that bound the interval */
    double coverage;
};

/* The narrowest symmetric interval that covers at least `confidence`; where n is too small for
 * that, the widest interval, with its coverage. n >= 1. */
struct median_ranks median_interval(size_t n, double confidence);

#endif
