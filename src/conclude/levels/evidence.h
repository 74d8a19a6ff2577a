/*
 * Checks the levels of a fit against the points themselves, and finds levels that the fit missed.
 * Internal to levels_find().
 *
 *     refused a level on which no two sizes agree; its sizes become a gap added a flat between two
 *     levels, which the fit misread as part of a rise: the far half of a
 *                cache of two halves, a cache too near to the next
 *     translated a small step at a TLB's usual number of pages of 4 KiB, where pages are
 *                unknown: two levels become one, and the step is reported
 *     proven     memory: a flat of an octave and more, well past the last capacity
 */
#ifndef FATHOM_CONCLUDE_LEVELS_EVIDENCE_H
#define FATHOM_CONCLUDE_LEVELS_EVIDENCE_H

#include "conclude/levels/curve.h"
#include "conclude/levels/plateaus.h"

/* Whether most samples have intervals, so they were measured here and not read from a table. */
bool evidence_has_intervals(const struct curve *);
/* By how much the latencies of agreeing sizes may differ, as a logarithm: 5 %, or more if the
 * intervals are wider. */
double evidence_tolerance(const struct curve *);
/* Whether a step from one flat to the next may be due to translation, by their latencies (as
 * logarithms) and the size at which it comes. */
bool evidence_is_translation(double before, double after, double bytes);
/* Finds the longest flat that proves memory beyond a cache of that capacity, at about that latency
 * (a logarithm). False: none. */
bool evidence_of_memory(const struct curve *, double last_capacity, double latency, struct flat *);
/* Sets level k, new or not, from that flat's samples: its latency, interval and extent. */
void evidence_take_flat(struct curve *, const struct flat *, size_t k, struct level *);
/* Brackets the capacity of a level from bin `last` on: between the last size whose latency is still
 * near `ends` and the first that is nearer to `next` (NAN: no next level) or twice as slow. */
void evidence_bracket(const struct curve *, size_t last, double ends, double next, struct level *);
void evidence_add_gap(struct levels *, double from, double to);

/* Checks all levels of a fit. */
void evidence_weigh(struct curve *, enum level_pages, struct levels *);

#endif
