/* The parts of cluster.c, internal to it. */
#ifndef FATHOM_CONCLUDE_CLUSTERS_PARTS_H
#define FATHOM_CONCLUDE_CLUSTERS_PARTS_H

#include "base/pool.h"
#include "conclude/clusters/basis.h"

#include <stdbool.h>

/* --- cells.c: the matrix made ready --- */

/* Rows that have any value. All matrices are symmetric, m * m, with a diagonal of no meaning. */
struct cells {
    size_t m;
    size_t *rows;  /* the row of the caller's that each is */
    float *known;  /* latency; NAN where it was not measured */
    float *filled; /* logarithm of the latency, guessed where it was not measured */
    double *noise; /* of each row, relative to the latency */
    double *given; /* the part of the noise that the caller knows */
};
/* In the pool. */
void cells_read(struct cells *, struct pool *, const double *latency, const double *noise,
                size_t n);
/* Root of the mean squared difference of two rows' logarithms over the columns first, first + step
 * and so on, but those of the two rows themselves; NAN where there are none. */
double cells_distance(const struct cells *, size_t a, size_t b, size_t first, size_t step);

/* --- tree.c: average linkage --- */

struct tree_node {
    size_t first, count; /* members: order[first .. first + count) */
    int left, right;     /* nodes; -1 of a leaf */
    int parent;          /* -1 of the root */
    size_t pairs;        /* measured pairs between left and right */
    double join;         /* median latency of those; NAN where there are none */
    double adjusted;     /* the same without what each row adds to all its latencies */
    double least, most;  /* the shortest and the longest of those; NAN */
    double scatter;      /* robust deviation of those relative to `join`, 0 of fewer than four */
};

struct tree {
    struct tree_node *nodes; /* 2 m - 1: first the m leaves */
    size_t count;
    size_t *order;
};

/* Over latencies less the rows' own parts, own[m]; with all parts 0 over latencies as they are. */
void tree_build(struct tree *, struct pool *, const struct cells *, const double *own);

/* --- cluster.c's list of candidates --- */

/* No two groups overlap unless one is within the other, so they are a forest. */
struct group {
    size_t *members; /* rows of the cells, ascending */
    size_t count;
    int parent; /* the smallest group that holds it; -1: none */
    enum cluster_basis basis;
};

struct groups {
    struct group *list;
    size_t count;
    int *smallest;  /* of each row, the smallest group that holds it; -1: none */
    size_t *marked; /* of each row, the last set that it was in */
    size_t marks;   /* number of sets that were marked */
    struct pool *pool;
};

/* An empty list in the pool. */
void groups_begin(struct groups *, struct pool *, size_t rows);
/* Whether the set, which is not empty, overlaps no group, unless one of the two holds the other. */
bool groups_fit(struct groups *, const size_t *members, size_t count);
/* Adds a copy of the set if it fits and is not everything. A group that is there already stays, and
 * becomes a kind if it is added as one. The time depends on the size of the set and of the tree
 * over it, not on the number of groups. */
void groups_add(struct groups *, const struct cells *, const size_t *members, size_t count,
                enum cluster_basis);
/* Leaves only those groups that `keep` has. */
void groups_keep(struct groups *, const struct cells *, const bool *keep);
/* Drops near groups that turn out to be none when compared with the others; own[m] is what each row
 * adds to all its latencies, and `far` the median of their far ones. */
void groups_drop_odd(struct groups *, const struct cells *, const double *own, double far,
                     struct pool *scratch);
/* Median of the measured latencies between the members; NAN where there are none. */
double group_within(const struct group *, const struct cells *, struct pool *scratch);

/* --- each adds the groups of its kind; the scratch is freed when it returns --- */

void groups_add_pairs(struct groups *, const struct cells *, struct pool *scratch);  /* pairs.c */
void groups_add_near(struct groups *, const struct cells *, struct pool *scratch);   /* near.c */
void groups_add_blocks(struct groups *, const struct cells *, struct pool *scratch); /* blocks.c */
void groups_add_alike(struct groups *, const struct cells *, struct pool *scratch);  /* alike.c */
void groups_add_kinds(struct groups *, const struct cells *, struct pool *scratch);  /* kind.c */
/* Of near.c: works on a tree of uncorrected latencies; mate[m] is the other row of a row's pair, or
 * the row itself (plain.c). */
void groups_add_plain(struct groups *, const struct cells *, const struct tree *,
                      const size_t *mate, struct pool *scratch);

#endif
