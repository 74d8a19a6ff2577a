#include "measure/engine/engine.h"

#include "measure/engine/visits.h"

#include <math.h>
#include <stdlib.h>

/* Share of the following stages' time that the first trials of a stage's points may use: without
 * any trial a point is unknown, however well the others are known. */
static const double lent_share = 0.5;

/* Shows how far the stage is: at once, and then as often as is asked for. */
static void show_progress(struct stage *stage)
{
    const struct progress *progress = &stage->engine->progress;
    double elapsed_s = stage_elapsed_s(stage);
    stage->forecast.busy_s = elapsed_s - stage->paused_s;
    if (!progress->show || elapsed_s < stage->show_at_s)
        return;
    stage->show_at_s = elapsed_s + progress->every_s;
    double left_s = forecast_left_s(&stage->forecast, elapsed_s);
    double done = left_s > 0 ? elapsed_s / (elapsed_s + left_s) : 1;
    stage->shown_share = fmax(stage->shown_share, done); /* the share shown never falls */
    progress->show(progress->argument, stage->shown_share, left_s);
}

/* --- looks of other stages --- */

int engine_look_if_due(struct engine *engine, struct error *error)
{
    struct looks *looks = &engine->looks;
    const uint64_t began_ns = timing_now_ns(engine->model);
    if (!looks->look || began_ns - looks->ended_ns < looks->every_ns)
        return 0;
    const int code = looks->look(looks->argument, error);
    looks->ended_ns = timing_now_ns(engine->model);
    looks->took_ns += looks->ended_ns - began_ns;
    return code;
}

/* Between two visits. */
static int let_others_look(struct stage *stage, struct error *error)
{
    show_progress(stage);
    if (!stage->engine->looks.look)
        return 0;
    stage_pause(stage);
    const int code = engine_look_if_due(stage->engine, error);
    stage_enter(stage);
    stage_share(stage, stage->whole_s, stage->share); /* the deadlines are later */
    return code;
}

/* --- rounds --- */

/* Touches the memory that the next group and the reference need. 1; 0 when the time is too
 * short. */
static int touch_for_group(struct stage *stage, struct error *error)
{
    const struct plan *plan = stage->plan;
    size_t bytes = schedule_tier_bytes(&stage->schedule);
    if (plan->reference_every_s > 0 && plan->points[0].arena_bytes > bytes)
        bytes = plan->points[0].arena_bytes;
    return stage_touch(stage, bytes, error);
}

static int visit_group(struct stage *stage, struct visit_group group, struct error *error)
{
    double width;
    int code = visit_reference(stage, error);
    const double began_s = stage_elapsed_s(stage);
    if (code == 0)
        code = visit_points(stage, group, &width, error);
    stage->outcome.visits_s += stage_elapsed_s(stage) - began_s;
    if (code > 0)
        schedule_keep(&stage->schedule, width);
    return code < 0 ? code : 0;
}

/* As run_round(), in sweeps of up to plan->sweep points. */
static int run_sweeps(struct stage *stage, struct error *error)
{
    const unsigned most = stage->plan->sweep;
    int visited = 0, touched = 1;
    while (touched > 0 && !stage_out_of_time(stage)) {
        size_t points[most];
        double widths[most];
        unsigned count = 0;
        struct visit_group group;
        while (count < most && touched > 0 && schedule_next(&stage->schedule, &group)) {
            touched = touch_for_group(stage, error);
            if (touched <= 0)
                schedule_put_back(&stage->schedule);
            else
                points[count++] = group.first;
        }
        if (touched < 0 || !count)
            return touched < 0 ? touched : visited;
        const double began_s = stage_elapsed_s(stage);
        const int code = visit_sweep(stage, points, count, widths, error);
        stage->outcome.visits_s += stage_elapsed_s(stage) - began_s;
        if (code < 0)
            return code;
        for (unsigned i = 0; i < count; i++)
            if (widths[i] >= 0)
                schedule_keep_earlier(&stage->schedule, count - 1 - i, widths[i]);
        visited = 1;
        const int looked = let_others_look(stage, error);
        if (looked < 0)
            return looked;
    }
    return visited;
}

/* Returns 1 if it visited a group, else 0; errors as visit_run(). Where memory can't be touched in
 * time the round ends, because the remaining sets are larger. */
