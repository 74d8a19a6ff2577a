/*
 * Evidence: what of the levels that a fit makes of a curve the points themselves bear out, and what
 * they show beside it. Internal to levels_find().
 *
 *     refused    a level on which no two sizes agree; its sizes become a gap
 *     added      a flat between two levels that the fit made a part of a rise: the far half of a
 *                cache of two halves, a cache too near to the next
 *     translated a small step at so many pages of 4 KiB, where pages are unknown: two levels become
 *                one, and the step is told
 *     proven     memory: a flat of an octave and more, well past the last capacity
 */
#ifndef FATHOM_STATS_LEVELS_EVIDENCE_H
#define FATHOM_STATS_LEVELS_EVIDENCE_H

#include "stats/levels/curve.h"
#include "stats/levels/flats.h"

/* Whether most samples tell how well they are known: they were measured, and are no table's. */
bool evidence_has_intervals(const struct curve *);
/* How far apart sizes may be that agree, as a logarithm: 5 %, or more where intervals say so. */
double evidence_tolerance(const struct curve *);
/* Whether a step from one flat to the next may be translation's: the latencies, as logarithms, and
 * the size that it comes at. */
bool evidence_is_translation(double before, double after, double bytes);
/* The longest flat that proves memory behind a cache of that capacity, of about that latency (a
 * logarithm). False: none. */
bool evidence_of_memory(const struct curve *, double last_capacity, double latency, struct flat *);
/* Makes level k, new or known, one of that flat's samples: its latency, interval and extent.
 * `halves` has room for one number a sample. */
void evidence_take_flat(struct curve *, const struct flat *, size_t k, struct level *,
                        double *halves);
/* Brackets the capacity of a level by the sizes that still are near `ends`, from bin `last` on, and
 * those that are nearer to `next` (latencies; NAN: nothing follows) or twice as slow. */
void evidence_bracket(const struct curve *, size_t last, double ends, double next, struct level *);
void evidence_add_gap(struct levels *, double from, double to);

/* Weighs the levels of a fit. */
void evidence_weigh(struct curve *, enum level_pages, struct levels *, double *halves);

#endif
