/* A uniform sample of a stream of readings, however long it becomes: Vitter's algorithm R
 * ("Random stage with a reservoir", ACM TOMS 11, 1985). */
#ifndef FATHOM_MEASURE_ENGINE_RESERVOIR_H
#define FATHOM_MEASURE_ENGINE_RESERVOIR_H

#include "base/random.h"
#include "stats/summary.h"

enum { RESERVOIR_READINGS = 4096 };

struct reservoir { /* begins as zeros */
    struct random random;
    size_t seen;
    double readings[RESERVOIR_READINGS];
};

void reservoir_add(struct reservoir *, double reading);
/* Summarises the sample, sorting it in place. */
struct summary reservoir_summary(struct reservoir *);

#endif
