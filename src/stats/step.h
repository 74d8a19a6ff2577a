/*
 * A step in a short series: values lie on a floor, and from some place on they are all above it.
 * The exact place is the result: how many pages, or lines, still fitted.
 */
#ifndef FATHOM_STATS_STEP_H
#define FATHOM_STATS_STEP_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
