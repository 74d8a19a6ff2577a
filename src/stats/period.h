/* The period of what happens again and again. */
#ifndef FATHOM_STATS_PERIOD_H
#define FATHOM_STATS_PERIOD_H

#include <stdbool.h>
#include <stddef.h>

struct period {
    double value, low, high; /* in the unit of the times; the interval is of the mean */
    size_t steps;            /* from one event to the next, that agree with it */
};

/* Looks for a period in n ascending times. Some of the events may be missing, as where nobody
 * watched for a while, and some may be others' that came in between; but of ten steps from one
 * event to the next, seven must be a multiple of the period to a twentieth of it. Times that follow
 * no clock do that for one step in ten, so the eight steps that are asked for at least come about
 * by chance less than once in 100000 tries. False: there is none, or there are too few times.
 * `scratch` has room for 2 n doubles. */
bool period_find(const double *times, size_t n, double *scratch, struct period *);

#endif
