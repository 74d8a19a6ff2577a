/*
 * Which sizes come first: those that are looked at before anything is measured twice, and how far a
 * sweep goes before it is known where DRAM begins. A declared cache of 260 MiB may be there with 5,
 * and memory that is never needed is never touched.
 */
#ifndef FATHOM_MEASURE_PROBES_LATENCY_FIRST_H
#define FATHOM_MEASURE_PROBES_LATENCY_FIRST_H

#include "conclude/levels/level.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"

/* Marks the first look of the plan: two sizes of each level that is declared, and two beyond them.
 * ERROR_SYSTEM without memory. */
int latency_look(struct probe_task *, struct error *);

/* Cuts off the sizes that can wait until it is known whether DRAM was reached, and returns them;
 * none where they are few. */
struct working_sets latency_leave_rest(struct working_sets *);
/* Whether the sizes measured so far end in DRAM: on a plateau that is proven to be memory, behind
 * as many levels as are declared. 1 or 0; ERROR_SYSTEM without memory. */
int latency_reached_dram(const struct probe_task *, const struct translation_knee *, size_t count,
                         struct error *);
/* Whether each size has two trials or more: a knee between single ones is nothing to look closer
 * at. */
bool latency_is_swept(const struct probe_task *);

#endif
