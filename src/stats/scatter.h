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
#ifndef FATHOM_STATS_SCATTER_H
#define FATHOM_STATS_SCATTER_H

#include <stdbool.h>
#include <stddef.h>

struct scatter_parts {
    double mean;
    double item, time, rest; /* standard deviations, in the values' unit */
};

/* values[2 * items]: all items once, then all again in the same order, measured `per_visit` at a
 * time. False, with nothing written, where no block has two items. */
bool scatter_split(const float *values, size_t items, size_t per_visit, struct scatter_parts *);

#endif
