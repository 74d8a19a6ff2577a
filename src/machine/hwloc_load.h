/*
 * Loads hwloc's topology of a machine: of this one, of a recorded one from files below a root, or
 * of a synthetic one.
 */
#pragma once

#include "machine/machine.h"

#include <hwloc.h>

/* hwloc has a lock, and a child of fork() would find it held if another thread were inside. So all
 * calls that read the machine stand between these two; fork() waits until they are over. */
void hwloc_enter(void);
void hwloc_leave(void);

/* If the result is 0, the caller destroys `*topology`, which is NULL if hwloc could not describe
 * the machine. ERROR_USAGE for a bad synthetic description, ERROR_SYSTEM if memory is short. */
int hwloc_load(hwloc_topology_t *topology, const struct machine_source *, struct error *);