static int run_round(struct stage *stage, struct error *error)
{
    if (stage->plan->sweep)
        return run_sweeps(stage, error);
    struct visit_group group;
    int visited = 0;
    while (!stage_out_of_time(stage) && schedule_next(&stage->schedule, &group)) {
        int code = touch_for_group(stage, error);
        if (code <= 0)
            schedule_put_back(&stage->schedule);
        if (code == 0)
            break;
        if (code > 0)
            code = visit_group(stage, group, error);
        if (code >= 0)
            code = let_others_look(stage, error);
        if (code < 0)
            return code;
        visited = 1;
    }
    return visited;
}

/* 1; 0 where nothing can be measured, and the outcome says why. */
static int wake(struct stage *stage, struct error *error)
{
    struct executor *executor = &stage->executor;
    struct error why = {0};
    if (stage->woken)
        return !stage->outcome.not_woken;
    stage->woken = true;
    int code = executor->kind->wake ? executor->kind->wake(executor, &why) : 0;
    if (code == 0)
        return 1;
    if (code == ERROR_SYSTEM || code == ERROR_INTERRUPTED)
        return error_set(error, code, "%s", why.text);
    stage->outcome.not_woken = pool_strdup(stage->pool, why.text);
    return stage->outcome.not_woken ? 0 : error_out_of_memory(error);
}

