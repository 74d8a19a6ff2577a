/*
 * How many independent values a series in the order of time is worth. Trials that follow each other
 * agree better with one another than with those of another hour, where a neighbour or a clock keeps
 * a mood for several of them; an interval of n values is then too narrow.
 *
 * The series is taken for an autoregressive process of first order: n values with the correlation r
 * of neighbours are worth n (1 - r) / (1 + r) (Bayley and Hammersley, "The effective number of
 * independent observations in an autocorrelated time series", J. Royal Statistical Society 8, 1946;
 * Hoefler and Belli, SC 2015, ask for it where runs are no independent samples). r is that of the
 * ranks, which single outliers do not move, with its bias in short series taken off (Marriott and
 * Pope, "Bias in the estimation of autocorrelations", Biometrika 41, 1954).
 */
#ifndef FATHOM_STATS_AUTOCORRELATION_H
#define FATHOM_STATS_AUTOCORRELATION_H

#include "stats/summary.h"

#include <stddef.h>

/* In (0, n], for values[n] in the order of time: n where the neighbours' correlation could be
 * chance (one series in ten), or there are fewer than eight. `scratch` has room for n doubles. */
double effective_count(const double *values, size_t n, double *scratch);

/* Widens the median's interval as if there were `effective` values instead of summary->n: by the
 * root of what they are fewer. */
void summary_widen(struct summary *, double effective);

#endif
