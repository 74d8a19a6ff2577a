/* The period of repeated events. */
#ifndef FATHOM_STATS_PERIOD_H
#define FATHOM_STATS_PERIOD_H

#include <stdbool.h>
#include <stddef.h>

struct period {
    double value, low, high; /* in the unit of the times; the interval is of the mean */
    size_t steps;            /* steps between successive events that agree with it */
};

/* Looks for a period in n ascending times. Events may be missing, and other events may lie between;
 * but seven of ten steps from one event to the next must be a multiple of the period, within a
 * twentieth of it. Random times do that for one step in ten, so with the eight steps that are
 * required it happens by chance less than once in 100000 tries. False: there is none, or there are
 * too few times. `scratch` has room for 2 n doubles. */
bool period_find(const double *times, size_t n, double *scratch, struct period *);

#endif
