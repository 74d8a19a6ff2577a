/*
 * The state of a plan that is being carried out, and the parts that do it: the memory of a round,
 * and the visits of a unit. For sampler.c, which makes a run of them.
 */
#ifndef FATHOM_ENGINE_SAMPLING_H
#define FATHOM_ENGINE_SAMPLING_H

#include "engine/engine.h"
#include "engine/forecast.h"
#include "engine/ledger.h"
#include "engine/reservoir.h"
#include "engine/schedule.h"
#include "engine/visit.h"

struct sampling {
    struct engine *engine;
    struct plan *plan;
    const struct trial_work *work;
    struct stage_outcome *outcome;
    struct pool *pool;
    struct random random;
    struct schedule schedule;
    struct ledger ledger;
    struct forecast forecast;
    struct reservoir core_hz;
    struct arena arena;
    double budget_s; /* when to stop: see sampling_take_share() */
    struct visit *visits;
    struct visit **together; /* those of the visits that run now */
    size_t visit_count, seats_max;
    struct trial *trials;                         /* [visit_count][trials_per_visit] */
    struct worker *workers;                       /* [visit_count][trials_per_visit][seats_max] */
    uint64_t *stolen_before_ns, *stolen_after_ns; /* by CPU id; NULL where nobody can steal */
    size_t cpu_ids;
    uint64_t began_ns; /* of the time that sampling_elapsed_s() counts */
    double paused_s, show_at_s, shown;
    struct record reference;
    struct drift at_first, drift;
    double reference_due_s;
};

/* Reserves all that the plan takes; what is there after an error is for sampling_free() as well.
 * ERROR_SYSTEM without memory. */
int sampling_reserve(struct sampling *, struct error *);
void sampling_free(struct sampling *);

/* In real time, or the stand-in's. */
double sampling_elapsed_s(const struct sampling *);
bool sampling_out_of_time(const struct sampling *);
/* The first memory is there. A hypervisor may take seconds to find it, whichever stage asks first:
 * so stages share what it left. */
void sampling_take_share(struct sampling *);

/* The memory of a round: fresh, touched and verified. 1; 0 when the time is too short for it;
 * errors of team_run() and arena_map(). */
int sampling_fresh_arena(struct sampling *, struct error *);

/* Visits the unit's open points side by side and settles what came of it. Returns 1 when one of
 * them is still open, 0, or the errors of visit_run(). */
int sampling_visit(struct sampling *, struct unit, struct error *);
/* Visits the reference, where there is one and it is due. */
int sampling_visit_reference(struct sampling *, struct error *);

#endif
