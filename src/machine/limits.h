/*
 * What of the machine this process may use: CPUs by affinity and cpuset, memory by what is free and
 * by cgroup limits, time by quota.
 */
#ifndef FATHOM_MACHINE_LIMITS_H
#define FATHOM_MACHINE_LIMITS_H

#include "machine/machine.h"

/* Fills allowed, memory_available_bytes and cpu_quota from the files below `root` and, on a live
 * machine, from the affinity mask. ERROR_SYSTEM without memory. */
int limits_read(struct machine *, const char *root, struct error *);
/* The same for a machine that has no files: everything is allowed. */
int limits_none(struct machine *, struct error *);

/* Memory that can be taken without swapping, from /proc/meminfo; 0: unknown. */
uint64_t limits_memory_free(const char *root);

#endif
