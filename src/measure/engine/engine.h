/*
 * All that a measurement needs, passed down as one value. run/ fills it.
 */
#pragma once

#include "machine/clock.h"
#include "machine/machine.h"
#include "measure/engine/placement.h"
#include "measure/engine/plan.h"
#include "measure/engine/team.h"
#include "measure/engine/timing_model.h"

struct progress {
    /* Called at once, and then between two visits: the share done (0 to 1) and the seconds left,
     * both estimated. */
    void (*show)(void *argument, double done, double left_s);
    void *argument;
    double every_s; /* at most so often */
};

/* Looks of other stages. `look` is called between two visits of a stage and between two stages, at
 * least `every_ns` apart; NULL: nothing else is to be looked at. Errors as stage_look(). */
struct looks {
    int (*look)(void *argument, struct error *);
    void *argument;
    uint64_t every_ns, ended_ns, took_ns; /* when the last one ended, how long all of them took */
};

struct engine {
    const struct machine *machine;
    const struct clock *clock;
    struct team *team;
    uint64_t seed;
    struct progress progress;         /* show may be NULL */
    const struct timing_model *model; /* NULL: the machine itself is measured */
    struct attic attic;               /* of the arenas of all stages */
    struct placement *placement;      /* NULL: nothing moves the CPUs */
    struct looks looks;
};

/* Lets other stages look if that is due. 0, or the errors of look(). */
int engine_look_if_due(struct engine *, struct error *);

/* The results of a stage, or those of several stages of one probe, added up. */
struct stage_outcome {
    struct summary core_hz;         /* by the bursts around batches; n = 0: there were none */
    double elapsed_s;               /* in the executor's time, which may be a model's */
    size_t points_missing;          /* no time for a trial, so not in the series */
    size_t points_failed;           /* in the series with a reason and without a value */
    const char *failure;            /* the reason of one of them */
    const char *not_woken;          /* why the device did not come up to speed and nothing was
                                       measured; NULL: it did */
    unsigned reference_visits;      /* visits to it that were not spoiled */
    double drift_least, drift_most; /* extremes of the reference's value over its first */
    size_t arena_bytes;             /* size of the last arena; 0: none was needed */
    struct os_placement placement;  /* of that arena, as verified */
    unsigned placements;            /* arenas that had other pages than the one before */
    enum page_policy pages_used;
    double arena_s;      /* to map and touch that arena */
    double visits_s;     /* all visits to points, with their trials' prepare() */
    double stolen_s;     /* that a hypervisor took from the measuring CPUs during visits */
    unsigned cpu_states; /* those of its trials, as bits: 1 << placement_of() */
};

/* A stage: a plan that is being carried out. It can pause while other stages have their turn. */
struct stage;

/* Prepares to carry out the plan and measures nothing. The plan is copied; its points and the
 * arrays that it refers to must stay. Points are added to the plan's series, from `pool`.
 * ERROR_SYSTEM without memory, ERROR_USAGE where the plan can't be carried out; there is then
 * nothing to close. */
int stage_open(struct stage **, struct engine *, const struct plan *, const struct trial_work *,
               struct pool *, struct error *);
/* Whether stage_look() may be called again and again (look_trials in plan.h). */
bool stage_looks_often(const struct stage *);
/* Measures one trial of each point in the plan's `look` or, where stage_looks_often(), look_trials
 * more of each. Takes at most `budget_s` seconds. Then frees the arena, unless it lives for the
 * whole stage. Errors as stage_advance(). */
int stage_look(struct stage *, double budget_s, struct error *);
/* Whether each point in the plan's `look` has a trial or is done. */
bool stage_was_looked_at(const struct stage *);
/* Completes the first look. Then visits every open point once a round, in random order with small
 * sets before large ones, until each point is as precise as asked or has its maximum of trials, or
 * `budget_s` seconds are used. `budget_s` is this stage's `share` of the time of all stages to
 * come; the first touch of memory is taken from all of them. ERROR_INTERRUPTED when asked to stop:
 * what was measured so far stays. Other errors: of team_run() and arena_map(). */
int stage_advance(struct stage *, double budget_s, double share, struct error *);
/* Whether more time would give any point more trials. */
bool stage_is_open(const struct stage *);
/* Adds to the plan's series, in the plan's order, the points with at least one trial, and those
 * that failed (a CPU is gone or gives no time) with the reason, n = 0 and all else NAN. Fills the
 * outcome so far. */
void stage_sum_up(struct stage *, struct stage_outcome *);
/* Call it before a stage that was summed up goes on. The plan's series may have been sorted
 * meanwhile, and other series added after them. ERROR_SYSTEM without memory. */
int stage_reopen(struct stage *, const struct plan *, struct error *);
/* Frees the stage; NULL: does nothing. `lost`, after ERROR_SYSTEM: a worker that did not come back
 * may still write to its visit, so only the point table is freed. */
void stage_close(struct stage *, bool lost);

/* Opens, advances, sums up and closes a stage, with the plan's budget and share. */
int stage_run(struct engine *, const struct plan *, const struct trial_work *, struct pool *pool,
              struct stage_outcome *, struct error *);
