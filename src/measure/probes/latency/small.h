/*
 * Small working sets once more, by sweeps of hundreds of short trials spread over a stage: where a
 * cache as small as a first level ends, trials of a millisecond meet a neighbour in most cases.
 */
#ifndef FATHOM_MEASURE_PROBES_LATENCY_SMALL_H
#define FATHOM_MEASURE_PROBES_LATENCY_SMALL_H

#include "measure/probes/chase/chases.h"

/* Plans the points, in a series of their own, on the kind of chase of the first series. 1; 0 where
 * the lines are not all followed in that kind, or there is a team of threads. */
int latency_small_plan(struct probe_task *, struct chases *, const struct seat *, struct error *);

/* The curve with what the sweeps measured of the sizes that they went over in place of what stands
 * there, in the pool; the curve itself where the result has no sweeps of it. NULL without memory.
 */
const struct series *latency_small_joined(const struct probe_result *, const struct series *curve,
                                          struct pool *);

#endif
