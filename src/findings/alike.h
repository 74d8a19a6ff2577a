/* Series of two documents that measured the same, so that their points are pairs. */
#ifndef FATHOM_FINDINGS_ALIKE_H
#define FATHOM_FINDINGS_ALIKE_H

#include "result/document.h"

/* By name, shape and factors; not by units. */
bool series_alike(const struct series *, const struct series *);
/* The probe's series that measured the same; NULL: none. Two documents list their series in much
 * the same order, so the search begins at *from, where the last one was found, and updates it. */
const struct series *series_alike_find(const struct probe_result *, const struct series *as,
                                       size_t *from);

/* The series' points in the order of their places, in the pool; NULL without memory. */
const struct point **series_by_place(struct pool *, const struct series *);
/* Orders two elements of such a list by their places. */
int point_order(const void *, const void *);

#endif
