/*
 * Loads hwloc's picture of a machine: the one we run on, one whose files lie below a root, or a
 * synthetic one.
 */
#ifndef FATHOM_MACHINE_HWLOC_LOAD_H
#define FATHOM_MACHINE_HWLOC_LOAD_H

#include "machine/machine.h"

#include <hwloc.h>

/* On 0 the caller destroys `*topology`, which is NULL where hwloc could not describe the machine.
 * ERROR_USAGE for a bad synthetic description, ERROR_SYSTEM without memory. */
int hwloc_load(hwloc_topology_t *topology, const struct machine_source *, struct error *);

#endif
