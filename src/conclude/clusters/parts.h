/* The parts of cluster.c, internal to it. */
#pragma once

#include "base/pool.h"
#include "conclude/clusters/basis.h"

#include <stdbool.h>

/* --- cells.c: the matrix made ready --- */

/* The rows that have a value. All matrices are symmetric, m * m; the diagonal means nothing. */
struct cells {
    size_t m;
    size_t *rows;  /* each row's number in the caller's matrix */
    float *known;  /* latency; NAN: not measured */
    float *filled; /* logarithm of the latency; estimated where it was not measured */
    double *noise; /* of each row, relative to the latency */
    double *given; /* the part of the noise that the caller gave */
};
/* In the pool. */
void cells_read(struct cells *, struct pool *, const double *latency, const double *noise,
                size_t n);
/* Root mean square difference of two rows' logarithms over the columns first, first + step and so
 * on, without the columns of the two rows and, of six or more, without the greatest difference;
 * NAN: no such column. */
double cells_distance(const struct cells *, size_t a, size_t b, size_t first, size_t step);

/* --- tree.c: average linkage --- */

struct tree_node {
    size_t first, count; /* members: order[first .. first + count) */
    int left, right;     /* nodes; -1: a leaf */
    int parent;          /* -1: the root */
    size_t pairs;        /* measured pairs between left and right */
    double join;         /* median latency of those pairs; NAN: no pairs */
    double adjusted;     /* the same without what each row adds to all its latencies */
    double least, most;  /* the shortest and the longest of those latencies; NAN: no pairs */
    double scatter;      /* their robust deviation relative to `join`; 0: fewer than four pairs */
};

struct tree {
    struct tree_node *nodes; /* 2 m - 1: first the m leaves */
    size_t count;
    size_t *order;
};

/* Builds the tree from latencies less the rows' own parts, own[m]: what each row adds to all its
 * latencies, or 0. */
void tree_build(struct tree *, struct pool *, const struct cells *, const double *own);

/* --- cluster.c's list of candidates --- */

/* Two groups overlap only if one is within the other, so groups are a forest. */
struct group {
    size_t *members; /* rows of the cells, ascending */
    size_t count;
    int parent; /* the smallest group that holds it; -1: none */
    enum cluster_basis basis;
};

struct groups {
    struct group *list;
    size_t count;
    int *smallest;  /* for each row, the smallest group that holds it; -1: none */
    size_t *marked; /* for each row, the last set that it was in */
    size_t marks;   /* number of sets that were marked */
    struct pool *pool;
};

/* Whether the set (not empty) overlaps only groups that hold it or are within it. */
bool groups_fit(struct groups *, const size_t *members, size_t count);
/* Adds a copy of the set if it fits and is not all rows. An equal group stays, and becomes a kind
 * if it is added as one. The time depends on the size of the set and of the tree over it, not on
 * the number of groups. */
void groups_add(struct groups *, const struct cells *, const size_t *members, size_t count,
                enum cluster_basis);
/* Removes the groups for which `keep` is false. */
void groups_keep(struct groups *, const struct cells *, const bool *keep);
/* Drops near groups that do not hold up in comparison with the others; own[m] is what each row adds
 * to all its latencies, `far` the median of the far latencies. */
void groups_drop_odd(struct groups *, const struct cells *, const double *own, double far,
                     struct pool *scratch);
/* Median of the measured latencies between the members; NAN: none. */
double group_within(const struct group *, const struct cells *, struct pool *scratch);

/* --- each adds groups of one sort; the scratch pool is freed when it returns --- */

void groups_add_pairs(struct groups *, const struct cells *, struct pool *scratch);  /* near.c */
void groups_add_near(struct groups *, const struct cells *, struct pool *scratch);   /* near.c */
void groups_add_blocks(struct groups *, const struct cells *, struct pool *scratch); /* kinds.c */
void groups_add_alike(struct groups *, const struct cells *, struct pool *scratch);  /* alike.c */
void groups_add_kinds(struct groups *, const struct cells *, struct pool *scratch);  /* kinds.c */
