/*
 * Finds a document's matrices by what their findings mean: from the CPUs of nodes to the memory of
 * nodes, and from CPU to CPU.
 */
#ifndef FATHOM_CONCLUDE_WAYS_H
#define FATHOM_CONCLUDE_WAYS_H

#include "base/quantity.h"
#include "document/document.h"

/* The first matrix between nodes whose values have that dimension; NULL: none. */
const struct series *ways_between_nodes(const struct document *, enum dimension);
/* The first matrix of hand-offs between CPUs, in units of time; NULL: none. */
const struct series *ways_between_cpus(const struct document *);

/* The value of one cell: the quiet one if it is known, else the found one. NAN: the point has no
 * value, or its memory was on another node. */
double way_value(const struct point *);

#endif
