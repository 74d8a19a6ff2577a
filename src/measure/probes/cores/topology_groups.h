/* What the machine says of which CPUs belong together, for conclude/clusters/clusters.h to compare
 * with. */
#ifndef FATHOM_MEASURE_PROBES_CORES_TOPOLOGY_GROUPS_H
#define FATHOM_MEASURE_PROBES_CORES_TOPOLOGY_GROUPS_H

#include "conclude/clusters/clusters.h"
#include "machine/machine.h"

/* Fills `declared` with the groups of two CPUs or more: SMT siblings, shared caches, NUMA nodes,
 * packages and kinds of core. Only those of `cpus` count (NULL: all), because what was not measured
 * can't agree or disagree; a group that is all of them says nothing and is left out. Everything
 * lives in the pool. ERROR_SYSTEM without memory. */
int declared_read(struct declared *, const struct machine *, const struct cpulist *cpus,
                  struct pool *, struct error *);

/* The same as a parameter's text, "siblings 0-1 SMT siblings; node 0-7 NUMA node 0", or "none"; and
 * back, where what can't be read is left out. NULL, ERROR_SYSTEM: without memory. */
const char *declared_text(const struct declared *, struct pool *);
int declared_parse(struct declared *, const char *text, struct pool *);

/* Where each of the CPUs sits, for the parameter "cpu_labels" that the view of a matrix shows
 * beside the ids: "0=c0.0 1=c0.1", core and thread of the core, with "n1" behind where there are
 * several NUMA nodes. NULL where nothing is known that the ids don't show, or there is no memory.
 */
const char *declared_labels(const struct machine *, const struct cpulist *cpus, struct pool *);

#endif
