/*
 * How many independent values a series in order of time is worth. Successive trials agree better
 * with one another than with later ones, because interference or a state of the clock lasts for
 * several of them; the interval of n independent values is then too narrow.
 *
 * The series is taken for an autoregressive process of first order: n values with the correlation r
 * of neighbours are worth n (1 - r) / (1 + r) (Bayley and Hammersley, "The effective number of
 * independent observations in an autocorrelated time series", J. Royal Statistical Society 8, 1946;
 * Hoefler and Belli, SC 2015, ask for it where runs are not independent samples). r is the
 * correlation of the ranks, which single outliers do not move, corrected for its bias in short
 * series (Marriott and Pope, "Bias in the estimation of autocorrelations", Biometrika 41, 1954).
 */
#ifndef FATHOM_STATS_AUTOCORRELATION_H
#define FATHOM_STATS_AUTOCORRELATION_H

#include "stats/summary.h"

#include <stddef.h>

/* In (0, n], for values[n] in order of time. It is n where the correlation could be chance (one of
 * ten series of independent values exceeds that), or for n < 8. `scratch` has room for n
 * doubles. */
double effective_count(const double *values, size_t n, double *scratch);

/* Widens the median's interval by sqrt(summary->n / effective), as if there were only `effective`
 * values. */
void summary_widen(struct summary *, double effective);

#endif
