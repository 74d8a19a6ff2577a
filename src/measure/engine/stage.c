#include "measure/engine/stage.h"

#include <math.h>
#include <stdlib.h>

/* How far a budget may be exceeded before running visits are recalled. */
static const double slack_share = 0.05, slack_least_s = 0.1;

/* Time to sum up a point: for a million open points it is as long as a run. */
static const uint64_t conclude_ns = 8000;

double stage_elapsed_s(const struct stage *stage)
{
    return (double)(executor_now_ns(&stage->executor) - stage->began_ns) * 1e-9;
}

bool stage_out_of_time(const struct stage *stage)
{
    uint64_t open = stage->table.record_count - stage->table.spare_count;
    return executor_now_ns(&stage->executor) + open * conclude_ns > stage->visits[0].deadline_ns;
}

static void set_budget(struct stage *stage, double budget_s)
{
    stage->budget_s = stage->forecast.budget_s = fmax(0, budget_s);
    const double slack_s = fmax(slack_least_s, slack_share * stage->budget_s);
    for (size_t i = 0; i < stage->visit_count; i++) {
        struct visit *visit = &stage->visits[i];
        visit->deadline_ns = stage->began_ns + (uint64_t)(stage->budget_s * 1e9);
        visit->give_up_ns = visit->deadline_ns + (uint64_t)(slack_s * 1e9);
    }
}

void stage_share(struct stage *stage, double whole_s, double share)
{
    const double unshared_s = fmin(stage->unshared_s, whole_s);
    stage->whole_s = whole_s;
    stage->share = share;
    set_budget(stage, unshared_s + share * (whole_s - unshared_s));
}

void stage_enter(struct stage *stage)
{
    stage->began_ns = executor_now_ns(&stage->executor) - stage->active_ns;
}

void stage_pause(struct stage *stage)
{
    stage->active_ns = executor_now_ns(&stage->executor) - stage->began_ns;
}

void stage_leave(struct stage *stage)
{
    stage_pause(stage);
    if (stage->plan->arena_life != ARENA_WHOLE_STAGE)
        arena_keep(&stage->arena, &stage->engine->attic);
}

static int reserve_visits(struct stage *stage, struct error *error)
{
    const struct plan *plan = stage->plan;
    const size_t count = stage->schedule.largest, each = plan_visit_trials(plan);
    stage->visits = calloc(count, sizeof *stage->visits);
    stage->together = calloc(count, sizeof *stage->together);
    stage->trials = calloc(count * each, sizeof *stage->trials);
    stage->workers = aligned_alloc(128, count * each * stage->seats_max * sizeof *stage->workers);
    if (!stage->visits || !stage->together || !stage->trials || !stage->workers)
        return error_set(error, ERROR_SYSTEM, "out of memory for %zu visits", count);
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++) {
        struct visit *visit = &stage->visits[i];
        *visit = (struct visit){
            .executor = &stage->executor,
            .plan = plan,
            .trials = stage->trials + i * each,
            .work = &stage->work,
        };
        code = visit_reserve(visit, stage->seats_max, error);
        stage->visit_count = i + 1;
    }
    return code;
}

/* Where the clock can't time batches so short, trials have fewer and longer batches in the same
 * time, and sweeps have longer batches. */
static void fit_batches(struct stage *stage)
{
    enum { FEWEST = 5 };
    struct plan *plan = stage->plan;
    const double longer = stage->executor.shortest_batch_ns / plan->batch_ns;
    if (plan->sweep && longer > 1)
        plan->repeats = (uint64_t)ceil((double)plan->repeats * longer);
    if (plan->repeats || !(longer > 1) || plan->batches <= FEWEST)
        return;
    plan->batches = (unsigned)fmax(FEWEST, plan->batches / longer);
}

