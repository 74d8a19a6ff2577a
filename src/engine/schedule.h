/*
 * In which order a plan's points are visited: in rounds, each of which comes to every unit that is
 * still open once, in a random order. A unit is a group of points that are measured side by side,
 * or a point alone. The order is drawn step by step, so that a round over a million points that is
 * cut short costs no more than its visits.
 */
#ifndef FATHOM_ENGINE_SCHEDULE_H
#define FATHOM_ENGINE_SCHEDULE_H

#include "base/random.h"
#include "engine/plan.h"

struct unit {
    size_t first, count; /* its points */
};

struct schedule {
    const struct plan *plan;
    struct random random;
    uint32_t *order; /* units: [0, kept) visited in this round and kept, [next, open) to come */
    uint32_t *first; /* the first point of each group; NULL without groups */
    size_t open, next, kept;
    size_t largest; /* points of the largest unit */
};

/* ERROR_SYSTEM without memory; ERROR_USAGE when the groups don't cover the points. */
int schedule_create(struct schedule *, const struct plan *, uint64_t seed, struct error *);
void schedule_free(struct schedule *);

/* Begins a round: false when no unit is left. */
bool schedule_begin_round(struct schedule *);
/* The next unit of the round; false at its end. It is not visited again unless it is kept. */
bool schedule_next(struct schedule *, struct unit *);
/* The unit that schedule_next() gave last stays open. */
void schedule_keep(struct schedule *);

/* While no unit of this round was visited: the i-th of the `open` units. */
struct unit schedule_unit(const struct schedule *, size_t i);

#endif
