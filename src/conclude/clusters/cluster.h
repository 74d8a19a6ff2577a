/*
 * Finds groups of rows that belong together in a matrix of latencies, by the numbers alone.
 *
 * Groups are of three kinds, each with a test against the noise, or against chance:
 *
 * - NEAR: its members are nearer to one another than to all others: threads of a core, cores of a
 *   complex or of a socket. Average linkage (Sokal and Michener 1958) proposes groups, once on the
 *   latencies as they are and once without what each row adds to all its latencies: a slow core is
 *   far from every other, and must not be parted from its neighbours for that (neighbour joining
 *   corrects the same, Saitou and Nei 1987). A proposal becomes a group if the latencies at which
 *   its parts joined and those at which it would join the next group differ by more than the noise.
 *   With few or noisy rows a regular pattern is better evidence than any single gap: rows that form
 *   pairs, each by far its partner's nearest, and groups of one size whose latencies within are all
 *   shorter than those to other rows. No other group may part such a pair.
 * - ALIKE: its members have the same latencies to all other rows, and the rest has different ones,
 *   whether or not the members are near to one another: structural equivalence (Lorrain and White
 *   1971), by the distance between profiles (Burt 1976). This finds a module on a ring, where a
 *   line goes out and back, so that two cores of one module are no nearer than two cores of
 *   different modules.
 * - KIND: kinds of core: several groups of one make, whose members are equally far apart, or cores
 *   that are the farther from one another the slower they are. Members need not have the same
 *   partners, only partners of the same sort: role equivalence (White and Reitz 1983).
 *
 * Where more than half of the rows are near to one another and all others far from them, as cores
 * of another die are, both parts are looked at by their own latencies alone: so each kind of a
 * hybrid processor is recognised by itself, and far latencies, which scatter more, hide no group.
 *
 * Noise is proportional to the latency, as in timings. It is estimated from the matrix: half of the
 * columns select the two most similar rows, and the other half tell by how much they differ. The
 * rounding of whole numbers and the known intervals are lower bounds.
 */
#pragma once

#include "base/pool.h"
#include "conclude/clusters/basis.h"

#include <stddef.h>

struct cluster {
    const size_t *members; /* row numbers, ascending; at least two and never all */
    size_t count;
    int parent; /* index of the smallest cluster that holds it, lower than its own; -1: none */
    enum cluster_basis basis;
    double within; /* median latency between its members */
};

struct clusters {
    struct cluster *list; /* a cluster before those within it; siblings by their first member */
    size_t count;
};

/* Finds the groups of a matrix latency[n * n], in the pool. A pair's latency is the mean of its two
 * directions. A cell that was not measured is NAN (zero and less count as NAN); a whole row may be
 * NAN; the diagonal is ignored. `noise` is each cell's standard deviation in the same unit, NAN:
 * unknown; it may be NULL. Takes O(n^2) memory and at most O(n^3) time, a second for 1024 rows. */
void clusters_find(struct clusters *, struct pool *, const double *latency, const double *noise,
                   size_t n);
