/*
 * The visits of a stage: those of a group's open points, side by side, and those of the reference.
 */
#ifndef FATHOM_MEASURE_ENGINE_VISITS_H
#define FATHOM_MEASURE_ENGINE_VISITS_H

#include "measure/engine/stage.h"

/* Visits the group's open points side by side and settles what came of it. Returns 1 when one of
 * them is still open, and how wide the widest one's interval is (INFINITY: it has none yet); 0, or
 * the errors of visit_run(). */
int visit_points(struct stage *, struct visit_group, double *width, struct error *);
/* Visits `count` different points, as many as the plan sweeps at most, one after the other in one
 * visit. Fills widths[count]: how wide each one's interval is (INFINITY: it has none yet);
 * negative: it is done. 0, or the errors of visit_run(). */
int visit_sweep(struct stage *, const size_t *points, unsigned count, double *widths,
                struct error *);
/* Visits the reference, where there is one and it is due. */
int visit_reference(struct stage *, struct error *);

#endif
