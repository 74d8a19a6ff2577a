/*
 * Clusters: which CPUs of a matrix of hand-off latencies belong together, by the latencies alone
 * (conclude/clusters/cluster.h says how), and whether the machine declares the same.
 *
 * Each group is a finding "cluster": `cpus` as a CPU list, the median latency within as its value
 * (in the series' unit, with an interval where there is one), and a sentence. Only declared
 * siblings are called threads of a core (SMT), because cores that share an L2 may be as near.
 * Groups nest, and the findings stand as in a tree walked from its root: a group before the groups
 * within it. Where latencies and declaration contradict each other, a finding
 * "cluster.disagreement" names the CPUs and has no value: a cluster that equals no declared group,
 * or declared SMT siblings that are no cluster. Larger declared groups that do not show are no
 * contradiction: a mesh may serve two nodes alike.
 */
#ifndef FATHOM_CONCLUDE_CLUSTERS_CLUSTERS_H
#define FATHOM_CONCLUDE_CLUSTERS_CLUSTERS_H

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
    const char *name; /* for a sentence: "SMT siblings", "an L2 cache", "NUMA node 1" */
    struct cpulist cpus;
};

/* All that is declared, in any order; a set that stands for several things stands several times. */
struct declared {
    struct declared_group *groups;
    size_t count;
};

/* Adds the findings of one matrix, a series of `result` or one like it. `facts` may be NULL.
 * `declared` is NULL where nothing is known of the machine, as of a document that was imported:
 * then nothing is compared; an empty list says that all CPUs are declared as separate. All points
 * are used that have a value, both directions as one; their intervals, where they have any, are
 * the noise. A series that is no matrix, has fewer than three CPUs or more than CLUSTERS_CPUS_MAX
 * gets no findings. */
enum { CLUSTERS_CPUS_MAX = 2048 };
void findings_clusters(struct probe_result *result, struct pool *, const struct series *,
                       const struct machine_facts *facts, const struct declared *);

#endif
