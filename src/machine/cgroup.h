/*
 * What the control groups of this process allow it: version 1, version 2, or both at once as many
 * systems have it. A limit may stand at any level between the process's group and the mount, so
 * the whole path is read and the smallest counts.
 */
#ifndef FATHOM_MACHINE_CGROUP_H
#define FATHOM_MACHINE_CGROUP_H

#include "base/cpulist.h"

#include <stdbool.h>
#include <stdint.h>

enum { CGROUP_HUGE_2M, CGROUP_HUGE_1G, CGROUP_HUGE_SIZES };

struct cgroup_limits {
    bool cpus_known;
    struct cpulist cpus;   /* the cpuset, in the pool; empty where unknown */
    uint64_t memory_bytes; /* still free under the tightest limit; UINT64_MAX: unlimited */
    /* The same as memory_bytes for reserved huge pages of 2 MiB and of 1 GiB. */
    uint64_t huge_bytes[CGROUP_HUGE_SIZES];
    double cpu_quota; /* CPUs' worth of time; INFINITY: unlimited */
};

void cgroup_read(struct cgroup_limits *, struct pool *, const char *root);

/* Leaves in `list` the CPUs that are in both lists. If there are none, `list` stays as it was and
 * the result is false: every process has a CPU, so one of the lists was garbage. */
bool cpulist_narrow(struct cpulist *list, const struct cpulist *to);

#endif
