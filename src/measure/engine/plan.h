/*
 * A plan: which points to measure, on which CPUs, in what memory, how often. A probe writes it; a
 * stage carries it out.
 */
#pragma once

#include "document/document.h"
#include "measure/engine/arena.h"
#include "measure/kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>

struct device;

enum role {
    MEASURED,   /* does `repeats` repeats a batch; all measured workers start a batch together */
    PARTNER,    /* answers the first measured worker: as many repeats, in one call */
    BACKGROUND, /* repeats until the measured workers are done; in windows its work is counted */
};

struct seat {
    int cpu;
    enum role role; /* the first seat is always MEASURED */
};

/* One point of a series: what is varied, and which CPUs measure it. A thousand CPUs make a million
 * points, so a point takes 40 bytes, and a pair needs no seats. */
struct plan_point {
    union {
        double x; /* of a curve */
        struct {
            int from, to; /* of a matrix */
        };
    };
    const struct seat *seats; /* NULL: a pair, `from` is MEASURED and `to` its PARTNER */
    size_t arena_bytes;       /* memory that it needs */
    union {                   /* what prepare() must know of the point: one of these */
        uint64_t bytes;       /* of a working set, or of each array */
        size_t index;         /* in a table of the probe's own */
        struct {
            unsigned what, region; /* the probe's enum, and which part of the arena */
        };
        const void *own; /* the probe's own struct */
    };
    unsigned series, seat_count;
};

/* A part of the arena that one CPU touches first, so that it lies near that CPU. All parts are
 * touched at the same time, so a CPU has one part at most. */
struct arena_part {
    size_t at, bytes; /* whole huge pages, so that no two CPUs share one; may reach beyond the
                         arena's end */
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

/* How long trials have the same memory: for one round, or for the whole stage. */
enum arena_life { ARENA_EVERY_ROUND, ARENA_WHOLE_STAGE };

/* Disturbances that do not spoil a batch or a visit, because they are part of what is measured. */
enum meant {
    MEANT_SWITCHES = 1, /* context switches and page faults, as where threads sleep */
    MEANT_STEAL = 2,    /* time that a hypervisor takes */
};

/* What the values of a plan's points are. */
enum yields { TIME_PER_OPERATION, OPERATIONS_PER_SECOND };

struct plan {
    struct series *series; /* names, factors and axes; the stage adds the points */
    size_t series_count;
    struct plan_point *points;
    size_t point_count;
    /* Indexes of points that get their first trial before any point of the run gets its second, in
     * this order, the smallest first. NULL: none. */
    const uint32_t *look;
    size_t look_count;
    /* Trials that each point of `look` gets before any other point gets its second trial, once
     * every point has its first; fewer than trials_min. 0: no more than others. Where memory stays,
     * each call of stage_look() adds that many, whenever other stages leave time: the trials are
     * spread over the run (plan_is_spread()), and interference that lasts a second disturbs only
     * some of them. */
    unsigned look_trials;

    enum page_policy pages; /* of the arena, which is as large as the largest point needs */
    int node;               /* NUMA node to bind the arena to; -1: that of the CPU that touches
                               it */
    int touch_cpu;          /* first touches the part of the arena that the next trials need */
    const struct arena_part *parts; /* NULL: touch_cpu touches all of it */
    size_t part_count;
    enum arena_life arena_life;

    struct device *device; /* measures the points: see device.h. NULL: CPUs do */
    const char *executor;  /* name of the executor to use; NULL: the first that can */

    enum yields yields;
    bool cycles;       /* report core cycles as well as ns */
    bool kernel_timed; /* the kernels return the picoseconds that they took, as kernels of tests
                          do: neither the clock nor the core's frequency is read */

    unsigned trials_min, trials_max; /* minimum and maximum trials per point */
    unsigned trials_per_visit;       /* trials in a row, which must not share memory */
    /* Most points of a visit, with one trial of each, one point after the other; 0: a visit has
     * one point. Such a sweep is for small working sets and thousands of trials, each of a batch
     * or two right after its prepare(): so short that interference misses some of them. A trial
     * that was interrupted, or had the clock move in its bracket, is dropped and comes again in
     * the next round. All points have one seat, on the same CPU. `repeats` is set to fill
     * `batch_ns`, and grows where the clock can't time so short a batch. */
    unsigned sweep;
    bool lowest;      /* the value is that of a sweep's lowest trials (undisturbed_envelope()): for
                         what fits a cache, not for how long a load takes */
    unsigned passes;  /* 2: trials_max / 2 different things (lines of memory) are measured twice
                         each: trials i and i + trials_max / 2 are of the same one. Its value is
                         their mean, and the point separates the scatter of lines from that of
                         times (struct scatter). trials_min is then trials_max. 0 or 1: each is
                         measured once */
    unsigned batches; /* of a trial */
    double batch_ns;  /* length of a batch; used where repeats is 0 */
    uint64_t repeats; /* of the kernel in a batch; 0: as many as fill batch_ns */
    /* Batches are windows of at least batch_ns that follow one another without a pause. All workers
     * begin before the first window and go on until after the last one, so in a window each of them
     * works beside all others, as fast as it can: a fast core is not timed by a slow one's end. A
     * window's rate is the sum of what each measured worker did in its own time. Without windows
     * all measured workers do the same work, from the first one's start to the last one's end. */
    bool windows;
    uint64_t warm_repeats; /* untimed repeats of a pair before each run of batches */
    double precision;      /* relative half width of the interval at which a point is done */
    double unstable_above; /* robust deviation of the trials over their median above which they are
                              unstable; INFINITY: never */
    double clock_spread;   /* share by which the trials' clocks may differ before the clock counts
                              as moved; 0: as for two bursts. Larger for devices, where a timer's
                              step may be a large part of a batch */
    unsigned meant;        /* set of enum meant: these cause neither a new attempt nor a flag */
    /* a trial of one batch is dropped if all its attempts were interrupted, because it then
     * measured another thing, as where other programs took its lines away */
    bool whole;
    double lasts_s;  /* the stage's most seconds, whatever its share; 0: no such limit */
    double span_s;   /* a point's first trials_min trials are spread over at least this time:
                        interference and clock changes last some 100 ms, and trials closer
                        together are not independent */
    bool patient;    /* a visit whose workers got no time to run ends no point, however many do: the
                        next round comes */
    double share;    /* share of the remaining time, 0 to 1, where more stages follow. The first
                        trials of the points may use half of the rest as well */
    double budget_s; /* seconds of this stage, which are that share; all stages pay for the first
                        touch of memory. Negative: no time is left */

