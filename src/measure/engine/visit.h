/*
 * A visit: an executor's stay at one point of the plan, for one or more trials in a row.
 *
 * Where the executor can measure the core's clock, batches are measured in brackets. A bracket is
 * one or more batches between two bursts (burst.h), which show the clock at that moment. It is
 * measured again as a whole when something spoiled it: a context switch, a stop, a migration or a
 * page fault on any of the threads, or two bursts that differ. A long batch is a bracket by itself;
 * batches too short to be worth two bursts of 20 us each share a bracket. Without bursts every
 * batch is a bracket. In a sweep some trials share a bracket, and spoiled trials are dropped and
 * not measured again. Windows follow one another between two bursts, and only those are measured
 * again in which something interrupted a thread.
 */
#pragma once

#include "measure/engine/executor.h"

enum visit_end {
    VISIT_DONE,
    VISIT_STARVED,   /* a worker did not come to the meeting point in time */
    VISIT_RECALLED,  /* recalled before its first batches, because another visit was overdue or the
                        time was used up */
    VISIT_DISPLACED, /* a worker ran on another CPU: its own was taken away while it was pinned
                        there */
    VISIT_UNSEATED,  /* no worker can run on one of its CPUs, which is gone, for now or for good */
    VISIT_FAILED,    /* it can't be done at all */
};

struct visit {
    /* in */
    struct executor *executor;
    const struct plan *plan;
    struct trial *trials; /* plan_visit_trials() of them or fewer, of one point or of a sweep */
    unsigned trial_count; /* fewer afterwards where the deadline came first */
    const struct trial_work *work;
    uint64_t repeats;     /* of a batch; 0: the visit finds the number and leaves it here for the
                             next one */
    uint64_t deadline_ns; /* by executor_now_ns(): no trial or bracket begins after it */
    uint64_t give_up_ns;  /* by os_raw_ns(): the visit is recalled then, whatever it does */
    uint32_t interval;    /* between two looks where the host keeps the CPUs (placement.h) */
    unsigned turn;        /* of its stage */

    /* out */
    struct batch *batches; /* [trial_count * plan->batches], of which the first batch_count are
                              valid; fewer than all where the deadline came first. In a sweep the
                              `ns` of a trial that was dropped are NAN */
    unsigned batch_count;
    struct seat_share *shares; /* of windows: [trial_count * plan->batches][seats of the point] */
    enum visit_end end;
    struct error failure; /* of VISIT_DISPLACED, _UNSEATED and _FAILED: the reason */
    uint64_t stolen_ns;   /* that a hypervisor reports to have taken from its CPUs meanwhile */
    double core_alone;    /* the width of a burst on the core alone, as far as it is known now */
    unsigned redone;      /* batches measured again */
    unsigned interrupted; /* batches kept although the last attempt was interrupted, too */
    unsigned clock_moved; /* batches kept although the last attempt's bursts differed, too */

    void *own; /* the executor's own state */
};

/* Allocates what a visit of up to `seats` seats needs; visit_release() frees it. */
int visit_reserve(struct visit *, size_t seats, struct error *);
void visit_release(struct visit *);

/* What the workers did in the visit's window `batch`, one for each seat. */
struct seat_share *visit_shares(const struct visit *, unsigned batch);

/* Carries out the visits, which share no CPU, side by side. 0 (each visit's `end` says how it
 * went), or the errors of executor_kind.run(). */
int visit_run(struct visit *const *visits, size_t count, struct error *);

/* --- for executors --- */

/* The time of a window in which the point's workers did that. */
double visit_window_ns(const struct plan_point *, const struct seat_share *);

/* Carries out the visit, from its first trial's preparation to its last batch, on the calling
 * thread, which may be recalled. 0, or the error of executor_kind.measure(). */
int visit_lead(struct visit *);
