#include "engine/engine.h"

#include "engine/sampling.h"

#include <math.h>
#include <stdlib.h>

static const double show_every_s = 0.25;

/* At once, and then a few times a second: what is done of what is expected. */
static void show_progress(struct sampling *sampling)
{
    const struct progress *progress = &sampling->engine->progress;
    double elapsed_s = sampling_elapsed_s(sampling);
    if (!progress->show || elapsed_s < sampling->show_at_s)
        return;
    sampling->show_at_s = elapsed_s + show_every_s;
    sampling->forecast.busy_s = elapsed_s - sampling->paused_s;
    double left_s = forecast_left_s(&sampling->forecast, elapsed_s);
    double done = left_s > 0 ? elapsed_s / (elapsed_s + left_s) : 1;
    sampling->shown = fmax(sampling->shown, done); /* it never goes back */
    progress->show(progress->argument, sampling->shown, left_s);
}

/* --- rounds --- */

static int pause_until(struct sampling *sampling, double until_s, struct error *error)
{
    double until = fmin(until_s, sampling->budget_s), now = sampling_elapsed_s(sampling);
    uint64_t until_ns = sampling->began_ns + (uint64_t)(until * 1e9);
    if (until > now)
        sampling->paused_s += until - now;
    if (!sampling->engine->model)
        return team_pause(sampling->engine->team, until_ns, error);
    if (until > now)
        sampling->visits[0].modelled_ps = until_ns * 1000;
    return 0;
}

static int run_round(struct sampling *sampling, struct error *error)
{
    struct unit unit;
    while (!sampling_out_of_time(sampling) && schedule_next(&sampling->schedule, &unit)) {
        int code = sampling_visit_reference(sampling, error);
        const double began_s = sampling_elapsed_s(sampling);
        if (code == 0)
            code = sampling_visit(sampling, unit, error);
        sampling->outcome->visits_s += sampling_elapsed_s(sampling) - began_s;
        if (code < 0)
            return code;
        if (code)
            schedule_keep(&sampling->schedule);
        show_progress(sampling);
    }
    return 0;
}

static int run_rounds(struct sampling *sampling, struct error *error)
{
    const struct plan *plan = sampling->plan;
    const double apart_s = plan->span_s / plan->trials_min;
    show_progress(sampling);
    for (unsigned round = 0; schedule_begin_round(&sampling->schedule); round++) {
        int code = pause_until(sampling, round * apart_s, error);
        if (code < 0 || sampling_out_of_time(sampling))
            return code;
        code = sampling_fresh_arena(sampling, error);
        if (code <= 0)
            return code;
        if (round == 0)
            sampling_take_share(sampling);
        code = run_round(sampling, error);
        if (code < 0 || sampling_out_of_time(sampling))
            return code;
    }
    return 0;
}

int stage_run(struct engine *engine, struct plan *plan, const struct trial_work *work,
              struct pool *pool, struct stage_outcome *outcome, struct error *error)
{
    *outcome = (struct stage_outcome){0};
    struct sampling *sampling = calloc(1, sizeof *sampling);
    if (!sampling)
        return error_out_of_memory(error);
    *sampling = (struct sampling){.engine = engine,
                                  .plan = plan,
                                  .work = work,
                                  .outcome = outcome,
                                  .pool = pool,
                                  .random = {engine->seed},
                                  .core_hz.random = {engine->seed},
                                  .drift = {1, 1},
                                  .began_ns = engine->model ? 0 : os_raw_ns()};
    int code = sampling_reserve(sampling, error);
    if (code < 0) {
        sampling_free(sampling);
        return code;
    }
    code = run_rounds(sampling, error);
    outcome->elapsed_s = sampling_elapsed_s(sampling);
    ledger_close(&sampling->ledger, &outcome->points_missing, &outcome->points_failed,
                 &outcome->failure);
    outcome->core_hz = reservoir_summary(&sampling->core_hz);
    if (code == ERROR_SYSTEM) /* a worker that is lost may still write to its visit: leave it */
        ledger_free(&sampling->ledger);
    else
        sampling_free(sampling);
    return code;
}
