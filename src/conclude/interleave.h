/*
 * Weights by which pages are interleaved over nodes of different bandwidth, so that each node is
 * asked for as much of the traffic as it can carry: weighted interleaving of Linux, whose weights
 * are whole numbers from 1 to 255 (Documentation/ABI/testing/sysfs-kernel-mm-mempolicy-weighted-
 * interleave).
 */
#ifndef FATHOM_CONCLUDE_INTERLEAVE_H
#define FATHOM_CONCLUDE_INTERLEAVE_H

#include "base/pool.h"
#include "document/document.h"

enum { INTERLEAVE_WEIGHT_MAX = 255 };

/* The smallest weights whose ratios differ from those of the n rates, all above 0, by no more than
 * `off` (0.05: a twentieth), because so many pages of a node come in a row. Where even the largest
 * can't match the rates so closely, the largest. */
void interleave_weights(const double *rates, size_t n, double off, unsigned *weights);

/* Of one node's CPUs: the rates at which they read from each node. */
struct interleave_row {
    int from;
    size_t count;
    const int *to;       /* [count] */
    const double *rates; /* [count], B/s */
    unsigned *weights;   /* [count] */
    unsigned *kernel;    /* [count], those that the kernel has; 0 unknown */
};
/* Whether those of the kernel are all known. */
bool interleave_kernel_known(const struct interleave_row *);

struct interleave {
    struct interleave_row *rows;
    size_t row_count;
    const char *why_not; /* where there are none */
};

/* Reads the bandwidths from nodes' CPUs to nodes' memory: quiet ones, where they are known. A row
 * that has a node without a value, or with memory that lay elsewhere, is left out. What is filled
 * lies in the pool, whose step it leaves where memory runs out. */
void interleave_read(struct interleave *, const struct document *, struct pool *);

#endif
