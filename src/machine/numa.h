/*
 * What planning has to know of the NUMA nodes beside the facts: what the firmware declares of the
 * ways between them, how much of each is free, and which of them this process may take memory from.
 */
#ifndef FATHOM_MACHINE_NUMA_H
#define FATHOM_MACHINE_NUMA_H

#include "machine/machine.h"

/* Fills machine->nodes, one for each of facts.nodes, which is there. Where the system doesn't say,
 * distances are unknown, a node is allowed, and all of it counts as free. ERROR_SYSTEM without
 * memory. */
int numa_read(struct machine *, const struct machine_source *, struct error *);

#endif
