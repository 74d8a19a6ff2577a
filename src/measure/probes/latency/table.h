/*
 * The table of `fathom latency --table`: every variant of the chase at one size inside each level,
 * so that what a variant costs stands beside what a level costs.
 */
#ifndef FATHOM_MEASURE_PROBES_LATENCY_TABLE_H
#define FATHOM_MEASURE_PROBES_LATENCY_TABLE_H

#include "measure/probes/chase/chases.h"

/* ERROR_USAGE where options were given that the table sets itself. */
int latency_table_check(const struct probe_task *, struct error *);

/* Adds a series for each variant, with a point in each level, to a plan that is fresh but for who
 * measures and the pages, which are named `pages`. ERROR_SYSTEM without memory. */
int latency_table_plan(struct probe_task *, struct chases *, const struct seat *,
                       const struct chase_level *, size_t level_count, const char *pages,
                       struct error *);

#endif
