/*
 * Compares the curves of spread and packed chases point by point. Internal to tlb.c; what probes
 * use as well is in tlb.h.
 */
#ifndef FATHOM_CONCLUDE_TRANSLATION_TLB_CURVES_H
#define FATHOM_CONCLUDE_TRANSLATION_TLB_CURVES_H

#include "document/document.h"

/* Whether point i has core cycles beside its time. */
bool tlb_in_cycles(const struct series *, size_t i);
/* What point i costs more than as many packed lines: the difference of two independent medians,
 * whose half widths are added (the worst case). NAN beyond the curves. */
struct estimate tlb_cost_at(const struct series *spread, const struct series *packed, size_t i);
/* Index of the point nearest to x by ratio. */
size_t tlb_nearest(const struct series *, double x);
/* Number of pages at which the cost first reaches `cost`, interpolated between two points; NAN:
 * never. */
double tlb_pages_at(const struct series *spread, const struct series *packed, double cost);

#endif
