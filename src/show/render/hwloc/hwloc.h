/*
 * hwloc's tree of a document's machine, with measured clusters as groups. Not for use outside of
 * this output.
 */
#pragma once

#include "base/cpulist.h"
#include "document/document.h"

enum object_origin {
    OBJECT_DECLARED,
    OBJECT_CLUSTER, /* found by hand-off latencies alone */
    OBJECT_MEMORY,  /* a node's CPUs, where no other object has just these */
};

enum { OBJECT_NONE = -1, OBJECT_ROOT = 0 };

struct object {
    const char *type; /* hwloc's name, from a table */
    enum object_origin origin;
    int rank;    /* of objects with equal sets, the lower rank is outside */
    long number; /* the operating system's index; OBJECT_NONE */
    struct cpulist cpus;
    const struct declared_objects *facts; /* of a cache; else NULL */
    long parent, child, next;             /* indexes in the list; OBJECT_NONE */
};

/* A node's memory, which is attached to an object besides its children. */
struct object_node {
    int number;
    struct cpulist cpus; /* local to it; may be empty */
    uint64_t bytes;
    long at; /* index of the object */
};

struct objects {
    struct object *list; /* the machine first; without a parent: clusters and groups not taken */
    size_t count;
    struct object_node *nodes;
    size_t node_count;
    size_t clusters_left; /* clusters left out because they contradict declared objects */
};

/* Builds them in the pool. Leaves the pool's step with ERROR_IMPOSSIBLE if the document has no
 * tree, with ERROR_USAGE if the tree is damaged. */
void objects_build(struct objects *, const struct document *, struct pool *);
