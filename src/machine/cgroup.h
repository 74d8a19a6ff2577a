/*
 * What the control groups of this process allow: version 1, version 2, or, as on many systems, both
 * at once. Each level between the process's group and the mount may set a limit, so the whole path
 * is read and the smallest limit counts.
 */
#pragma once

#include "base/cpulist.h"

#include <stdbool.h>
#include <stdint.h>

enum { CGROUP_HUGE_2M, CGROUP_HUGE_1G, CGROUP_HUGE_SIZES };

struct cgroup_limits {
    bool cpus_known;
    struct cpulist cpus;   /* the cpuset, in the pool; empty if unknown */
    uint64_t memory_bytes; /* still free under the smallest limit; UINT64_MAX: unlimited */
    /* Like memory_bytes, for reserved huge pages of 2 MiB and of 1 GiB. */
    uint64_t huge_bytes[CGROUP_HUGE_SIZES];
    double cpu_quota; /* CPUs' worth of time; INFINITY: unlimited */
};

void cgroup_read(struct cgroup_limits *, struct pool *, const char *root);

/* Keeps in `list` only the CPUs that are in both lists. If there are none, `list` is unchanged and
 * the result is false: every process has a CPU, so one of the lists was garbage. */
bool cpulist_narrow(struct cpulist *list, const struct cpulist *to);
