/* How values scatter: how far apart they lie, whether they form two groups or agree on one number,
 * and what part each cause has. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* From the median absolute deviation to the standard deviation of a normal distribution (Hampel
 * 1974): 1.4826. */
extern const double mad_to_deviation;
/* Clock and counter are read to a thousandth (the two bursts of a bracket, measure/engine/visit.c),
 * so a smaller relative spread of times is not believed. */
extern const double timing_resolution;

/* Median absolute deviation of n >= 1 ascending values, times mad_to_deviation. `scratch` has room
 * for n doubles. */
double robust_deviation(const double *ascending, size_t n, double *scratch);

/* The number of values in the lower of two groups; 0 where there are not two groups. Each group has
 * at least a fifth of all values and at least three, and the gap between the groups is at least
 * three times the wider group's range. Normal and uniform samples of eight values or more pass this
 * test in less than one case of a hundred (shown in the tests), six uniform values in 1.3 %. */
size_t spread_groups(const double *ascending, size_t n);

/* How y changes with x, by the resistant line (Tukey, "Exploratory data analysis", 1977, chapter
 * 10): the slope between the medians of the outer thirds of n pairs of x and y, which it sorts by
 * x. NAN: fewer than nine pairs, or one x alone. `scratch` has room for n / 3 doubles. */
double resistant_slope(double (*pairs)[2], size_t n, double *scratch);

/*
 * A vote: independent trials each name a whole number (entries, ways), and it counts only where
 * most of them name the same one. A mean or a median of counts could be a number that no trial
 * found.
 */

struct vote {
    double value;           /* the number that most trials name */
    double low, high;       /* order-statistic interval of all votes; equal where unanimous */
    size_t voted, agreeing; /* trials that named a number, and that named this one */
};

/* Counts values[n]; NAN abstains. True where at least five trials voted, they are at least half of
 * all, and six tenths of them agree. Otherwise `value` is the most frequent number, for a message;
 * NAN where none voted. `scratch` has room for n doubles. */
bool vote_count(const double *values, size_t n, struct vote *, double *scratch);

/*
 * Splits the scatter of values by its causes, when each of many items (cache lines) was measured at
 * two different times: y[item, time] = mean + item + time + rest, all three random, in blocks of
 * items that were measured together, so that a block shares its two times.
 *
 * Each block is a two-way crossed random-effects layout without replication, and its variances are
 * estimated by equating the mean squares of the analysis of variance, pooled over the blocks, to
 * their expectations (the method of moments; Searle, Casella and McCulloch, "Variance Components",
 * Wiley 1992, section 4.2 and table 4.3). With m items in a block and two times:
 *
 *     E[MS item] = 2 var(item) + var(rest)    E[MS time] = m var(time) + var(rest)
 *     E[MS rest] = var(rest)
 *
 * An estimate below zero is zero.
 */

struct scatter_parts {
    double mean;
    double item, time, rest; /* standard deviations, in the values' unit */
};

/* values[2 * items]: all items once, then all again in the same order, measured `per_visit` at a
 * time. False, with nothing written, where no block has two items. */
bool scatter_split(const float *values, size_t items, size_t per_visit, struct scatter_parts *);
