/* `fathom latency --threads`: several CPUs that chase at once. */
#ifndef FATHOM_MEASURE_PROBES_LATENCY_THREADS_H
#define FATHOM_MEASURE_PROBES_LATENCY_THREADS_H

#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"

extern const char *const latency_ring_names[]; /* of --ring */

/* Reads --threads and --ring: where there are several threads, *seat, which is the CPU that was
 * chosen, becomes the first of as many. ERROR_USAGE. */
int latency_threads_choose(struct probe_task *, struct chases *, const struct seat **seat,
                           struct error *);
/* ERROR_USAGE where their rings would need more memory than may be used. */
int latency_threads_check(const struct probe_task *, const struct chases *,
                          const struct working_sets *, struct error *);

#endif
