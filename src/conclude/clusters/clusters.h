/*
 * Clusters: which CPUs belong together by their hand-off latencies alone
 * (conclude/clusters/cluster.h says how), and whether the machine declares the same.
 *
 * Each group is a finding "cluster": `cpus` as a CPU list, the median latency between its members
 * as its value (in the series' unit, with an interval where there is one), and a sentence. Only
 * declared siblings are called threads of a core (SMT), because cores that share an L2 may be as
 * near. Groups nest, and a group's finding comes before those of the groups within it. A finding
 * "cluster.disagreement" without a value names the CPUs of a cluster that equals no declared group,
 * or of declared SMT siblings that are no cluster. A larger declared group without a cluster is no
 * contradiction: a mesh may serve two nodes alike.
 */
#pragma once

#include "base/cpulist.h"
#include "document/document.h"

enum declared_kind {
    DECLARED_SIBLINGS, /* hardware threads of one core */
    DECLARED_CACHE,    /* CPUs that share one cache */
    DECLARED_NODE,     /* a NUMA node */
    DECLARED_PACKAGE,  /* a socket */
    DECLARED_CORES,    /* a kind of core: performance, efficiency */
};

/* A set of CPUs that belong together, as the machine declares. */
struct declared_group {
    enum declared_kind kind;
    const char *name; /* in sentences: "SMT siblings", "an L2 cache", "NUMA node 1" */
    struct cpulist cpus;
};

/* All that is declared, in any order; a set of CPUs that is several things is listed for each. */
struct declared {
    struct declared_group *groups;
    size_t count;
};

/* Adds the findings of one matrix, a series of `result` or one like it. `facts` may be NULL.
 * `declared` is NULL if nothing is known of the machine, as for an imported document: then nothing
 * is compared. An empty list means that all CPUs are declared as separate. All points with a value
 * are used, both directions as one; their intervals, if any, give the noise. A series that is no
 * matrix, or has fewer than three or more than CLUSTERS_CPUS_MAX CPUs, gets no findings. */
enum { CLUSTERS_CPUS_MAX = 2048 };
void findings_clusters(struct probe_result *result, struct pool *, const struct series *,
                       const struct machine_facts *facts, const struct declared *);
