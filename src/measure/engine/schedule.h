/*
 * The order in which a plan's points are visited. Each round visits every open group once, in
 * random order, but small working sets before large ones, so that none waits for memory that it
 * does not need. A visit group is one point, or several that are measured side by side. The order
 * is drawn step by step, so that a round over a million points that is cut short costs no more than
 * its visits.
 */
#pragma once

#include "base/pool.h"
#include "base/random.h"
#include "measure/engine/plan.h"

struct visit_group {
    size_t first, count; /* its points */
};

struct schedule {
    const struct plan *plan;
    struct random random;
    struct pool pool; /* of what follows */
    uint32_t *order;  /* numbers of groups: [0, kept) were visited in this round and stay open,
                         [next, open) are still to visit, [open, end) wait for the next round */
    uint32_t *sorted; /* a buffer to sort them in */
    uint32_t *first;  /* the first point of each of the plan's groups */
    uint8_t *tiers;   /* size class of each group's memory; NULL: all groups have the same */
    float *widths;    /* of each group's interval; INFINITY: it has none yet */
    float *ranked;    /* a buffer to sort them in */
    size_t open, next, kept, end;
    size_t tier_end; /* where the current tier ends in `order` */
    size_t largest;  /* points of the largest group */
};

/* ERROR_SYSTEM without memory; ERROR_USAGE when the groups don't cover the points. */
int schedule_create(struct schedule *, const struct plan *, uint64_t seed, struct error *);
void schedule_free(struct schedule *);

/* Begins a round of the groups that were kept or not reached; false when none is left. With
 * `scarce`, where the time is too short for all, it has only the groups with intervals wider than
 * the median one or with no interval yet; all groups where none is wider. */
bool schedule_begin_round(struct schedule *, bool scarce);
/* The next group of the round; false at its end. It is not visited again unless it is kept. */
bool schedule_next(struct schedule *, struct visit_group *);
/* The group that schedule_next() gave last was not visited after all: it comes next, or in the next
 * round. */
void schedule_put_back(struct schedule *);
/* The group that schedule_next() gave last stays open, and its interval has that width; INFINITY:
 * it has none yet. */
void schedule_keep(struct schedule *, double width);
/* The same for the group that it gave `back` calls before the last. Of several, keep the earliest
 * first. */
void schedule_keep_earlier(struct schedule *, size_t back, double width);
/* The most memory that groups may need in the tier of the group that schedule_next() gave last;
 * SIZE_MAX where there is only one tier. */
size_t schedule_tier_bytes(const struct schedule *);
/* The memory, in bytes, that a point of `bytes` is given: rounded up to whole smallest tiers, so
 * that a small set can lie in many places. */
size_t schedule_room(size_t bytes);
/* Whether any group is left that may be visited again. */
bool schedule_is_open(const struct schedule *);

/* The i-th of the round's `open` groups. Only before the round's first visit. */
struct visit_group schedule_group(const struct schedule *, size_t i);
