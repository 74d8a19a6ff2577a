/*
 * A plan: which points are to be measured, by which team, in what memory, how often. A probe
 * writes it; a stage carries it out. Nothing here does anything.
 */
#ifndef FATHOM_MEASURE_ENGINE_PLAN_H
#define FATHOM_MEASURE_ENGINE_PLAN_H

#include "document/document.h"
#include "measure/engine/arena.h"
#include "measure/kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>

struct device;

enum role {
    MEASURED,   /* does `repeats` a batch; all measured workers start a batch together */
    PARTNER,    /* answers the first measured worker: as many repeats, in one go */
    BACKGROUND, /* repeats until the measured workers are done */
};

struct seat {
    int cpu;
    enum role role; /* the first seat is always MEASURED */
};

/* One point of a series: what is varied, and which CPUs measure it. A thousand CPUs make a million
 * points: 40 bytes each, and pairs need no seats. */
struct plan_point {
    union {
        double x; /* of a curve */
        struct {
            int from, to; /* of a matrix */
        };
    };
    const struct seat *seats; /* NULL: a pair, `from` is MEASURED and `to` its PARTNER */
    size_t arena_bytes;       /* memory that it needs */
    union {                   /* what the probe's prepare() does at the point: one of these */
        uint64_t bytes;       /* of a working set, or of each array */
        size_t index;         /* in a table of the probe's own */
        struct {
            unsigned what, region; /* the probe's enum, and which part of the arena */
        };
        const void *own; /* the probe's own struct */
    };
    unsigned series, seat_count;
};

/* What one CPU touches first, so that it lies near that CPU. All parts are touched at the same
 * time, each by a CPU of its own, which is why a CPU has one at most. */
struct arena_part {
    size_t at, bytes; /* whole huge pages, or two CPUs share one; beyond the arena's end: nothing */
    int cpu;
};

static inline struct seat plan_seat(const struct plan_point *point, size_t i)
{
    if (point->seats)
        return point->seats[i];
    return i == 0 ? (struct seat){point->from, MEASURED} : (struct seat){point->to, PARTNER};
}

static inline bool plan_has_partner(const struct plan_point *point)
{
    return point->seat_count > 1 && plan_seat(point, 1).role == PARTNER;
}

/* How long trials have the same memory: a round; until another stage comes, which may then have it;
 * or to the end of the stage. */
enum arena_life { ARENA_EVERY_ROUND, ARENA_EVERY_TURN, ARENA_WHOLE_STAGE };

/* Disturbances that do not spoil a batch or a visit, because they are part of what is measured. */
enum meant {
    MEANT_SWITCHES = 1, /* context switches and page faults, as where threads sleep */
    MEANT_STEAL = 2,    /* time that a hypervisor takes */
};

/* What the values of a plan's points are. */
enum yields {
    TIME_PER_OPERATION, /* ns: (last end - first start) / operations of a batch */
    OPERATIONS_PER_SECOND,
};

struct plan {
    struct series *series; /* names, factors and axes; the stage adds the points */
    size_t series_count;
    struct plan_point *points;
    size_t point_count;
    /* Points, by their place in `points`, that get their first trial before anything that was asked
     * for gets its second, in this order: the smallest first. NULL: none. */
    const uint32_t *look;
    size_t look_count;
    /* So many trials of these before any other point gets its second, where one of each was in
     * time: fewer than trials_min. 0 or 1: theirs are as all others'. Where memory stays for a
     * turn, so many come with every look, of which there are as many as others leave time for: a
     * neighbour that stays for a second then meets a part of them only. */
    unsigned look_trials;

    enum page_policy pages; /* of the arena, which is as large as any point needs; none if none */
    int node;               /* NUMA node to bind the arena to; -1: where the toucher runs */
    int touch_cpu;          /* touches the arena first, as far as the next trials need it */
    const struct arena_part *parts; /* NULL: touch_cpu touches all of it */
    size_t part_count;
    enum arena_life arena_life;

    struct device *device; /* measures the points: see device.h. NULL: CPUs do */
    const char *executor;  /* that carries it out, by name; NULL: the first that can */

    enum yields yields;
    bool cycles;       /* report core cycles as well as ns */
    bool kernel_timed; /* the kernels return the picoseconds that they took, as those of tests do:
                          neither the clock nor the core's frequency is read */

