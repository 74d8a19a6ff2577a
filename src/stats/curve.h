/* Where a curve bends: its knee, the level at which it stops falling, and a step. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * The knee of a curve of time over rate: where the ratio of the rate achieved to the time taken is
 * greatest (Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in
 * computer communications", ICC 1979). Below it, more rate costs little time; beyond it, time grows
 * faster than the rate. In a queue with one server it lies at half of the maximum rate, where the
 * time is twice that of an idle queue. The definition has no threshold.
 */

/* The rate at the knee of n points in order of the requested rate. It is interpolated: the vertex
 * of a parabola through the logarithms of rate over time at the greatest point and its two
 * neighbours. NAN where the greatest is the first or the last point, because the curve then does
 * not show the knee. Points without a rate (0 or NAN) are left out. */
double knee_of_power(const double *rate, const double *time, size_t n);

/*
 * Where a falling curve stops falling, such as time per access over the number of accesses in
 * flight. The result is the level that it reaches, and the fewest accesses that reach it.
 */

struct saturation {
    double plateau; /* the middle, of two the lower, of all y within the tolerance of the least */
    size_t typical; /* index of the first value that equals the plateau */
    size_t knee;    /* index of the first value on the plateau */
    bool open;      /* only the last value is on the plateau: the curve may go on falling */
};

/* For y[n] at ascending x. False for fewer than two values, or where one is not above 0. `scratch`
 * has room for n doubles. */
bool saturation_find(const double *y, size_t n, double tolerance, struct saturation *,
                     double *scratch);

/* The x where a curve that begins above `level` falls below it for good: the place that the fewest
 * values contradict, interpolated between the two x around it (x[n] ascending). NAN where the curve
 * does not cross, or where more than a fifth of the values contradict every place. Values that are
 * NAN are left out. */
double crossing_down(const double *x, const double *y, size_t n, double level);

/*
 * A step in a short series: values lie on a floor, and from some place on they are all above it.
 * The exact place is the result: how many pages, or lines, still fitted.
 */

struct step {
    size_t last;  /* index of the last value on the floor */
    double floor; /* median of the values on it */
    double top;   /* what the values rise to: the level that a tenth of them exceed */
};

/* Finds the step in values[n], in order of their x. A value is off the floor when it is above it by
 * more than four robust deviations of the floor and by more than a fiftieth of the rise. False
 * where the values rise by less than `least_rise`, never leave the floor, leave it after fewer than
 * three values, or scatter so much that the floor has no end: more than a fifth of the values
 * before it are off it, or four deviations exceed a quarter of the rise. `scratch` has room for 2 n
 * doubles. */
bool step_find(const double *values, size_t n, double least_rise, struct step *, double *scratch);
