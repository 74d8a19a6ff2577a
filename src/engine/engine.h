/*
 * What measuring needs, passed down as one value. run/ fills it.
 */
#ifndef FATHOM_ENGINE_ENGINE_H
#define FATHOM_ENGINE_ENGINE_H

#include "engine/plan.h"
#include "engine/team.h"
#include "engine/timing_model.h"
#include "machine/clock.h"
#include "machine/machine.h"

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

/* Carries out a plan: rounds of one visit to every point that is not done yet, in random order,
 * until each is as precise as asked or has its most trials, or the budget is used. Appends the
 * points that have at least one trial to the plan's series, from `pool`, in the plan's order; and
 * those that failed (a CPU that is gone or gives no time) with their reason, n = 0 and all else
 * NAN, while the others go on.
 * ERROR_INTERRUPTED when asked to stop: what was measured by then is in the series all the same.
 * Other errors: of team_run() and arena_map(). */
int stage_run(struct engine *, struct plan *, const struct trial_work *, struct pool *pool,
              struct stage_outcome *, struct error *);

#endif