/* The memory of the largest point of the look, or of the whole plan where the memory stays. */
static size_t look_bytes(const struct plan *plan)
{
    const bool stays = plan_keeps_memory(plan);
    const size_t count = stays ? plan->point_count : plan->look_count;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = plan->points[stays ? i : plan->look[i]].arena_bytes;
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Another trial of each point of the look with fewer than `trials`, the first one in the memory
 * that is there, others on fresh memory unless it stays. */
static int look(struct stage *stage, unsigned trials, struct error *error)
{
    const struct plan *plan = stage->plan;
    bool mapped = stage->arena.memory && (trials == 1 || plan_keeps_memory(plan));
    double width;
    int code = 0;
    for (size_t i = 0; i < plan->look_count && code >= 0 && !stage_out_of_time(stage); i++) {
        const size_t point = plan->look[i];
        if (point_table_is_done(&stage->table, point) ||
            point_table_trials(&stage->table, point) >= trials)
            continue;
        code = mapped ? 0 : stage_map(stage, look_bytes(plan), error);
        mapped = true;
        if (code == 0)
            code = stage_touch(stage, schedule_room(plan->points[point].arena_bytes), error);
        if (code <= 0) /* the points that follow need more memory */
            return code;
        code = visit_points(stage, (struct visit_group){point, 1}, &width, error);
        show_progress(stage);
    }
    return code < 0 ? code : 0;
}

/* Takes trials of the points in plan->look, up to `most` of each, before the other points get their
 * second one: after the first round, or, where the stage is looked at several times, at every look.
 */
static int deepen(struct stage *stage, unsigned most, struct error *error)
{
    int code = 0;
    for (unsigned trials = 1; trials <= most && code == 0; trials++)
        code = look(stage, trials, error);
    return code;
}

/* Rounds until nothing is open or the time is used. */
static int run_rounds(struct stage *stage, double share, struct error *error)
{
    const struct plan *plan = stage->plan;
    const double apart_s = plan->span_s / plan->trials_min;
    for (;; stage->round++) {
        /* If the time is too short for all points, those with the widest intervals go on. */
        const bool scarce =
            stage->round > 0 && forecast_is_short(&stage->forecast, stage_elapsed_s(stage));
        if (!schedule_begin_round(&stage->schedule, scarce))
            return 0;
        double until = fmin(stage->round * apart_s, stage->budget_s), now = stage_elapsed_s(stage);
        uint64_t until_ns = stage->began_ns + (uint64_t)(until * 1e9);
        if (until > now)
            stage->paused_s += until - now;
        int code = stage->executor.kind->pause(&stage->executor, until_ns, error);
        if (code < 0 || stage_out_of_time(stage))
            return code;
        code = stage_fresh_arena(stage, error);
        if (code == 0)
            code = run_round(stage, error);
        if (code > 0 && stage->round == 0) {
            const unsigned looks = stage->looks > 0 ? stage->looks : 1;
            const int deeper = deepen(stage, looks * plan->look_trials, error);
            code = deeper < 0 ? deeper : code;
        }
        if (code <= 0 || stage_out_of_time(stage))
            return code < 0 ? code : 0;
        stage_share(stage, stage->whole_s, share);
    }
}

/* --- the first look --- */

bool stage_was_looked_at(const struct stage *stage)
{
    const struct plan *plan = stage->plan;
    for (size_t i = 0; i < plan->look_count; i++)
        if (!point_table_is_done(&stage->table, plan->look[i]) &&
            !point_table_trials(&stage->table, plan->look[i]))
            return false;
    return true;
}

/* --- a stage --- */

int stage_open(struct stage **opened, struct engine *engine, const struct plan *plan,
               const struct trial_work *work, struct pool *pool, struct error *error)
{
    struct stage *stage = *opened = calloc(1, sizeof *stage);
    if (!stage)
        return error_out_of_memory(error);
    *stage = (struct stage){.engine = engine,
                            .plan = &stage->own,
                            .own = *plan,
                            .work = *work,
                            .pool = pool,
                            .seed = engine->seed,
                            .random = {engine->seed},
                            .core_hz.random = {engine->seed},
                            .drift = {1, 1}};
    int code = stage_reserve(stage, error);
    if (code < 0) {
        stage_free(stage);
        *opened = NULL;
        return code;
    }
    stage_leave(stage);
    return 0;
}

bool stage_looks_often(const struct stage *stage)
{
    return plan_is_spread(stage->plan);
}

/* Looks where the CPUs are at the beginning of a turn. */
static int begin_turn(struct stage *stage, struct error *error)
{
    const int code = placement_look_if_due(stage->engine->placement, error);
    for (size_t i = 0; i < stage->visit_count; i++) {
        stage->visits[i].interval = placement_interval(stage->engine->placement);
        stage->visits[i].turn++;
    }
    stage_enter(stage);
    return code;
}

/* Looks again at its end, after `code`, which is returned unless that is 0. */
static int end_turn(struct stage *stage, int code, struct error *error)
{
    stage_leave(stage);
    if (code == 0)
        code = placement_look_if_due(stage->engine->placement, error);
    return code;
}

int stage_look(struct stage *stage, double budget_s, struct error *error)
{
    int code = begin_turn(stage, error);
    stage->unshared_s = stage_elapsed_s(stage);
    stage_share(stage, stage->unshared_s + budget_s, 1);
    if (code == 0)
        code = wake(stage, error);
    const bool often = stage_looks_often(stage);
    if (code > 0)
        code = deepen(stage, often ? ++stage->looks * stage->plan->look_trials : 1, error);
    return end_turn(stage, code, error);
}

int stage_advance(struct stage *stage, double budget_s, double share, struct error *error)
{
    int code = begin_turn(stage, error);
    const bool begun = stage->round > 0;
    stage->unshared_s = stage_elapsed_s(stage);
    if (!(share > 0))
        share = 1;
    stage_share(stage, stage->unshared_s + budget_s / share,
                begun ? share : share + lent_share * (1 - share));
    show_progress(stage);
    if (code == 0)
        code = wake(stage, error);
    if (code > 0)
        code = look(stage, 1, error);
    if (code == 0 && !stage->outcome.not_woken)
        code = run_rounds(stage, share, error);
    return end_turn(stage, code, error);
}

bool stage_is_open(const struct stage *stage)
{
    return schedule_is_open(&stage->schedule) && !stage->outcome.not_woken;
}

void stage_sum_up(struct stage *stage, struct stage_outcome *outcome)
{
    *outcome = stage->outcome;
    outcome->elapsed_s = (double)stage->active_ns * 1e-9;
    point_table_close(&stage->table, &outcome->points_missing, &outcome->points_failed,
                      &outcome->failure);
    outcome->cpu_states = stage->table.states;
    if (outcome->not_woken) /* the cause is not lack of time */
        outcome->points_missing = 0;
    outcome->core_hz = reservoir_summary(&stage->core_hz);
    if (stage->executor.kind->placed)
        stage->executor.kind->placed(&stage->executor, outcome);
}

int stage_reopen(struct stage *stage, const struct plan *plan, struct error *error)
{
    stage->own.series = plan->series; /* other points may have been added at their end */
    return point_table_reopen(&stage->table, stage->pool, error);
}

void stage_close(struct stage *stage, bool lost)
{
    if (!stage)
        return;
    if (lost)
        point_table_free(&stage->table);
    else
        stage_free(stage);
}

int stage_run(struct engine *engine, const struct plan *plan, const struct trial_work *work,
              struct pool *pool, struct stage_outcome *outcome, struct error *error)
{
    struct stage *stage;
    *outcome = (struct stage_outcome){0};
    int code = stage_open(&stage, engine, plan, work, pool, error);
    if (code < 0)
        return code;
    code = stage_advance(stage, plan->budget_s, plan->share, error);
    stage_sum_up(stage, outcome);
    stage_close(stage, code == ERROR_SYSTEM);
    return code;
}
