/*
 * Finds a document's matrices by what their findings mean: from the CPUs of nodes to the memory of
 * nodes, and from CPU to CPU.
 */
#pragma once

#include "base/pool.h"
#include "base/quantity.h"
#include "document/document.h"

/* The first matrix between nodes whose values have that dimension; NULL: none. */
const struct series *ways_between_nodes(const struct document *, enum dimension);
/* The first matrix of hand-offs between CPUs, in units of time; NULL: none. */
const struct series *ways_between_cpus(const struct document *);

/* The value of one cell. NAN: the point has no
 * value, or its memory was on another node. */
double way_value(const struct point *);

/*
 * Weights for interleaving pages over nodes of different bandwidth, so that each node gets the
 * share of the traffic that it can carry: weighted interleaving of Linux, whose weights are whole
 * numbers from 1 to 255 (Documentation/ABI/testing/sysfs-kernel-mm-mempolicy-weighted-interleave).
 */

enum { INTERLEAVE_WEIGHT_MAX = 255 };

/* The smallest weights whose ratios differ from those of the n rates (all above 0) by at most `off`
 * (0.05: 5 %); small, because a node's weight is the number of its pages in a row. If no weights
 * match so closely, the largest. */
void interleave_weights(const double *rates, size_t n, double off, unsigned *weights);

/* The rates at which one node's CPUs read from each node. */
struct interleave_row {
    int from;
    size_t count;
    const int *to;       /* [count] */
    const double *rates; /* [count], B/s */
    unsigned *weights;   /* [count] */
    unsigned *kernel;    /* [count], the kernel's weights; 0: unknown */
};
/* Whether all the kernel's weights are known. */
bool interleave_kernel_known(const struct interleave_row *);

struct interleave {
    struct interleave_row *rows;
    size_t row_count;
};

/* Reads the bandwidths from nodes' CPUs to nodes' memory. A row
 * is left out if a node in it has no value or its memory was on another node. The result is in the
 * pool. Out of memory leaves the pool's step. */
void interleave_read(struct interleave *, const struct document *, struct pool *);
