/*
 * What the hardware does without interference, from values that interference may have raised.
 *
 * Interference is one-sided: it only takes time, so it only raises a time. Values below the centre
 * of the undisturbed ones are therefore undisturbed, and their spread shows how far undisturbed
 * values may reach above it. The estimate begins with the lowest values and adds those above that
 * the spread below, mirrored, makes plausible; its centre is their median. The minimum is no
 * estimate: a lucky row of DRAM or a stale clock reads less than the truth. (Chen and Revels,
 * "Robust benchmarking in noisy environments", arXiv 1608.04295, argue that interference is
 * one-sided and take the minimum.)
 */
#ifndef FATHOM_STATS_QUIET_H
#define FATHOM_STATS_QUIET_H

#include <stdbool.h>
#include <stddef.h>

/* In the unit of the values. All NAN where nothing is known; `low` and `high` NAN where there is no
 * interval. Floats, as in struct summary. */
struct quiet {
    float value, low, high;
};

struct quiet quiet_unknown(void);
static inline bool quiet_is_known(const struct quiet *quiet)
{
    return quiet->value > 0;
}

/* The quiet value where it is known, else the found one. */
static inline double quiet_or(const struct quiet *quiet, double found)
{
    return quiet_is_known(quiet) ? (double)quiet->value : found;
}

/* The median of the undisturbed values among n >= 1 ascending times; NAN where one of them is
 * NAN. */
double quiet_centre(const double *ascending, size_t n);
/* The same with an interval of 95 %, both ends above 0. A single value has no interval (NAN), nor
 * have values so far apart that it would reach 0. */
struct quiet quiet_of(const double *ascending, size_t n);
/* For the times of thousands of short visits of a small working set, n >= 1 ascending; interference
 * may have raised nearly all of them. A set that fits in no cache is slow in every visit; a set
 * that fits is fast in the few undisturbed visits. So the value is the lowest hundredth, at least
 * the third lowest, and the first from there that the next value agrees with, because a stale clock
 * makes single values too low. The interval is the exact one of that quantile, from order
 * statistics (David and Nagaraja, section 7.1). */
struct quiet quiet_of_visits(const double *ascending, size_t n);
/* For n >= 1 ascending rates, which interference lowers; all above 0. `scratch` has room for n
 * doubles. */
struct quiet quiet_of_rates(const double *ascending, size_t n, double *scratch);
/* The median with its interval, for values that differ even without interference. */
struct quiet quiet_of_units(const double *ascending, size_t n);

#endif
