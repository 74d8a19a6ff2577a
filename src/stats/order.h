/* Order statistics: sorting and quantiles, the interval of a median, and the summary of trials. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A value and its interval of 95 %; NAN: it is not known, or has none. */
struct interval {
    double value, low, high;
};

void sort_ascending(double *values, size_t n);
/* How many of the values are below that one; with `equal` also those that equal it. */
size_t count_below(double value, bool equal, const double *ascending, size_t n);
/* Quantile p in [0, 1] of n >= 1 ascending values, by linear interpolation between order
 * statistics (Hyndman and Fan 1996, type 7: R's and NumPy's default). */
double quantile(const double *ascending, size_t n, double p);
/* The middle value, or the mean of the middle two. */
double median(const double *ascending, size_t n);
/* The same of values in any order, which it sorts; NAN: there are none. */
double median_of(double *values, size_t n);
double quantile_unsorted(double *values, size_t n, double p);
/* The logarithm of the number of ways to choose k of n. */
double log_choose(double n, double k);

/*
 * The exact, distribution-free interval of a median from order statistics: if B counts the values
 * below the true median, B is binomial(n, 1/2), so [x(j), x(n+1-j)] holds the median with
 * probability 1 - 2 P(B < j), whatever the distribution (David and Nagaraja, "Order Statistics",
 * 3rd ed., section 7.1). Six values are the fewest that reach 95 %.
 */

struct median_ranks {
    size_t low, high; /* 1-based ranks of the order statistics that bound the interval */
    double coverage;
};

/* The narrowest symmetric interval that covers at least `confidence`; where n is too small for
 * that, the widest interval, with its coverage. n >= 1. */
struct median_ranks median_interval(size_t n, double confidence);
/* The rank, from 1, of the lowest value that is above the p-quantile with at least that
 * probability; n where none is. And of the highest that is below it; 1 where none is. */
size_t quantile_rank_above(size_t n, double p, double probability);
size_t quantile_rank_below(size_t n, double p, double probability);

/*
 * Summary of independent trials: order statistics only, because timings follow no known
 * distribution.
 */

/* Floats, because 24 bits are finer than any trial, and a matrix of a thousand CPUs holds a million
 * summaries. */
struct summary {
    float median;
    float low, high; /* interval of the median; NAN where n = 0 */
    float coverage;  /* probability that [low, high] holds the true median: 0.95 or more from six
                        trials on, less below that */
    float min, p10, p25, p75, p90, max;
    unsigned n; /* trials; 0 means "nothing was measured" and all else is NAN */
};

/* Summarises values[n], which need not be sorted. `scratch` has room for n doubles and may be
 * `values` itself, which is then left sorted. */
void summarize(const double *values, size_t n, double *scratch, struct summary *);

/* The summary of no trials. */
struct summary summary_of_nothing(void);

/* Divides all its values, as for one thread's share of what several did together. */
void summary_divide(struct summary *, double by);

/* Half the interval's width divided by the median; INFINITY for fewer than two trials. */
double summary_half_width(const struct summary *);
