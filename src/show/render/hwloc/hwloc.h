/*
 * hwloc's tree of a document's machine, with the clusters that were measured as groups of their
 * own. Not for use outside of the output.
 */
#ifndef FATHOM_SHOW_RENDER_HWLOC_HWLOC_H
#define FATHOM_SHOW_RENDER_HWLOC_HWLOC_H

#include "base/cpulist.h"
#include "base/error.h"
#include "document/document.h"

enum object_origin {
    OBJECT_DECLARED,
    OBJECT_CLUSTER, /* found by its hand-offs alone */
    OBJECT_MEMORY,  /* what a node's CPUs are, where nothing else is */
};

enum { OBJECT_NONE = -1, OBJECT_ROOT = 0 };

struct object {
    const char *type; /* as hwloc names it; one of a table */
    enum object_origin origin;
    int rank;    /* of equal ones the lower holds the higher */
    long number; /* the operating system's; OBJECT_NONE */
    struct cpulist cpus;
    const struct declared_objects *facts; /* of a cache; NULL */
    long parent, child, next;             /* places in the list; OBJECT_NONE */
};

/* A node's memory, which hangs at an object beside its children. */
struct object_node {
    int number;
    struct cpulist cpus; /* near to it; may be none */
    uint64_t bytes;
    long at; /* the object */
};

struct objects {
    struct object *list; /* the machine first; what is no declared object and was not taken has no
                            parent */
    size_t count;
    struct object_node *nodes;
    size_t node_count;
    size_t clusters_left; /* that contradict what is declared */
};

/* In the pool, whose step it leaves with ERROR_IMPOSSIBLE where the document has no tree,
 * ERROR_USAGE where it is damaged. */
void objects_build(struct objects *, const struct document *, struct pool *);

#endif
