/* Values in order of time: how many independent ones they are worth, whether they rise or fall, and
 * the period of events. */
#pragma once

#include "stats/order.h"

#include <stdbool.h>
#include <stddef.h>

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

/* In (0, n], for values[n] in order of time. It is n where the correlation could be chance (one of
 * ten series of independent values exceeds that), or for n < 8. `scratch` has room for n
 * doubles. */
double effective_count(const double *values, size_t n, double *scratch);

/* The same of values in groups, which follow one another: what a group's values have in common is
 * drawn once for each group. In (0, n], by the correlation within groups of the ranks (analysis of
 * variance); n where values of one group are no more alike than others, for one group, and for
 * groups of one. `scratch` as above. */
double effective_in_groups(const double *values, const float *groups, size_t n, double *scratch);

/* Widens the median's interval by sqrt(summary->n / effective), as if there were only `effective`
 * values. */
void summary_widen(struct summary *, double effective);
/* The same from the values, between two of which the interval lies (Woodruff 1952, intervals of
 * quantiles of clustered samples). `fewer` is at least 1 and at most n. */
void summary_of_fewer(const double *ascending, size_t n, size_t fewer, struct summary *);

/*
 * Whether a value rises or falls during the run, by the rank test of Mann (1945) and Kendall, which
 * makes no assumption about the distribution; and by how much, by the Theil-Sen slope (Sen 1968).
 */

struct trend {
    double z;      /* standard normal under "no trend"; 0 for fewer than four values */
    double change; /* the total rise (median slope times n) divided by the median value */
};

/* values[n] in the order of time; O(n^2). `scratch` has room for n doubles. */
struct trend trend_test(const double *values, size_t n, double *scratch);

struct period {
    double value, low, high; /* in the unit of the times; the interval is of the mean */
    size_t steps;            /* steps between successive events that agree with it */
};

/* Looks for a period in n ascending times. Events may be missing, and other events may lie between;
 * but seven of ten steps from one event to the next must be a multiple of the period, within a
 * twentieth of it. Random times do that for one step in ten, so with the eight steps that are
 * required it happens by chance less than once in 100000 tries. False: there is none, or there are
 * too few times. `scratch` has room for 2 n doubles. */
bool period_find(const double *times, size_t n, double *scratch, struct period *);
