/*
 * The state of a stage: a plan that is being carried out, its budget and the memory of its rounds.
 * For rounds.c and visits.c, which share it.
 */
#pragma once

#include "base/random.h"
#include "measure/engine/engine.h"
#include "measure/engine/executor.h"
#include "measure/engine/point_table.h"
#include "measure/engine/schedule.h"
#include "measure/engine/visit.h"
#include "stats/order.h"

/* An estimate of the time that a stage still takes: at first from its plan alone, then more and
 * more from the time of its visits and all that lies between them. */
struct forecast {
    const struct plan *plan;
    double trials_left; /* still expected: a point that goes on after trials_min is expected to
                           need trials_max */
    double trials_done;
    double trial_s; /* estimated from the plan */
    double busy_s;  /* since the beginning, without pauses */
    double budget_s;
};

struct forecast forecast_of(const struct plan *);
/* A point that had `before` trials now has `now`. */
void forecast_add(struct forecast *, unsigned before, unsigned now);
/* A point that has `trials` trials is done. */
void forecast_leave(struct forecast *, unsigned trials);
/* Seconds that are left when `elapsed_s` have passed, never more than the budget leaves. */
double forecast_left_s(const struct forecast *, double elapsed_s);
/* Whether the budget leaves too little for all the trials that are expected. */
bool forecast_is_short(const struct forecast *, double elapsed_s);

/* A uniform sample of a stream of readings, however long it becomes: Vitter's algorithm R ("Random
 * sampling with a reservoir", ACM TOMS 11, 1985). */
enum { RESERVOIR_READINGS = 4096 };

struct reservoir { /* begins as zeros */
    struct random random;
    size_t seen;
    double readings[RESERVOIR_READINGS];
};

void reservoir_add(struct reservoir *, double reading);
/* Summarises the sample, sorting it in place. */
struct summary reservoir_summary(struct reservoir *);

struct stage {
    struct engine *engine;
    struct executor executor;
    struct plan *plan; /* always &own, a copy of the probe's plan */
    struct plan own;
    struct trial_work work;
    struct stage_outcome outcome;
    struct pool *pool;
    uint64_t seed;
    struct random random;
    struct schedule schedule;
    struct point_table table;
    struct forecast forecast;
    struct reservoir core_hz;
    struct arena arena;  /* its usable bytes are those touched */
    double unshared_s;   /* not shared among stages: the time before its turn, and the time to
                            touch memory that no round touched before */
    size_t touched_most; /* bytes touched in any round so far, at most */
    double byte_s;       /* of the last touch, per byte; 0: none yet */
    int mapped_node;     /* node that the memory is bound to; -1: none */
    bool woken;          /* executor_kind.wake() was called, with or without success */
    unsigned round;
    unsigned looks;                  /* calls of stage_look() so far, where it looks often */
    double budget_s, whole_s, share; /* when to stop: see stage_share() */
    struct visit *visits;
    struct visit **together; /* the visits that run now */
    size_t visit_count, seats_max;
    struct trial *trials;   /* [visit_count][plan_visit_trials()] */
    struct worker *workers; /* [visit_count][plan_visit_trials()][seats_max] */
    uint64_t began_ns;      /* executor's time when stage_elapsed_s() was 0 */
    uint64_t active_ns;     /* stage_elapsed_s() at the end of its last turn */
    double paused_s, show_at_s, shown_share;
    struct record reference;
    struct drift at_first, drift;
    double reference_due_s;
};

/* Allocates all that the plan needs. Call stage_free() after an error, too. ERROR_SYSTEM without
 * memory, ERROR_USAGE where the plan can't be carried out. */
int stage_reserve(struct stage *, struct error *);
void stage_free(struct stage *);

/* Start the stage's time, and stop it while other stages have their turn. stage_leave() also frees
 * the arena, unless it lives for the whole stage. */
void stage_enter(struct stage *);
void stage_pause(struct stage *);
void stage_leave(struct stage *);

/* In the executor's time, during the stage's turns alone. */
double stage_elapsed_s(const struct stage *);
bool stage_out_of_time(const struct stage *);
/* Sets the budget: unshared_s, and `share` of the rest of `whole_s`. A hypervisor may take seconds
 * to find memory for the stage that asks first, so stages share only what that leaves. */
void stage_share(struct stage *, double whole_s, double share);

/* Map fresh memory and do not touch it: `bytes` (0: none), or, unless the memory stays, as much as
 * any point of the round needs. Errors of arena_map(). */
int stage_map(struct stage *, size_t bytes, struct error *);
int stage_fresh_arena(struct stage *, struct error *);
/* Touches the first `bytes` of it, or all where it has fewer, and verifies their placement. 1; 0
 * when the time is too short; errors of team_run(). */
int stage_touch(struct stage *, size_t bytes, struct error *);