int stage_reserve(struct stage *stage, struct error *error)
{
    stage->forecast = forecast_of(stage->plan);
    size_t most = 1;
    for (size_t i = 0; i < stage->plan->point_count; i++)
        if (stage->plan->points[i].seat_count > most)
            most = stage->plan->points[i].seat_count;
    stage->seats_max = most;
    int code = executor_open(&stage->executor, stage->engine, stage->plan, error);
    if (code < 0)
        return code;
    fit_batches(stage);
    stage_enter(stage);
    code = schedule_create(&stage->schedule, stage->plan, random_mix(stage->seed), error);
    if (code == 0)
        code = point_table_open(&stage->table, stage->plan, stage->pool, error);
    stage->table.placement = stage->engine->placement;
    return code < 0 ? code : reserve_visits(stage, error);
}

void stage_free(struct stage *stage)
{
    for (size_t i = 0; i < stage->visit_count; i++)
        visit_release(&stage->visits[i]);
    schedule_free(&stage->schedule);
    point_table_free(&stage->table);
    arena_unmap(&stage->arena);
    record_free(&stage->reference);
    free(stage->visits);
    free(stage->together);
    free(stage->trials);
    free(stage->workers);
    executor_close(&stage->executor);
    free(stage);
}

/* --- the arena --- */

/* The memory that this round needs, or, where memory stays, that any later round needs. */
static size_t arena_need(const struct stage *stage)
{
    const struct plan *plan = stage->plan;
    const size_t groups = plan_keeps_memory(plan) ? stage->schedule.end : stage->schedule.open;
    size_t most = plan->reference_every_s > 0 ? plan->points[0].arena_bytes : 0;
    for (size_t i = 0; i < groups; i++) {
        struct visit_group group = schedule_group(&stage->schedule, i);
        for (size_t point = group.first; point < group.first + group.count; point++)
            if (plan->points[point].arena_bytes > most &&
                !point_table_is_done(&stage->table, point))
                most = plan->points[point].arena_bytes;
    }
    return most;
}

int stage_map(struct stage *stage, size_t bytes, struct error *error)
{
    const double began_s = stage_elapsed_s(stage);
    arena_keep(&stage->arena, &stage->engine->attic);
    if (!bytes)
        return 0;
    int code = stage->executor.kind->map(&stage->executor, &stage->arena, bytes, error);
    if (code < 0)
        return code;
    stage->mapped_node = stage->arena.node;
    stage->outcome.placements += !stage->outcome.placements || !stage->engine->attic.gave_back;
    arena_use(&stage->arena, 0);
    stage->outcome.arena_s = stage_elapsed_s(stage) - began_s;
    return 0;
}

/* A sweep takes less time than touching its memory, so several share that memory. */
enum { SWEEPS_OF_MEMORY = 8 };

int stage_fresh_arena(struct stage *stage, struct error *error)
{
    const bool stays =
        plan_keeps_memory(stage->plan) || (stage->plan->sweep && stage->round % SWEEPS_OF_MEMORY);
    if (stage->arena.memory && stays)
        return 0;
    return stage_map(stage, arena_need(stage), error);
}

/* Memory that no round touched before may use the time of all stages. */
int stage_touch(struct stage *stage, size_t bytes, struct error *error)
{
    struct arena *arena = &stage->arena;
    const size_t from = arena->bytes, to = bytes < arena->mapped ? bytes : arena->mapped;
    if (!arena->memory || to <= from)
        return 1;
    const bool anew = to > stage->touched_most;
    const double began_s = stage_elapsed_s(stage);
    const double limit_s = anew ? stage->whole_s : stage->budget_s;
    /* Touching alone would use up the time. */
    if (began_s + stage->byte_s * (double)(to - from) > limit_s)
        return 0;
    set_budget(stage, limit_s);
    arena_use(arena, to);
    int code = stage->executor.kind->touch(&stage->executor, arena, from,
                                           stage->visits[0].give_up_ns, error);
    const double took_s = stage_elapsed_s(stage) - began_s;
    if (code > 0) {
        stage->outcome.arena_s += took_s;
        stage->byte_s = took_s / (double)(to - from);
        arena->node = stage->mapped_node; /* -1 with a model, which binds no memory to a node */
        arena_verify(arena);
        arena->node = stage->plan->node;
        stage->outcome.arena_bytes = arena->bytes;
        stage->outcome.placement = arena->placement;
        stage->outcome.pages_used = arena->used;
    } else {
        arena_use(arena, from);
    }
    if (anew) {
        stage->unshared_s += took_s;
        stage->touched_most = code > 0 ? to : stage->touched_most;
    }
    stage_share(stage, stage->whole_s, stage->share);
    return code;
}

