/*
 * What the hardware does when nobody else uses it, from values that a neighbour may have raised.
 *
 * Interference is one-sided: a neighbour only takes time, so it only ever raises a time. What lies
 * below the centre of the undisturbed values is therefore undisturbed, and shows how far those
 * above it may reach. The estimate begins with the lowest values and takes in those above as far
 * as the spread below, mirrored, makes them plausible; its centre is their median. The minimum is
 * no estimate: a lucky row of DRAM or a stale clock reads less than the truth. (Chen and Revels,
 * "Robust benchmarking in noisy environments", arXiv 1608.04295, argue the one-sidedness and take
 * the minimum.)
 */
#ifndef FATHOM_STATS_QUIET_H
#define FATHOM_STATS_QUIET_H

#include <stdbool.h>
#include <stddef.h>

/* In the unit of the values; NAN where nothing is known, `low` and `high` alone where the interval
 * is not. Floats, as in struct summary. */
struct quiet {
    float value, low, high;
};

struct quiet quiet_unknown(void);
static inline bool quiet_is_known(const struct quiet *quiet)
{
    return quiet->value > 0;
}

/* The value where it is known, else what was found beside whatever ran. */
static inline double quiet_or(const struct quiet *quiet, double found)
{
    return quiet_is_known(quiet) ? (double)quiet->value : found;
}

/* The median of the undisturbed ones of n >= 1 ascending times; NAN where one of them is. */
double quiet_centre(const double *ascending, size_t n);
/* The same with an interval of 95 %, both ends above 0; a single value has none (NAN), nor have
 * values that lie so far apart that it would reach 0. */
struct quiet quiet_of(const double *ascending, size_t n);
/* Of visits, thousands of short ones of a small set: `ascending` times of which a neighbour may
 * have raised nearly all. What fits nowhere is slow in every visit, and what fits is fast in those
 * few that it left alone; so the value is the lowest hundredth, and at least the third lowest, of
 * which the next one says the same: a stale clock makes single values too low. The interval is the
 * exact one of that quantile, from order statistics (David and Nagaraja, section 7.1). n >= 1. */
struct quiet quiet_of_visits(const double *ascending, size_t n);
/* Of rates, which a neighbour lowers: all n > 0 ascending. */
struct quiet quiet_of_rates(const double *ascending, size_t n, double *scratch);
/* The median with its interval, for values that differ without any interference. */
struct quiet quiet_of_units(const double *ascending, size_t n);

#endif
