/*
 * The state of a stage: a plan that is being carried out, its budget and the memory of its rounds.
 * For rounds.c and visits.c, which share it.
 */
#ifndef FATHOM_ENGINE_STAGE_H
#define FATHOM_ENGINE_STAGE_H

#include "engine/engine.h"
#include "engine/executor.h"
#include "engine/forecast.h"
#include "engine/point_table.h"
#include "engine/reservoir.h"
#include "engine/schedule.h"
#include "engine/visit.h"

struct stage {
    struct engine *engine;
    struct executor executor;
    struct plan *plan;
    const struct trial_work *work;
    struct stage_outcome *outcome;
    struct pool *pool;
    struct random random;
    struct schedule schedule;
    struct point_table table;
    struct forecast forecast;
    struct reservoir core_hz;
    struct arena arena;
    double budget_s; /* when to stop: see stage_take_share() */
    struct visit *visits;
    struct visit **together; /* those of the visits that run now */
    size_t visit_count, seats_max;
    struct trial *trials;   /* [visit_count][trials_per_visit] */
    struct worker *workers; /* [visit_count][trials_per_visit][seats_max] */
    uint64_t began_ns;      /* of the time that stage_elapsed_s() counts */
    double paused_s, show_at_s, shown;
    struct record reference;
    struct drift at_first, drift;
    double reference_due_s;
};

/* Reserves all that the plan takes; what is there after an error is for stage_free() as well.
 * ERROR_SYSTEM without memory. */
int stage_reserve(struct stage *, struct error *);
void stage_free(struct stage *);

/* In the executor's time. */
double stage_elapsed_s(const struct stage *);
bool stage_out_of_time(const struct stage *);
/* The first memory is there. A hypervisor may take seconds to find it, whichever stage asks first:
 * so stages share what it left. */
void stage_take_share(struct stage *);

/* The memory of a round: fresh, touched and verified. 1; 0 when the time is too short for it;
 * errors of team_run() and arena_map(). */
int stage_fresh_arena(struct stage *, struct error *);

#endif
