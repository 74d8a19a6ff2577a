/* hwloc's tree as the document keeps it. */
#ifndef FATHOM_MACHINE_DECLARED_OBJECTS_H
#define FATHOM_MACHINE_DECLARED_OBJECTS_H

#include "machine/machine.h"

#include <hwloc.h>

/* Fills facts.declared.objects: packages, dies, groups, caches, cores, CPUs and nodes, without
 * devices and names. ERROR_SYSTEM without memory. */
int objects_keep(struct machine *, hwloc_topology_t);

#endif
