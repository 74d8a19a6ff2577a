/*
 * In which order a plan's points are visited: in rounds, each of which comes once to every group
 * that is still open, in a random order. A visit group is points that are measured side by side, or
 * a point alone. The order is drawn step by step, so that a round over a million points that is cut
 * short costs no more than its visits.
 */
#ifndef FATHOM_ENGINE_SCHEDULE_H
#define FATHOM_ENGINE_SCHEDULE_H

#include "base/random.h"
#include "engine/plan.h"

struct visit_group {
    size_t first, count; /* its points */
};

struct schedule {
    const struct plan *plan;
    struct random random;
    uint32_t *order; /* groups: [0, kept) visited in this round and kept, [next, open) to come */
    uint32_t *first; /* the first point of each group; NULL without groups */
    size_t open, next, kept;
    size_t largest; /* points of the largest group */
};

/* ERROR_SYSTEM without memory; ERROR_USAGE when the groups don't cover the points. */
int schedule_create(struct schedule *, const struct plan *, uint64_t seed, struct error *);
void schedule_free(struct schedule *);

/* Begins a round: false when no group is left. */
bool schedule_begin_round(struct schedule *);
/* The next group of the round; false at its end. It is not visited again unless it is kept. */
bool schedule_next(struct schedule *, struct visit_group *);
/* The group that schedule_next() gave last stays open. */
void schedule_keep(struct schedule *);

/* While no group of this round was visited: the i-th of the `open` ones. */
struct visit_group schedule_group(const struct schedule *, size_t i);

#endif
