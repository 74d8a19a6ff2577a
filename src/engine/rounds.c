#include "engine/engine.h"

#include "engine/visits.h"

#include <math.h>
#include <stdlib.h>

static const double show_every_s = 0.25;

/* Shows how far the stage is: at once, and then a few times a second. */
static void show_progress(struct stage *stage)
{
    const struct progress *progress = &stage->engine->progress;
    double elapsed_s = stage_elapsed_s(stage);
    if (!progress->show || elapsed_s < stage->show_at_s)
        return;
    stage->show_at_s = elapsed_s + show_every_s;
    stage->forecast.busy_s = elapsed_s - stage->paused_s;
    double left_s = forecast_left_s(&stage->forecast, elapsed_s);
    double done = left_s > 0 ? elapsed_s / (elapsed_s + left_s) : 1;
    stage->shown = fmax(stage->shown, done); /* it never goes back */
    progress->show(progress->argument, stage->shown, left_s);
}

/* --- rounds --- */

static int pause_until(struct stage *stage, double until_s, struct error *error)
{
    double until = fmin(until_s, stage->budget_s), now = stage_elapsed_s(stage);
    uint64_t until_ns = stage->began_ns + (uint64_t)(until * 1e9);
    if (until > now)
        stage->paused_s += until - now;
    return stage->executor.kind->pause(&stage->executor, until_ns, error);
}

static int run_round(struct stage *stage, struct error *error)
{
    struct visit_group group;
    while (!stage_out_of_time(stage) && schedule_next(&stage->schedule, &group)) {
        int code = visit_reference(stage, error);
        const double began_s = stage_elapsed_s(stage);
        if (code == 0)
            code = visit_points(stage, group, error);
        stage->outcome->visits_s += stage_elapsed_s(stage) - began_s;
        if (code < 0)
            return code;
        if (code)
            schedule_keep(&stage->schedule);
        show_progress(stage);
    }
    return 0;
}

/* 1; 0 where nothing can be measured, and the outcome says why. */
static int wake(struct stage *stage, struct error *error)
{
    struct executor *executor = &stage->executor;
    struct error why = {0};
    int code = executor->kind->wake ? executor->kind->wake(executor, &why) : 0;
    if (code == 0)
        return 1;
    if (code == ERROR_SYSTEM || code == ERROR_INTERRUPTED)
        return error_set(error, code, "%s", why.text);
    stage->outcome->not_woken = pool_strdup(stage->pool, why.text);
    return stage->outcome->not_woken ? 0 : error_out_of_memory(error);
}

static int run_rounds(struct stage *stage, struct error *error)
{
    const struct plan *plan = stage->plan;
    const double apart_s = plan->span_s / plan->trials_min;
    show_progress(stage);
    int woken = wake(stage, error);
    if (woken <= 0)
        return woken;
    for (unsigned round = 0; schedule_begin_round(&stage->schedule); round++) {
        int code = pause_until(stage, round * apart_s, error);
        if (code < 0 || stage_out_of_time(stage))
            return code;
        code = stage_fresh_arena(stage, error);
        if (code <= 0)
            return code;
        if (round == 0)
            stage_take_share(stage);
        code = run_round(stage, error);
        if (code < 0 || stage_out_of_time(stage))
            return code;
    }
    return 0;
}

int stage_run(struct engine *engine, struct plan *plan, const struct trial_work *work,
              struct pool *pool, struct stage_outcome *outcome, struct error *error)
{
    *outcome = (struct stage_outcome){0};
    struct stage *stage = calloc(1, sizeof *stage);
    if (!stage)
        return error_out_of_memory(error);
    *stage = (struct stage){.engine = engine,
                            .plan = plan,
                            .work = work,
                            .outcome = outcome,
                            .pool = pool,
                            .random = {engine->seed},
                            .core_hz.random = {engine->seed},
                            .drift = {1, 1}};
    int code = stage_reserve(stage, error);
    if (code < 0) {
        stage_free(stage);
        return code;
    }
    code = run_rounds(stage, error);
    outcome->elapsed_s = stage_elapsed_s(stage);
    point_table_close(&stage->table, &outcome->points_missing, &outcome->points_failed,
                      &outcome->failure);
    if (outcome->not_woken) /* no time was lacking */
        outcome->points_missing = 0;
    outcome->core_hz = reservoir_summary(&stage->core_hz);
    if (code == ERROR_SYSTEM) /* a worker that is lost may still write to its visit: leave it */
        point_table_free(&stage->table);
    else
        stage_free(stage);
    return code;
}
