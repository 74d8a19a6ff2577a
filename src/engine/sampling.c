#include "engine/sampling.h"

#include <math.h>
#include <stdlib.h>

/* How far a budget may be exceeded before what still runs is recalled. */
static const double slack_share = 0.05, slack_least_s = 0.1;

/* What summing up a point takes: of a million open ones, as long as a run. */
static const uint64_t conclude_ns = 8000;

static uint64_t now_ns(const struct sampling *sampling)
{
    return visit_now_ns(&sampling->visits[0]); /* a stand-in's time is the same for all visits */
}

double sampling_elapsed_s(const struct sampling *sampling)
{
    return (double)(now_ns(sampling) - sampling->began_ns) * 1e-9;
}

bool sampling_out_of_time(const struct sampling *sampling)
{
    uint64_t open = sampling->ledger.record_count - sampling->ledger.spare_count;
    uint64_t after_ns = sampling->engine->model ? 0 : open * conclude_ns;
    return now_ns(sampling) + after_ns > sampling->visits[0].deadline_ns;
}

static void set_budget(struct sampling *sampling, double budget_s)
{
    sampling->budget_s = sampling->forecast.budget_s = fmax(0, budget_s);
    const double slack_s = fmax(slack_least_s, slack_share * sampling->budget_s);
    for (size_t i = 0; i < sampling->visit_count; i++) {
        struct visit *visit = &sampling->visits[i];
        visit->deadline_ns = sampling->began_ns + (uint64_t)(sampling->budget_s * 1e9);
        visit->give_up_ns = visit->deadline_ns + (uint64_t)(slack_s * 1e9);
    }
}

/* What this stage and those that follow have together. */
static double whole_budget_s(const struct plan *plan)
{
    return plan->share > 0 ? plan->budget_s / plan->share : plan->budget_s;
}

void sampling_take_share(struct sampling *sampling)
{
    const struct plan *plan = sampling->plan;
    const double share = plan->share > 0 ? plan->share : 1;
    const double elapsed_s = sampling_elapsed_s(sampling);
    set_budget(sampling, elapsed_s + share * (whole_budget_s(plan) - elapsed_s));
}

static void survey_seats(struct sampling *sampling)
{
    const struct plan *plan = sampling->plan;
    sampling->seats_max = sampling->cpu_ids = 1;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *point = &plan->points[i];
        if (point->seat_count > sampling->seats_max)
            sampling->seats_max = point->seat_count;
        for (size_t seat = 0; seat < point->seat_count; seat++)
            if (plan_seat(point, seat).cpu >= (int)sampling->cpu_ids)
                sampling->cpu_ids = (size_t)plan_seat(point, seat).cpu + 1;
    }
}

/* Only a hypervisor can steal, and nobody from a model. */
static int reserve_stolen(struct sampling *sampling, struct error *error)
{
    if (!sampling->engine->machine->facts.hypervisor || sampling->engine->model)
        return 0;
    sampling->stolen_before_ns = calloc(sampling->cpu_ids, sizeof *sampling->stolen_before_ns);
    sampling->stolen_after_ns = calloc(sampling->cpu_ids, sizeof *sampling->stolen_after_ns);
    return sampling->stolen_before_ns && sampling->stolen_after_ns ? 0 : error_out_of_memory(error);
}

static int reserve_visits(struct sampling *sampling, struct error *error)
{
    const struct plan *plan = sampling->plan;
    const size_t count = sampling->schedule.largest, each = plan->trials_per_visit;
    sampling->visits = calloc(count, sizeof *sampling->visits);
    sampling->together = calloc(count, sizeof *sampling->together);
    sampling->trials = calloc(count * each, sizeof *sampling->trials);
    sampling->workers =
        aligned_alloc(128, count * each * sampling->seats_max * sizeof *sampling->workers);
    if (!sampling->visits || !sampling->together || !sampling->trials || !sampling->workers)
        return error_set(error, ERROR_SYSTEM, "out of memory for %zu visits", count);
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++) {
        struct visit *visit = &sampling->visits[i];
        *visit = (struct visit){
            .plan = plan,
            .clock = sampling->engine->clock,
            .model = sampling->engine->model,
            .trials = sampling->trials + i * each,
            .work = sampling->work,
        };
        code = visit_reserve(visit, sampling->seats_max, error);
        sampling->visit_count = i + 1;
    }
    set_budget(sampling, whole_budget_s(plan));
    return code;
}

