/*
 * An executor carries out the visits of a plan: threads on CPUs, a device that works by itself, or
 * a model of the time that hardware would take. Rounds, visits and records use this interface
 * alone. A plan's executor is chosen once, when its stage begins.
 *
 * A new executor is one file in executors/, which ends with its `struct executor_kind`; the build
 * makes the table of executors from these files.
 */
#pragma once

#include "measure/engine/plan.h"

struct engine;
struct stage_outcome;
struct visit;

/* An executor that serves one stage. */
struct executor {
    const struct executor_kind *kind;
    const struct engine *engine;
    const struct plan *plan;
    double shortest_batch_ns; /* shortest batch that its clock times well; 0: any */
    unsigned flags;           /* of every point that it measures */
    void *own;                /* the kind's own state */
};

/* Consecutive batches of one trial. */
struct batch_run {
    unsigned trial, batches;
    uint64_t repeats; /* in each batch */
    bool first;       /* the trial's first run: its build() and its warm_repeats come before */
    double window_ns; /* length of a window; 0: the batches are no windows */
};

struct executor_kind {
    const char *name;
    int place; /* order: the lowest that serves a plan carries it out, unless the plan names one */
    /* Whether it can carry out this plan on this engine. */
    bool (*serves)(const struct engine *, const struct plan *);
    /* Fills `own`, by malloc(), `flags` and `shortest_batch_ns`. ERROR_SYSTEM without memory. */
    int (*open)(struct executor *, struct error *);
    /* Frees what `own` holds. NULL: nothing. */
    void (*close)(struct executor *);
    /* Brings a device's clock up to speed before the first visit. 0; ERROR_INTERRUPTED or
     * ERROR_SYSTEM; any other error where nothing can be measured. NULL: not needed. */
    int (*wake)(struct executor *, struct error *);

    /* The time by which budgets and spans are counted. */
    uint64_t (*now_ns)(const struct executor *);
    /* Waits until now_ns() reaches `until_ns`. 0, or ERROR_INTERRUPTED. */
    int (*pause)(struct executor *, uint64_t until_ns, struct error *);
    /* Maps a round's memory as the plan asks, and does not touch it. Errors of arena_map(). NULL:
     * the points need no arena. */
    int (*map)(struct executor *, struct arena *, size_t bytes, struct error *);
    /* Touches the arena from byte `from` to its end. 1; 0 where it was given up at `give_up_ns` of
     * os_raw_ns(); errors of team_run(). */
    int (*touch)(struct executor *, struct arena *, size_t from, uint64_t give_up_ns,
                 struct error *);

    /* Allocates visit->own for up to `seats` seats. ERROR_SYSTEM without memory. NULL, like
     * release(): visit->own is not used. */
    int (*reserve)(struct visit *, size_t seats, struct error *);
    void (*release)(struct visit *);
    /* Carries out the visits, which share no CPU, side by side if it can: calls visit_lead() for
     * each, on a thread that it chooses. Sets each visit's `end`, `failure` and `stolen_ns`. 0,
     * ERROR_INTERRUPTED or ERROR_SYSTEM. */
    int (*run)(struct executor *, struct visit *const *, size_t count, struct error *);
    /* Tells in the outcome which memory the stage had; NULL: the arena was verified. */
    void (*placed)(const struct executor *, struct stage_outcome *);

    /* Called by visit_lead(). A recall may leave them anywhere, so they allocate nothing and take
     * no lock. */

    /* Makes a trial ready, by its work's prepare(). */
    void (*prepare)(struct visit *, struct trial *);
    /* The core's clock at this moment, by a burst (burst.h); NAN where the plan's
     * kernels make it meaningless. NULL: no CPU measures, and measure() reports the clock. */
    double (*burst_hz)(struct visit *);
    /* The width of a burst at that clock (burst.h), which sets the visit's `core_alone`; 0: not
     * known. NULL: another hardware thread of the core is never seen. */
    double (*core_width)(struct visit *, double hz);
    /* Measures a run of batches: fills the `ns` of each (without burst_hz() its `core_hz` as
     * well), and of windows also `interrupted` and shares[batch][seat]. 0; 1 where something
     * interrupted a run of other batches; negative where the visit can't go on. */
    int (*measure)(struct visit *, const struct batch_run *, struct batch *,
                   struct seat_share *shares);
};

extern const struct executor_kind *const executors[]; /* by place; ends with NULL */

/* Chooses and opens the plan's executor. ERROR_USAGE where the one that the plan names can't carry
 * it out; ERROR_SYSTEM without memory. After an error there is nothing to close. */
int executor_open(struct executor *, const struct engine *, const struct plan *, struct error *);
/* Does nothing for an executor that was never opened. */
void executor_close(struct executor *);

static inline uint64_t executor_now_ns(const struct executor *executor)
{
    return executor->kind->now_ns(executor);
}