    unsigned trials_min, trials_max; /* minimum and maximum trials per point */
    unsigned trials_per_visit;       /* trials in a row, which must not share memory */
    /* How many points a visit goes over at most, one trial of each, one point after the other; 0:
     * visits are of one point. Such a sweep is for small sets and thousands of trials, each as
     * short as a batch or two right after its prepare(): a neighbour leaves some of them alone. A
     * trial that was interrupted, or whose bracket saw the clock move, is dropped, and comes again
     * with the next round. All points have one seat, on the same CPU; `repeats` is set, and is for
     * batches of `batch_ns` at least: where the clock can't time so short a one, it grows. */
    unsigned sweep;
    bool lowest; /* the lowest trials of a sweep are the quiet value (quiet_of_visits()): where it
                    is asked what finds room, and not how long that takes */
    unsigned passes;  /* 2: what is measured is trials_max / 2 different things (lines of memory),
                         each twice: trial i and trial i + trials_max / 2 are the same one at two
                         times. Its value is their mean, and the point separates lines from times
                         (struct scatter). trials_min is then trials_max. 0 or 1: every trial is
                         something else */
    unsigned batches; /* of a trial */
    double batch_ns;  /* length of a batch; used where repeats is 0 */
    uint64_t repeats; /* of the kernel in a batch; 0: as many as fill batch_ns */
    uint64_t warm_repeats; /* not timed, at the start of a partner's work */
    double precision;      /* relative half width at which a point is good enough */
    double unstable_above; /* robust deviation of the trials over their median that is no longer
                              normal for what is measured; INFINITY: any is */
    double clock_spread;   /* trials whose clocks differ by more than that share of it saw it move;
                              0: what two bursts may differ by. More is for devices whose timer's
                              step is no small part of a batch */
    unsigned meant;  /* set of enum meant: nothing is measured again, or flagged, because of it */
    double lasts_s;  /* the stage ends by then, whatever its share; 0: its share alone counts */
    double span_s;   /* a point's fewest trials are spread over at least this time: interference
                        and clock changes last some 100 ms, so trials closer together are not
                        independent */
    double share;    /* share of the remaining time, where more stages follow; 1: all of it. A first
                        trial of every point may use half of the rest as well */
    double budget_s; /* this stage's, which is that share; what the first touch of memory takes is
                        divided among the stages. None is left where it is negative */

    /* Points that share no core may be measured side by side: the first `groups[0]` of the points
     * are a group, the next `groups[1]` the second, and so on, to the last point. NULL: every point
     * is measured alone. All groups' points have as many trials a visit. */
    const unsigned *groups;
    size_t group_count;

    /* The first point may be one that shows how the machine drifts: it is visited alone, beside the
     * rounds, at the beginning and then whenever `reference_every_s` seconds have passed (0: there
     * is none). Such a visit is always of the same trials, numbers 0, 1, ... of one visit with the
     * same seeds; they are passed to observe() and make no point. With `correct_drift` every other
     * trial is divided by what the reference last was over what it was at first. */
    double reference_every_s;
    bool correct_drift;
};

/* Trials of a visit, at most. */
static inline unsigned plan_visit_trials(const struct plan *plan)
{
    return plan->sweep ? plan->sweep : plan->trials_per_visit;
}

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
    uint64_t warm_repeats; /* done by every measured worker before its first batch, not timed:
                              brings its data into its own caches. 0, or what prepare() sets */
    /* Done with the worker's state by every measured worker before each batch, and not timed: it
     * brings back what a batch uses up, such as untouched pages. What it takes of switches and page
     * faults counts for nothing. NULL, or what prepare() sets; then the batch's page faults are
     * counted, and `faults` of them are meant in each repeat of each measured worker: a batch that
     * took others was interrupted. */
    kernel_function *restore;
    uint64_t faults;
    struct worker *workers; /* one a seat: prepare() sets run and state */
    const void *probe_state;
};

/* What one batch gave. */
struct batch {
    double ns;        /* a batch's time, for all its operations */
    double core_hz;   /* mean of the two bursts; NAN where cycles make no sense */
    uint64_t faults;  /* page faults of all measured workers, where the trial has a restore() */
    double worked_ns; /* how long it was at work, by which a batch's repeats are chosen. Of threads:
                         the slowest one's own time, less than `ns` where it began late because
                         others had its CPU. Of a device: device_time.worked_ns. 0: as `ns` */
};

/* What a background worker did while a trial's batches were measured: only during those that were
 * kept. The time is its own, from its first repeat's start to its last one's end, summed over all
 * runs of batches. */
struct background {
    uint64_t repeats;
    double ns;
};

/* A trial that was kept, as it is passed to a probe that has an observe(). */
struct observation {
    const struct trial *trial;
    const struct batch *batches;
    unsigned batch_count;
    const struct background *background; /* one a seat; of the other roles' seats empty */
    uint64_t repeats;                    /* a batch's time is for repeats * trial->operations */
    double at_s;    /* when the visit ended, since the stage's beginning, in the executor's time */
    bool reference; /* of a visit to the reference, beside the rounds: its trials have the numbers
                       0, 1, ... of one visit and the same seeds every time */
};

/* Whether a round's memory is there for the next one as well. */
static inline bool plan_keeps_memory(const struct plan *plan)
{
    return plan->arena_life != ARENA_EVERY_ROUND;
}

/* What a probe does for the engine. prepare() runs on the CPU of the first seat, and may be
 * recalled: it takes no lock and allocates nothing; everything it needs is in the arena. */
struct trial_work {
    void (*prepare)(struct trial *);
    /* Called by the coordinator for every trial that was kept; may allocate. May be NULL. */
    void (*observe)(void *observer, const struct observation *);
    void *observer;
    const void *state;
};

#endif
