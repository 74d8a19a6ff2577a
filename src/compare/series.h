/* Series of two documents that measured the same, so that their points are pairs. */
#pragma once

#include "document/document.h"

/* The probe's series that measured the same as `as`; NULL: none. Two documents list their series in
 * about the same order, so the search begins at *from, where the last one was found, and updates
 * it. */
const struct series *series_alike_find(const struct probe_result *, const struct series *as,
                                       size_t *from);

/* The series' points sorted by their coordinates, in the pool. */
const struct point **series_by_place(struct pool *, const struct series *);
/* Orders two elements of such a list by their coordinates. */
int point_order(const void *, const void *);
