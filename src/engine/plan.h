/*
 * A plan: which points are to be measured, by which team, in what memory, how often. A probe
 * writes it; the sampler carries it out. Nothing here does anything.
 */
#ifndef FATHOM_ENGINE_PLAN_H
#define FATHOM_ENGINE_PLAN_H

#include "engine/arena.h"
#include "kernels/kernel.h"
#include "result/document.h"

#include <stdbool.h>
#include <stdint.h>

enum role {
    MEASURED,   /* does `repeats` a batch; all measured workers start a batch together */
    PARTNER,    /* answers the first measured worker: as many repeats, in one go */
    BACKGROUND, /* repeats until the measured workers are done */
};

struct seat {
    int cpu;
    enum role role; /* the first seat is always MEASURED */
};

/* One point of a series: what is varied, and who measures it. */
struct plan_point {
    size_t series;
    double x;     /* of a curve */
    int from, to; /* of a matrix */
    const struct seat *seats;
    size_t seat_count;
    size_t arena_bytes; /* memory that it needs */
    uint64_t detail;    /* the probe's own */
};

enum arena_life { ARENA_EVERY_ROUND, ARENA_WHOLE_RUN };

/* What the numbers are. */
enum quantity {
    TIME_PER_OPERATION, /* ns: (last end - first start) / operations of a batch */
    OPERATIONS_PER_SECOND,
};

struct plan {
    struct series *series; /* names, factors and axes; the sampler adds the points */
    size_t series_count;
    struct plan_point *points;
    size_t point_count;

    enum page_policy pages; /* of the arena, which is as large as any point needs; none if none */
    int node;               /* NUMA node to bind the arena to; -1: where the toucher runs */
    int touch_cpu;          /* touches the arena first */
    enum arena_life arena_life;

    enum quantity quantity;
    bool cycles;       /* report core cycles beside ns */
    bool kernel_timed; /* the kernels return the picoseconds they took (a GPU, a model): the engine
                          reads no clock and no core frequency */

    unsigned trials_min, trials_max; /* a point is not left before the first, nor goes on after the
                                        second */
    unsigned trials_per_visit;       /* trials in a row, which must not share memory */
    unsigned batches;                /* timed runs a trial */
    double batch_ns;                 /* length of a batch; used where repeats is 0 */
    uint64_t repeats;                /* of the kernel in a batch; 0: as many as fill batch_ns */
    uint64_t warm_repeats;           /* not timed, at the start of a partner's work */
    double precision;                /* relative half width at which a point is good enough */
    double unstable_above; /* robust deviation of the trials over their median that is no longer
                              normal for what is measured; INFINITY: any is */
    double span_s;   /* a point's fewest trials are spread over at least this time: neighbours and
                        clocks keep a mood for some tenths of a second */
    double budget_s; /* stop after this time; none is left where it is negative */
};

/* The state of one worker in a trial, on lines of its own. */
struct worker {
    kernel_function *run;
    void *state; /* usually `room` */
    _Alignas(128) unsigned char room[128];
};

/* One independent measurement of one point. */
struct trial {
    const struct plan *plan;
    const struct plan_point *point;
    const struct arena *arena;
    uint64_t seed;     /* fresh for every trial, reproducible from the run's */
    unsigned number;   /* 0, 1, ... of this point */
    double operations; /* the batch's, by all measured workers, for one repeat: prepare() sets it */
    struct worker *workers; /* one a seat: prepare() sets run and state */
    const void *probe_state;
};

/* What a probe does for the sampler. prepare() runs on the CPU of the first seat, and may be
 * recalled: it takes no lock and allocates nothing; everything it needs is in the arena. */
struct trial_work {
    void (*prepare)(struct trial *);
    const void *state;
};

#endif