static int reserve_points(struct sampling *sampling, struct error *error)
{
    const uint64_t seed = random_mix(sampling->engine->seed);
    int code = schedule_create(&sampling->schedule, sampling->plan, seed, error);
    return code < 0 ? code : ledger_open(&sampling->ledger, sampling->plan, sampling->pool, error);
}

int sampling_reserve(struct sampling *sampling, struct error *error)
{
    sampling->forecast = forecast_of(sampling->plan);
    survey_seats(sampling);
    int code = reserve_points(sampling, error);
    if (code == 0)
        code = reserve_stolen(sampling, error);
    return code < 0 ? code : reserve_visits(sampling, error);
}

void sampling_free(struct sampling *sampling)
{
    for (size_t i = 0; i < sampling->visit_count; i++)
        visit_release(&sampling->visits[i]);
    schedule_free(&sampling->schedule);
    ledger_free(&sampling->ledger);
    arena_unmap(&sampling->arena);
    record_free(&sampling->reference);
    free(sampling->visits);
    free(sampling->together);
    free(sampling->stolen_before_ns);
    free(sampling->stolen_after_ns);
    free(sampling->trials);
    free(sampling->workers);
    free(sampling);
}

/* --- the arena --- */

static void touch_work(void *argument, unsigned rank)
{
    struct sampling *sampling = argument;
    const struct plan *plan = sampling->plan;
    if (plan->part_count)
        arena_touch_part(&sampling->arena, plan->parts[rank].at, plan->parts[rank].bytes);
    else
        arena_touch(&sampling->arena);
}

static bool touched_too_long(void *argument)
{
    return os_raw_ns() > ((const struct sampling *)argument)->visits[0].give_up_ns;
}

/* A model needs no CPU that is near the memory, nor one at all. */
static int touch(struct sampling *sampling, struct error *error)
{
    if (sampling->engine->model) {
        arena_touch(&sampling->arena);
        return TEAM_DONE;
    }
    const struct plan *plan = sampling->plan;
    const size_t count = plan->part_count ? plan->part_count : 1;
    int cpus[count];
    cpus[0] = plan->touch_cpu;
    for (size_t i = 0; i < plan->part_count; i++)
        cpus[i] = plan->parts[i].cpu;
    struct team_job job = {cpus, count, touch_work, sampling, touched_too_long};
    return team_run(sampling->engine->team, &job, error);
}

static size_t arena_need(const struct sampling *sampling)
{
    const struct plan *plan = sampling->plan;
    size_t most = plan->reference_every_s > 0 ? plan->points[0].arena_bytes : 0;
    for (size_t i = 0; i < sampling->schedule.open; i++) {
        struct unit unit = schedule_unit(&sampling->schedule, i);
        for (size_t point = unit.first; point < unit.first + unit.count; point++)
            if (plan->points[point].arena_bytes > most && !ledger_is_done(&sampling->ledger, point))
                most = plan->points[point].arena_bytes;
    }
    return most;
}

int sampling_fresh_arena(struct sampling *sampling, struct error *error)
{
    const struct plan *plan = sampling->plan;
    if (sampling->arena.memory && plan->arena_life == ARENA_WHOLE_RUN)
        return 1;
    /* Memory that is ready when the time is up serves nobody. */
    const double began_s = sampling_elapsed_s(sampling);
    if (began_s + sampling->outcome->arena_s > sampling->budget_s)
        return 0;
    size_t bytes = arena_need(sampling);
    arena_unmap(&sampling->arena);
    if (!bytes)
        return 1;
    /* A stand-in's nodes need not exist: its memory only says on which of them it lies. */
    const int bound = sampling->engine->model ? -1 : plan->node;
    int code = arena_map(&sampling->arena, bytes, plan->pages, bound, error);
    if (code < 0)
        return code;
    code = touch(sampling, error);
    if (code != TEAM_DONE)
        return code < 0 ? code : 0;
    arena_verify(&sampling->arena);
    sampling->arena.node = plan->node;
    sampling->outcome->arena_bytes = sampling->arena.bytes;
    sampling->outcome->placement = sampling->arena.placement;
    sampling->outcome->pages_used = sampling->arena.used;
    sampling->outcome->arena_s = sampling_elapsed_s(sampling) - began_s;
    return 1;
}
