/*
 * What plans need to know of NUMA nodes beside the facts: the distances that the firmware declares,
 * how much of each node is free, and from which nodes this process may take memory.
 */
#ifndef FATHOM_MACHINE_NUMA_H
#define FATHOM_MACHINE_NUMA_H

#include "machine/machine.h"

/* Fills machine->nodes, one for each of facts.nodes, which must have been read. Where the system
 * doesn't say, distances are unknown, a node is allowed, and all of it counts as free. ERROR_SYSTEM
 * without memory. */
int numa_read(struct machine *, const struct machine_source *, struct error *);

#endif
