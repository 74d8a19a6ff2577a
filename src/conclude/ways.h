/*
 * The matrices that documents hold, found by what their findings mean: from nodes' CPUs to nodes'
 * memory, and from CPU to CPU.
 */
#ifndef FATHOM_CONCLUDE_WAYS_H
#define FATHOM_CONCLUDE_WAYS_H

#include "base/quantity.h"
#include "document/document.h"

/* The first matrix between nodes whose values are of that dimension; NULL where there is none. */
const struct series *ways_between_nodes(const struct document *, enum dimension);
/* The first matrix of hand-offs between CPUs, in units of time; NULL where there is none. */
const struct series *ways_between_cpus(const struct document *);

/* What the way is like without neighbours, where that is known; NAN where it has no value, or the
 * memory lay elsewhere. */
double way_value(const struct point *);

#endif
