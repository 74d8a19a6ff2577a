/*
 * The state of a stage: a plan that is being carried out, its budget and the memory of its rounds.
 * For rounds.c and visits.c, which share it.
 */
#ifndef FATHOM_MEASURE_ENGINE_STAGE_H
#define FATHOM_MEASURE_ENGINE_STAGE_H

#include "base/random.h"
#include "measure/engine/engine.h"
#include "measure/engine/executor.h"
#include "measure/engine/point_table.h"
#include "measure/engine/schedule.h"
#include "measure/engine/visit.h"
#include "stats/summary.h"

/* How long it still takes: at first by its plan alone, then more and more by what its visits took,
 * with everything between them. */
struct forecast {
    const struct plan *plan;
    double trials_left; /* that are expected: a point that goes on after its fewest trials is
                           expected to need its most */
    double trials_done;
    double trial_s; /* as the plan has it */
    double busy_s;  /* since the beginning, without pauses */
    double budget_s;
};

struct forecast forecast_of(const struct plan *);
/* A point had `before` trials, and has `now`. */
void forecast_add(struct forecast *, unsigned before, unsigned now);
/* A point that has that number of trials is done. */
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
    struct plan *plan; /* `own`: a probe's next stage has another */
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
    struct arena arena;  /* usable as far as it was touched */
    double unshared_s;   /* that had passed when it had its turn, and what touching took that no
                            round touched before */
    size_t touched_most; /* how far the memory of any round was touched */
    double byte_s;       /* that the last touch took for a byte; 0: there was none */
    int mapped_node;     /* that the memory was bound to */
    bool woken;          /* what measures was woken, or could not be */
    unsigned round;
    unsigned looks;                  /* so far, where it looks often */
    double budget_s, whole_s, share; /* when to stop: see stage_share() */
    struct visit *visits;
    struct visit **together; /* those of the visits that run now */
    size_t visit_count, seats_max;
    struct trial *trials;   /* [visit_count][plan_visit_trials()] */
    struct worker *workers; /* [visit_count][plan_visit_trials()][seats_max] */
    uint64_t began_ns;      /* of the time that stage_elapsed_s() counts */
    uint64_t active_ns;     /* that it had when it was left */
    double paused_s, show_at_s, shown_share;
    struct record reference;
    struct drift at_first, drift;
    double reference_due_s;
};

/* Reserves all that the plan takes; what is there after an error is for stage_free() as well.
 * ERROR_SYSTEM without memory. */
int stage_reserve(struct stage *, struct error *);
void stage_free(struct stage *);

/* Its time goes on, and stands still again: another stage has its turn, and its memory goes. */
void stage_enter(struct stage *);
void stage_leave(struct stage *);

/* In the executor's time, while the stage had its turn. */
double stage_elapsed_s(const struct stage *);
bool stage_out_of_time(const struct stage *);
/* Until when the stage may go on: it has `share` of what is left beside the touching of memory. A
 * hypervisor may take seconds to find memory, whichever stage asks first, so stages share what that
 * left. */
void stage_share(struct stage *, double whole_s, double share);

/* Fresh memory, and nothing of it touched: `bytes` of it, none for 0; or as much as any point needs
 * that a round comes to. Errors of arena_map(). */
int stage_map(struct stage *, size_t bytes, struct error *);
int stage_fresh_arena(struct stage *, struct error *);
/* Touches `bytes` of it, or all of it where it has less, and verifies that. 1; 0 when the time is
 * too short for it; errors of team_run(). */
int stage_touch(struct stage *, size_t bytes, struct error *);

#endif
