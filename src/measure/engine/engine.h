/*
 * What measuring needs, passed down as one value. run/ fills it.
 */
#ifndef FATHOM_MEASURE_ENGINE_ENGINE_H
#define FATHOM_MEASURE_ENGINE_ENGINE_H

#include "machine/clock.h"
#include "machine/machine.h"
#include "measure/engine/plan.h"
#include "measure/engine/team.h"
#include "measure/engine/timing_model.h"

struct progress {
    /* Called a few times a second: share done (0 to 1) and seconds left, as far as one can tell. */
    void (*show)(void *argument, double done, double left_s);
    void *argument;
};

struct engine {
    const struct machine *machine;
    const struct clock *clock;
    struct team *team;
    uint64_t seed;
    struct progress progress;         /* show may be NULL */
    const struct timing_model *model; /* NULL: the machine itself is measured */
};

/* What a stage came to; or several of one probe, added up. */
struct stage_outcome {
    struct summary core_hz;         /* of all bursts that trials were bracketed by; n = 0: none */
    double elapsed_s;               /* in the executor's time: a model's where there is one */
    size_t points_missing;          /* not in the series: there was no time for a single trial */
    size_t points_failed;           /* in the series with a reason and without a value */
    const char *failure;            /* the reason of one of them */
    const char *not_woken;          /* why what measures did not come up to speed, so that nothing
                                       was measured; NULL: it did */
    unsigned reference_visits;      /* that were not spoiled */
    double drift_least, drift_most; /* what the reference was over what it was at first */
    size_t arena_bytes;             /* of the last arena; 0: none was needed */
    struct os_placement placement;  /* what it turned out to be */
    enum page_policy pages_used;
    double arena_s;  /* that it took to touch */
    double visits_s; /* of all visits to points, with what prepares their trials */
    double stolen_s; /* taken from the measuring CPUs by a hypervisor, as far as it was looked at */
};

/* A stage: a plan that is being carried out. It can be left, while others have their turn, and gone
 * on with. */
struct stage;

/* Gets ready to carry out the plan, which may change afterwards but for its points, and the arrays
 * it refers to. Measures nothing. Points are added to the plan's series, from `pool`.
 * ERROR_SYSTEM without memory, ERROR_USAGE where nothing can carry out the plan; there is then
 * nothing to close. */
int stage_open(struct stage **, struct engine *, const struct plan *, const struct trial_work *,
               struct pool *, struct error *);
/* Whether it can be looked at again and again (plan.h). */
bool stage_looks_often(const struct stage *);
/* A first trial of each point of the plan's first look, or some more where it looks often, within
 * `budget_s` seconds; then its memory goes. Errors as stage_advance(). */
int stage_look(struct stage *, double budget_s, struct error *);
/* Whether each point of the first look has a trial, or can have none. */
bool stage_was_looked_at(const struct stage *);
/* Takes the first look if it is not complete. Then come rounds of one visit to every point that is
 * not done, in random order with small sets before large ones. They end when each point is as
 * precise as asked or has its maximum of trials, or when `budget_s` seconds are used. The stage
 * gets `share` of what this and the following stages have, after the time of the first touch of
 * memory. ERROR_INTERRUPTED when asked to stop: what was measured so far stays. Other errors: of
 * team_run() and arena_map(). */
int stage_advance(struct stage *, double budget_s, double share, struct error *);
/* Whether any point would have more trials, if there were more time. */
bool stage_is_open(const struct stage *);
/* Appends the points that have at least one trial to the plan's series, in the plan's order; and
 * those that failed (a CPU that is gone or gives no time) with their reason, n = 0 and all else
 * NAN. Says what the stage came to so far. */
void stage_sum_up(struct stage *, struct stage_outcome *);
/* Before a stage that was summed up goes on: the plan's series may have been sorted meanwhile, and
 * others added behind them. ERROR_SYSTEM without memory. */
int stage_reopen(struct stage *, const struct plan *, struct error *);
/* Frees it. `lost`: after ERROR_SYSTEM, when a worker that did not come back may still write to its
 * visit, which is then left to it. NULL: nothing. */
void stage_close(struct stage *, bool lost);

/* A stage from its opening to its end, with the plan's budget and share. */
int stage_run(struct engine *, const struct plan *, const struct trial_work *, struct pool *pool,
              struct stage_outcome *, struct error *);

#endif
