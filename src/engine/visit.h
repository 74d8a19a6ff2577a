/*
 * A visit: a team's stay at one point of the plan, for one or more trials in a row. This is where
 * the clock is read. All of it runs on the team's pinned threads.
 *
 * Batches are measured in groups. A group stands between two bursts of dependent additions, which
 * give the core clock of that moment, and is measured again, whole, when anything spoiled it: an
 * involuntary context switch, a migration or a page fault on any of the team's threads, or two
 * bursts that differ. Long batches make groups of one; batches too short to be worth two bursts of
 * 20 us each share them.
 */
#ifndef FATHOM_ENGINE_VISIT_H
#define FATHOM_ENGINE_VISIT_H

#include "engine/plan.h"
#include "engine/team.h"
#include "machine/clock.h"

#include <stdatomic.h>

enum visit_end {
    VISIT_DONE,
    VISIT_STARVED, /* a worker did not come to the meeting point in time */
};

/* What one batch gave. */
struct batch {
    double ns;      /* a batch's time, for all its operations */
    double core_hz; /* mean of the two bursts; NAN where cycles make no sense */
};

struct visit {
    /* in */
    const struct plan *plan;
    const struct clock *clock;
    struct trial *trials; /* plan->trials_per_visit of them or fewer */
    unsigned trial_count;
    const struct trial_work *work;
    uint64_t repeats;     /* a batch; 0: find out, and leave the answer here for the next visit */
    uint64_t deadline_ns; /* of os_raw_ns(): no new group of batches begins after it */

    /* out */
    struct batch *batches; /* [trial_count * plan->batches], of which the first batch_count hold;
                              fewer than all where the deadline came first */
    unsigned batch_count;
    enum visit_end end;
    unsigned redone;      /* batches measured again */
    unsigned interrupted; /* batches kept although something interrupted them to the last */
    unsigned clock_moved; /* batches kept although their two bursts differed to the last */

    /* between the workers; see visit.c */
    struct visit_shared *shared;
};

/* Reserves what a visit of up to `seats` seats needs; visit_release() gives it back. */
int visit_reserve(struct visit *, size_t seats, struct error *);
void visit_release(struct visit *);

/* Runs the visit on the team. 0 (see `end`), or the errors of team_run(). */
int visit_run(struct visit *, struct team *, struct error *);

#endif
