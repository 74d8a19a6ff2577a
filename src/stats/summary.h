/*
 * Summary of independent trials: order statistics only, because timings follow no known
 * distribution.
 */
#ifndef FATHOM_STATS_SUMMARY_H
#define FATHOM_STATS_SUMMARY_H

#include <stddef.h>

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

#endif
