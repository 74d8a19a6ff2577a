/* What the options of `fathom latency` ask for: where, by which chase, and which working sets. */
#ifndef FATHOM_MEASURE_PROBES_LATENCY_OPTIONS_H
#define FATHOM_MEASURE_PROBES_LATENCY_OPTIONS_H

#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"

extern const struct option_spec latency_options[];

/* The node of --node, -1 where it is not given. ERROR_USAGE. */
int latency_choose_node(struct probe_task *, int *node, struct error *);
/* The chase: order, stride, what an element holds. ERROR_USAGE. */
int latency_choose_kind(const struct probe_task *, const struct chases *, struct chase_kind *,
                        struct error *);
/* The one working set that --size or --count names: 1, or 0 where neither is given. ERROR_USAGE, or
 * ERROR_SYSTEM without memory. */
int latency_choose_single(struct working_sets *, struct probe_task *, size_t stride,
                          struct error *);
/* Whether a person named the working sets, so that there is nothing to refine. */
bool latency_sizes_are_named(const struct probe_task *);

#endif
