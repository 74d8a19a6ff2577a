/*
 * A visit: a team's stay at one point of the plan, for one or more trials in a row. This is where
 * the clock is read. All of it runs on the team's pinned threads.
 *
 * Batches are measured in groups. A group stands between two bursts of dependent additions, which
 * give the core clock of that moment, and is measured again, whole, when anything spoiled it: an
 * context switch, a stop, a migration or a page fault on any of the team's threads, or two
 * bursts that differ. Long batches make groups of one; batches too short to be worth two bursts of
 * 20 us each share them.
 */
#ifndef FATHOM_ENGINE_VISIT_H
#define FATHOM_ENGINE_VISIT_H

#include "engine/plan.h"
#include "engine/team.h"
#include "engine/timing_model.h"
#include "machine/clock.h"

#include <stdatomic.h>

enum visit_end {
    VISIT_DONE,
    VISIT_STARVED,   /* a worker did not come to the meeting point in time */
    VISIT_RECALLED,  /* recalled before its first batches, for another visit's sake or because all
                        time was used up */
    VISIT_DISPLACED, /* a worker runs elsewhere: its CPU was taken away while it was pinned there */
    VISIT_FAILED,    /* there is no worker to be had on one of its CPUs */
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
    const struct timing_model *model; /* NULL: the hardware itself */
    struct trial *trials;             /* plan->trials_per_visit of them or fewer, of one point */
    unsigned trial_count;             /* fewer afterwards where the deadline came first */
    const struct trial_work *work;
    uint64_t repeats;     /* a batch; 0: find out, and leave the answer here for the next visit */
    uint64_t deadline_ns; /* of visit_now_ns(): no new trial or group of batches begins after it */
    uint64_t give_up_ns;  /* of os_raw_ns(): the visit is recalled then, whatever it does */
    uint64_t modelled_ps; /* with a stand-in: its time so far, which goes on from visit to visit */

    /* out */
    struct batch *batches; /* [trial_count * plan->batches], of which the first batch_count hold;
                              fewer than all where the deadline came first */
    unsigned batch_count;
    struct background *background; /* [trial_count][seats of the point], during those batches */
    enum visit_end end;
    struct error failure; /* of VISIT_DISPLACED and VISIT_FAILED: the reason */
    unsigned redone;      /* batches measured again */
    unsigned interrupted; /* batches kept although something interrupted them to the last */
    unsigned clock_moved; /* batches kept although their two bursts differed to the last */

    /* between the workers; see leg.h */
    struct visit_shared *shared;
};

/* Reserves what a visit of up to `seats` seats needs; visit_release() gives it back. */
int visit_reserve(struct visit *, size_t seats, struct error *);
void visit_release(struct visit *);

/* The time that deadlines and spans are told by: os_raw_ns(), or what the stand-in has modelled. */
uint64_t visit_now_ns(const struct visit *);

/* Runs the visits side by side: they share no CPU, and are of one plan. On the team, or on the
 * stand-in in the calling thread. 0 (each visit's `end` tells), ERROR_INTERRUPTED or ERROR_SYSTEM
 * as team_run(). */
int visit_run(struct visit *const *visits, size_t count, struct team *, struct error *);

#endif
