/*
 * What carries out the visits of a plan: the threads of CPUs, a device that works by itself, or a
 * model of the time that hardware would take. Rounds, visits and records know this interface and
 * nothing else; which executor serves a plan is chosen once, when its stage begins.
 *
 * A new executor is one file in executors/, which ends with its `struct executor_kind`; the table
 * of all is made from the files when the program is built.
 */
#ifndef FATHOM_MEASURE_ENGINE_EXECUTOR_H
#define FATHOM_MEASURE_ENGINE_EXECUTOR_H

#include "measure/engine/plan.h"

struct engine;
struct visit;

/* An executor that serves one stage. */
struct executor {
    const struct executor_kind *kind;
    const struct engine *engine;
    const struct plan *plan;
    double shortest_batch_ns; /* that its clock can time well; 0: it can time any */
    unsigned flags;           /* that every point it measures bears */
    void *own;                /* the kind's */
};

/* Some batches of one trial in a row. */
struct batch_run {
    unsigned trial, batches;
    uint64_t repeats; /* in each batch */
    bool first;       /* of its trial: what has to be warm is warmed */
};

struct executor_kind {
    const char *name;
    int place; /* ascending: the first that serves a plan carries it out, unless another is named */
    /* Whether it carries out such a plan on such an engine. */
    bool (*serves)(const struct engine *, const struct plan *);
    /* Fills what the executor has of its own. ERROR_SYSTEM without memory. */
    int (*open)(struct executor *, struct error *);
    void (*close)(struct executor *);
    /* Brings what measures up to speed, before the first visit. 0; ERROR_INTERRUPTED or
     * ERROR_SYSTEM; any other error where it can measure nothing. NULL: it needs no such thing. */
    int (*wake)(struct executor *, struct error *);

    /* The time that budgets and spans are measured in. */
    uint64_t (*now_ns)(const struct executor *);
    /* Waits until now_ns() is so late. 0, or ERROR_INTERRUPTED. */
    int (*pause)(struct executor *, uint64_t until_ns, struct error *);
    /* Maps the memory of a round as the plan asks, and touches nothing of it. Errors of
     * arena_map(). NULL: the points need no memory of the engine's. */
    int (*map)(struct executor *, struct arena *, size_t bytes, struct error *);
    /* Touches the arena from byte `from` on to its end. 1; 0 where that took until os_raw_ns() was
     * `give_up_ns`; errors of team_run(). */
    int (*touch)(struct executor *, struct arena *, size_t from, uint64_t give_up_ns,
                 struct error *);

    /* Reserves what it keeps of a visit of up to `seats` seats, in visit->own. ERROR_SYSTEM without
     * memory. NULL, like release(): nothing. */
    int (*reserve)(struct visit *, size_t seats, struct error *);
    void (*release)(struct visit *);
    /* Carries out the visits, which share no CPU, side by side if it can: each by visit_lead(), on
     * the thread of its choice. Sets each visit's `end`, `failure` and `stolen_ns`. 0,
     * ERROR_INTERRUPTED or ERROR_SYSTEM. */
    int (*run)(struct executor *, struct visit *const *, size_t count, struct error *);

    /* What visit_lead() asks for. May be recalled anywhere: they allocate nothing and take no lock.
     */

    /* Makes a trial ready, by its work's prepare(). */
    void (*prepare)(struct visit *, struct trial *);
    /* The core's clock at this moment, by a burst (burst.h); NAN where the plan's
     * kernels make it meaningless. NULL: no CPU measures, and measure() reports the clock. */
    double (*burst_hz)(struct visit *);
    /* Measures a run of batches: fills the `ns` of each (without burst_hz() its `core_hz` as well),
     * and adds to did[seat] what background workers did meanwhile; `did` is NULL where nobody asks.
     * 0; 1 where something interrupted it; negative where the visit can't go on. */
    int (*measure)(struct visit *, const struct batch_run *, struct batch *,
                   struct background *did);
};

extern const struct executor_kind *const executors[]; /* by place; ends with NULL */

/* Chooses what carries out the plan. ERROR_USAGE where the one that it names can't; ERROR_SYSTEM
 * without memory. Nothing is then left to close. */
int executor_open(struct executor *, const struct engine *, const struct plan *, struct error *);
/* Of one that was never opened: does nothing. */
void executor_close(struct executor *);

static inline uint64_t executor_now_ns(const struct executor *executor)
{
    return executor->kind->now_ns(executor);
}

#endif