/* --- time that is left --- */

/* Time that visits take in addition to their batches, until the first visits show it: to wake
 * threads and read stolen time; for two bursts around each bracket; to touch and verify memory. */
static const double visit_s = 200e-6, burst_s = 20e-6, bracket_s = 200e-6, touched_bytes_s = 2e9;
/* Time of a sweep's trial outside its batches: its prepare(), and its share of bursts and visit. */
static const double swept_s = 15e-6;
/* The plan's estimate has the weight of this number of trials. */
static const double trust_in_plan = 2;

struct forecast forecast_of(const struct plan *plan)
{
    size_t arena_bytes = 0;
    for (size_t i = 0; i < plan->point_count; i++)
        if (plan->points[i].arena_bytes > arena_bytes)
            arena_bytes = plan->points[i].arena_bytes;
    const double batch_s = plan->batch_ns * 1e-9, each = fmax(1, plan->trials_per_visit);
    const double batches = plan->batches * each; /* a visit */
    const double brackets = ceil(batches * fmin(1, batch_s / bracket_s));
    const double points = (double)plan->point_count;
    const double side_by_side =
        plan->groups && plan->group_count ? points / (double)plan->group_count : 1;
    double trial_s = (batches * batch_s + 2 * brackets * burst_s + visit_s) / each / side_by_side;
    if (plan->sweep)
        trial_s = swept_s + batches * batch_s;
    double arenas = plan_keeps_memory(plan) ? 1 : ceil(plan->trials_min / each);
    double trials = points * plan->trials_min;
    if (trials > 0)
        trial_s += arenas * (double)arena_bytes / touched_bytes_s / trials;
    return (struct forecast){
        .plan = plan, .trials_left = trials, .trial_s = trial_s, .budget_s = plan->budget_s};
}

/* Trials that a point is expected to need in addition to those it has. */
static double expected(const struct plan *plan, unsigned trials)
{
    unsigned aim = trials < plan->trials_min ? plan->trials_min : plan->trials_max;
    return aim > trials ? aim - trials : 0;
}

void forecast_add(struct forecast *forecast, unsigned before, unsigned now)
{
    forecast->trials_left += expected(forecast->plan, now) - expected(forecast->plan, before);
    forecast->trials_done += now - before;
}

void forecast_leave(struct forecast *forecast, unsigned trials)
{
    forecast->trials_left -= expected(forecast->plan, trials);
}

static double trials_s(const struct forecast *forecast)
{
    const double each_s = (trust_in_plan * forecast->trial_s + forecast->busy_s) /
                          (trust_in_plan + forecast->trials_done);
    return forecast->trials_left * each_s;
}

bool forecast_is_short(const struct forecast *forecast, double elapsed_s)
{
    return elapsed_s + trials_s(forecast) > forecast->budget_s;
}

double forecast_left_s(const struct forecast *forecast, double elapsed_s)
{
    const struct plan *plan = forecast->plan;
    double left_s = trials_s(forecast);
    if (forecast->trials_left > 0) /* the fewest trials are spread over the span */
        left_s = fmax(left_s, plan->span_s - elapsed_s);
    return fmax(0, fmin(left_s, forecast->budget_s - elapsed_s));
}

/* --- a sample of clock readings --- */

void reservoir_add(struct reservoir *reservoir, double reading)
{
    size_t at = reservoir->seen++;
    if (at >= RESERVOIR_READINGS)
        at = (size_t)random_below(&reservoir->random, at + 1);
    if (at < RESERVOIR_READINGS)
        reservoir->readings[at] = reading;
}

struct summary reservoir_summary(struct reservoir *reservoir)
{
    size_t kept =
        reservoir->seen < RESERVOIR_READINGS ? reservoir->seen : (size_t)RESERVOIR_READINGS;
    struct summary summary;
    summarize(reservoir->readings, kept, reservoir->readings, &summary);
    return summary;
}
