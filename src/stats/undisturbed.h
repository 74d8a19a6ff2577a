/*
 * What a time is without interference, from values of which interference raised some.
 *
 * Interference is one-sided: it only takes time, so it only raises a time. Values below the centre
 * of the undisturbed ones are therefore undisturbed, and their spread shows how far undisturbed
 * values may reach above it. The estimate begins with the lowest values and adds those above that
 * the spread below, mirrored, makes plausible; its centre is their median. The minimum is no
 * estimate: a lucky row of DRAM or a stale clock reads less than the truth. (Chen and Revels,
 * "Robust benchmarking in noisy environments", arXiv 1608.04295, argue that interference is
 * one-sided and take the minimum.)
 *
 * This is for the many short batches of one trial, which share a placement. Trials differ by their
 * placements as well, so a figure is the median over them (stats/order.h).
 */
#pragma once

#include "stats/order.h"

#include <stddef.h>

struct undisturbed {
    double value;     /* their median */
    double deviation; /* their standard deviation, by those below the median */
    double longer;    /* by how much the median of all times is longer than `value`: a share */
    double shift;     /* by how much interference may have raised `value` all the same: a share */
    size_t count;     /* how many of the lowest they are: at least a third, and at least four */
};

/* Of n >= 1 ascending times. All NAN where a time is NAN. */
struct undisturbed undisturbed_of(const double *ascending, size_t n);
/* For the times of thousands of short visits of a small working set, n >= 1 ascending; interference
 * may have raised nearly all of them. A set that fits in no cache is slow in every visit; a set
 * that fits is fast in the few undisturbed visits. So the value is the lowest hundredth, at least
 * the third lowest, and the first from there that the next value agrees with, because a stale clock
 * makes single values too low. Sets the summary's median and its interval, the exact one of that
 * quantile, from order statistics (David and Nagaraja, section 7.1), and its quantiles to those of
 * the visits up to the interval's end. */
void undisturbed_envelope(const double *ascending, size_t n, struct summary *);
