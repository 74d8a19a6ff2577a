/*
 * A visit: an executor's stay at one point of the plan, for one or more trials in a row.
 *
 * Where the executor can measure the core's clock, batches are measured in brackets. A bracket
 * stands between two bursts (burst.h), which give the clock of that moment, and is
 * measured again, whole, when anything spoiled it: a context switch, a stop, a migration or a page
 * fault on any of the threads, or two bursts that differ. Long batches make brackets of one;
 * batches too short to be worth two bursts of 20 us each share them. Without bursts every batch is
 * a bracket. In a sweep some trials share a bracket, and what was spoiled is dropped and not
 * measured again.
 */
#ifndef FATHOM_MEASURE_ENGINE_VISIT_H
#define FATHOM_MEASURE_ENGINE_VISIT_H

#include "measure/engine/executor.h"

enum visit_end {
    VISIT_DONE,
    VISIT_STARVED,   /* a worker did not come to the meeting point in time */
    VISIT_RECALLED,  /* recalled before its first batches, for another visit's sake or because all
                        time was used up */
    VISIT_DISPLACED, /* a worker runs elsewhere: its CPU was taken away while it was pinned there */
    VISIT_UNSEATED,  /* there is no worker to be had on one of its CPUs: it is gone, or for now */
    VISIT_FAILED,    /* it can't be done at all */
};

struct visit {
    /* in */
    struct executor *executor;
    const struct plan *plan;
    struct trial *trials; /* plan_visit_trials() of them or fewer, of one point or of a sweep */
    unsigned trial_count; /* fewer afterwards where the deadline came first */
    const struct trial_work *work;
    uint64_t repeats;     /* a batch; 0: find out, and leave the answer here for the next visit */
    uint64_t deadline_ns; /* of executor_now_ns(): no trial or bracket begins after it */
    uint64_t give_up_ns;  /* of os_raw_ns(): the visit is recalled then, whatever it does */

    /* out */
    struct batch *batches; /* [trial_count * plan->batches], of which the first batch_count hold;
                              fewer than all where the deadline came first. In a sweep the `ns` of
                              a trial that was dropped are NAN */
    unsigned batch_count;
    struct background *background; /* [trial_count][seats of the point], during those batches */
    enum visit_end end;
    struct error failure; /* of VISIT_DISPLACED, _UNSEATED and _FAILED: the reason */
    uint64_t stolen_ns;   /* that a hypervisor says it took from its CPUs meanwhile */
    unsigned redone;      /* batches measured again */
    unsigned interrupted; /* batches kept although something interrupted them to the last */
    unsigned clock_moved; /* batches kept although their two bursts differed to the last */

    struct background *in_bracket; /* as `background`, of the bracket that is being measured */
    size_t background_seats;
    void *own; /* the executor's */
};

/* Reserves what a visit of up to `seats` seats needs; visit_release() gives it back. */
int visit_reserve(struct visit *, size_t seats, struct error *);
void visit_release(struct visit *);

/* Carries out the visits, which share no CPU, side by side. 0 (each visit's `end` says how it
 * went), or the errors of executor_kind.run(). */
int visit_run(struct visit *const *visits, size_t count, struct error *);

/* --- for executors --- */

/* The visit from its first trial's preparation to its last batch, on the calling thread, which may
 * be recalled. 0, or what executor_kind.measure() returned. */
int visit_lead(struct visit *);

#endif
