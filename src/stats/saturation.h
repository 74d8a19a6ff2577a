/*
 * Where a falling curve stops falling, such as time per access over the number of accesses in
 * flight. The result is the level that it reaches, and the fewest accesses that reach it.
 */
#ifndef FATHOM_STATS_SATURATION_H
#define FATHOM_STATS_SATURATION_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