    /* Points that share no core may be measured side by side: the first `groups[0]` of the points
     * are a group, the next `groups[1]` the second, and so on, to the last point. NULL: every
     * point is measured alone. All points have the same number of trials a visit. */
    const unsigned *groups;
    size_t group_count;

    /* The first point may be a reference, which shows how the machine drifts. It is then also
     * visited alone, between other visits, at the beginning and every `reference_every_s` seconds
     * (0: there is no reference). Each of these visits has the same trials, numbered 0, 1, ...
     * with the same seeds; they are passed to observe() and are not part of the point. With
     * `correct_drift` all trials of points are divided by the reference's latest value over its
     * first. */
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
    uint64_t seed;         /* fresh for every trial, reproducible from the run's */
    unsigned number;       /* 0, 1, ... of this point */
    double operations;     /* of all measured workers in one repeat: prepare() sets it */
    uint64_t warm_repeats; /* untimed repeats of every measured worker before its first batch: they
                              bring its data into its own caches. Set by prepare(), else 0 */
    uint64_t round; /* repeats that go round the working set once, whose parts may differ: a cache
                       keeps some of them. Set by prepare(); 0: all repeats are alike */
    /* Called for every measured worker, in windows for every worker, on its own CPU before its
     * first batch, at the same time as for the others: what takes long, or belongs near that CPU.
     * All measured ones have built before any settles. They may be recalled like prepare(), which
     * sets them, else NULL. */
    void (*build)(const struct trial *, unsigned seat);
    void (*settle)(const struct trial *, unsigned seat);
    /* Called by every measured worker with its state before each batch, untimed: restores what a
     * batch uses up, such as untouched pages. Its own switches and page faults do not count. Set
     * by prepare(), else NULL. With it, page faults are counted during batches: `faults` are
     * expected in each repeat of each measured worker, and a batch with more or fewer was
     * interrupted. */
    kernel_function *restore;
    /* A batch ends as the worker passes a turn on, and the warm repeats before it do: so it begins
     * and ends at the same moment of a round trip, and the clock is read while the turn is away.
     * Set by prepare(), else false. */
    bool passes_on;
    uint64_t faults;
    struct worker *workers; /* one per seat; prepare() sets run and state */
    const void *probe_state;
};

/* The result of one batch. */
struct batch {
    double ns;         /* a batch's time, for all its operations. A window's: in which all measured
                          workers would do one repeat each at the sum of their rates */
    double core_hz;    /* by the two bursts around it; NAN where cycles make no sense */
    double core_width; /* of the bursts around it the greater width (burst.h); 0: not known */
    uint64_t faults;   /* page faults of all measured workers, where the trial has a restore() */
    bool interrupted;  /* of a window: a worker was */
    double worked_ns;  /* working time, by which a batch's repeats are chosen; 0: as `ns`. Threads:
                          the longest time of one thread, less than `ns` where it began late because
                          other programs had its CPU. Devices: device_time.worked_ns */
};

/* What one worker did in a window, in its own time. */
struct seat_share {
    uint64_t repeats;
    double ns;
};

/* A kept trial, as a probe's observe() receives it. */
struct observation {
    const struct trial *trial;
    const struct batch *batches;
    unsigned batch_count;
    const struct seat_share *shares; /* of windows: [batch_count][seats]; else NULL */
    uint64_t repeats;                /* a batch's time is for repeats * trial->operations */
    double at_s;    /* when the visit ended, since the stage's beginning, in the executor's time */
    bool reference; /* from a visit to the reference (reference_every_s) */
};

/* Whether the next round has the same memory. */
static inline bool plan_keeps_memory(const struct plan *plan)
{
    return plan->arena_life != ARENA_EVERY_ROUND;
}

/* Whether its trials are spread over the run, by looks. */
static inline bool plan_is_spread(const struct plan *plan)
{
    return plan_keeps_memory(plan) && plan->look_trials > 0;
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
