/*
 * Groups in a matrix of latencies: which rows belong together, by the numbers alone.
 *
 * Groups are of three kinds, each with a test against the noise, or against chance:
 *
 * - NEAR: its members are nearer to one another than to all others: threads of a core, cores of a
 *   complex or of a socket. Average linkage (Sokal and Michener 1958) proposes groups, once on the
 *   latencies as they are and once without what each row adds by itself (a slow core is far from
 *   everything, which is no reason to part it from its neighbours; the same correction as in
 *   neighbour joining, Saitou and Nei 1987). A proposal is a group when the latencies at which it
 *   joined and those at which it would have joined the next group differ by more than the noise.
 *   Of a few rows, or noisy ones, a regularity says more than any single gap: rows that one after
 *   the other have one as their nearest by far, and groups of a size of which every latency within
 *   is shorter than every one to outside. No other group parts such a pair.
 * - ALIKE: its members see all others alike and the rest sees the others differently, whether or
 *   not they are near to one another: structural equivalence (Lorrain and White 1971), by the
 *   distance between profiles (Burt 1976). This is how a module on a ring shows, where the way out
 *   and back makes two cores of one module no nearer than two cores of two.
 * - KIND: groups of a make, whose members lie equally far apart, or cores that are the farther from
 *   one another the slower they are: kinds of core. Not the same partners but partners of the same
 *   sort: role equivalence (White and Reitz 1983).
 *
 * Noise is taken relative to the latency, as it is in timings. It is estimated from the matrix: of
 * two rows that see the others most alike, half of the columns tell which they are and the other
 * half how much they differ; the rounding of whole numbers and the intervals that are known are
 * lower bounds.
 */
#ifndef FATHOM_CONCLUDE_CLUSTERS_CLUSTER_H
#define FATHOM_CONCLUDE_CLUSTERS_CLUSTER_H

#include "base/pool.h"
#include "conclude/clusters/basis.h"

#include <stddef.h>

struct cluster {
    const size_t *members; /* row numbers, ascending; at least two and never all */
    size_t count;
    int parent; /* index of the smallest cluster that holds it, which is below its own; -1: none */
    enum cluster_basis basis;
    double within; /* median latency between its members */
};

struct clusters {
    struct cluster
        *list; /* in the order of a tree walked from its root, siblings by their first member */
    size_t count;
};

/* Finds the groups of a matrix latency[n * n] in the pool. Both directions of a pair count as one,
 * their mean; a cell that was not measured is NAN (zero and less count as NAN too), and so may be a
 * whole row; the diagonal is ignored. `noise` has each cell's standard deviation in the same unit
 * where it is known, else NAN; it may be NULL. Takes O(n^2) memory and at most O(n^3) time, a
 * second for 1024 rows. */
void clusters_find(struct clusters *, struct pool *, const double *latency, const double *noise,
                   size_t n);

#endif
