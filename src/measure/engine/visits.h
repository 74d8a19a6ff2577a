/*
 * The visits of a stage: to a group's open points side by side, to the points of a sweep, and to
 * the reference.
 */
#pragma once

#include "measure/engine/stage.h"

/* Visits the group's open points side by side and records the results. Returns 1 while one of them
 * is open, with the width of the widest interval (INFINITY: a point has none yet); 0 when all are
 * done; or the errors of visit_run(). */
int visit_points(struct stage *, struct visit_group, double *width, struct error *);
/* Visits `count` different points, plan->sweep at most, one after the other in one visit. Fills
 * widths[count] with the widths of their intervals (INFINITY: none yet; negative: the point is
 * done). 0, or the errors of visit_run(). */
int visit_sweep(struct stage *, const size_t *points, unsigned count, double *widths,
                struct error *);
/* Visits the reference, where there is one and it is due. */
int visit_reference(struct stage *, struct error *);
