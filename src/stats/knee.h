/*
 * The knee of a curve of time over rate: where the ratio of the rate achieved to the time taken is
 * greatest (Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in
 * computer communications", ICC 1979). Below it, more rate costs little time; beyond it, time grows
 * faster than the rate. In a queue with one server it lies at half of the maximum rate, where the
 * time is twice that of an idle queue. The definition has no threshold.
 */
#ifndef FATHOM_STATS_KNEE_H
#define FATHOM_STATS_KNEE_H

#include <stddef.h>

/* The rate at the knee of n points in order of the requested rate. It is interpolated: the vertex
 * of a parabola through the logarithms of rate over time at the greatest point and its two
 * neighbours. NAN where the greatest is the first or the last point, because the curve then does
 * not show the knee. Points without a rate (0 or NAN) are left out. */
double knee_of_power(const double *rate, const double *time, size_t n);

#endif
