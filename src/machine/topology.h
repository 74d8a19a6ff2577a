/*
 * What hwloc knows of a machine: where its CPUs sit, its caches, kinds of core and NUMA nodes.
 */
#ifndef FATHOM_MACHINE_TOPOLOGY_H
#define FATHOM_MACHINE_TOPOLOGY_H

#include "machine/machine.h"

/* Fills `live`, `cpus` and the topology's part of the facts. Where hwloc finds nothing the list of
 * CPUs is empty, without an error; ERROR_USAGE for a bad synthetic description, ERROR_SYSTEM
 * without memory. */
int topology_read(struct machine *, const struct machine_source *, struct error *);

/* Adds a CPU of which only the number is known, if it isn't there yet. */
int topology_add_cpu(struct machine *, int id);

/* "0-7,16" in the pool; NULL without memory. */
const char *cpulist_pooled(struct pool *, const struct cpulist *);

#endif
