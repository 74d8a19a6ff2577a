/*
 * In which order a plan's points are visited: in rounds, each of which comes once to every group
 * that is still open, in a random order, but small working sets before large ones, so that none
 * waits for memory that it does not need. A visit group is points that are measured side by side,
 * or a point alone. The order is drawn step by step, so that a round over a million points that is
 * cut short costs no more than its visits.
 */
#ifndef FATHOM_MEASURE_ENGINE_SCHEDULE_H
#define FATHOM_MEASURE_ENGINE_SCHEDULE_H

#include "base/random.h"
#include "measure/engine/plan.h"

struct visit_group {
    size_t first, count; /* its points */
};

struct schedule {
    const struct plan *plan;
    struct random random;
    uint32_t *order;  /* groups: [0, kept) visited in this round and kept, [next, open) to come,
                         [open, end) rest until the next one */
    uint32_t *sorted; /* room to sort them */
    uint32_t *first;  /* the first point of each group; NULL without groups */
    uint8_t *tiers;   /* of each group: how large its memory is; NULL where all are in one */
    float *widths;    /* of each group that was kept */
    size_t open, next, kept, end;
    size_t tier_end; /* of the order: where the groups of this tier end */
    size_t largest;  /* points of the largest group */
};

/* ERROR_SYSTEM without memory; ERROR_USAGE when the groups don't cover the points. */
int schedule_create(struct schedule *, const struct plan *, uint64_t seed, struct error *);
void schedule_free(struct schedule *);

/* Begins a round of the groups that were kept, or never come to: false when none is left. With
 * `scarce`, because not all of them can be measured to the end, it comes to the wider half alone,
 * and to every group whose width is infinite. */
bool schedule_begin_round(struct schedule *, bool scarce);
/* The next group of the round; false at its end. It is not visited again unless it is kept. */
bool schedule_next(struct schedule *, struct visit_group *);
/* The group that schedule_next() gave last was not visited after all: it comes next, or in the next
 * round. */
void schedule_put_back(struct schedule *);
/* The group that schedule_next() gave last stays open, and its interval is so wide: INFINITY where
 * it has none yet. */
void schedule_keep(struct schedule *, double width);
/* The same of the one that it gave `back` before the last; of several the earliest is kept first.
 */
void schedule_keep_earlier(struct schedule *, size_t back, double width);
/* The largest memory that a group needs in the tier at work, which is that of the group that
 * schedule_next() gave last; of the whole plan where there is only one tier. */
size_t schedule_tier_bytes(const struct schedule *);
/* What a point that needs `bytes` of memory is given, so that it can lie in many places. */
size_t schedule_room(size_t bytes);
/* Whether any group is left that may be visited again. */
bool schedule_is_open(const struct schedule *);

/* While no group of this round was visited: the i-th of the `open` ones. */
struct visit_group schedule_group(const struct schedule *, size_t i);

#endif
