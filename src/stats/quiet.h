/*
 * What the hardware does when nobody else uses it, from values that a neighbour may have raised.
 *
 * Interference is one-sided: a neighbour only takes time, so it only ever raises a time. What lies
 * below the centre of the undisturbed values is therefore undisturbed, and tells how far those
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

/* The median of the undisturbed ones of n >= 1 ascending times; NAN where one of them is. */
double quiet_centre(const double *ascending, size_t n);
/* The same with an interval of 95 %; a single value has none (NAN). */
struct quiet quiet_of(const double *ascending, size_t n);
/* Of rates, which a neighbour lowers: all n > 0 ascending. */
struct quiet quiet_of_rates(const double *ascending, size_t n, double *scratch);
/* The median with its interval, where values differ for reasons of their own and not because of
 * neighbours. */
struct quiet quiet_of_units(const double *ascending, size_t n);

#endif
