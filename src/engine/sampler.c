#include "engine/engine.h"

#include "base/random.h"
#include "engine/record.h"
#include "engine/visit.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>

enum { STEAL_ATTEMPTS = 2, STARVED_VISITS_MAX = 2, CLOCK_READINGS_MAX = 4096 };

struct sampler {
    struct engine *engine;
    struct plan *plan;
    const struct trial_work *work;
    struct sampled *sampled;
    struct random random;
    struct record *records; /* one a point */
    size_t *order;          /* the points of a round, shuffled */
    struct arena arena;
    struct visit visit;
    struct trial *trials;
    struct worker *workers; /* [trials_per_visit][seats_max] */
    size_t seats_max;
    double *scratch;
    double *core_hz; /* a uniform sample of all trials' clocks */
    size_t core_hz_seen;
    uint64_t began_ns, shown_ns;
    double shown; /* the share done that was last shown */
    size_t trials_done;
};

static double elapsed_s(const struct sampler *sampler)
{
    return (double)(os_raw_ns() - sampler->began_ns) * 1e-9;
}

static bool out_of_time(const struct sampler *sampler)
{
    return os_raw_ns() > sampler->visit.deadline_ns;
}

static size_t most_seats(const struct plan *plan)
{
    size_t most = 1;
    for (size_t i = 0; i < plan->point_count; i++)
        if (plan->points[i].seat_count > most)
            most = plan->points[i].seat_count;
    return most;
}

static int sampler_reserve(struct sampler *sampler, struct error *error)
{
    const struct plan *plan = sampler->plan;
    sampler->seats_max = most_seats(plan);
    size_t workers = sampler->seats_max * plan->trials_per_visit;
    size_t scratch = 2 * plan->trials_max > plan->batches ? 2 * plan->trials_max : plan->batches;
    sampler->records = calloc(plan->point_count, sizeof *sampler->records);
    sampler->order = calloc(plan->point_count, sizeof *sampler->order);
    sampler->trials = calloc(plan->trials_per_visit, sizeof *sampler->trials);
    sampler->workers = aligned_alloc(128, workers * sizeof *sampler->workers);
    sampler->scratch = calloc(scratch, sizeof *sampler->scratch);
    sampler->core_hz = calloc(CLOCK_READINGS_MAX, sizeof *sampler->core_hz);
    if (!sampler->records || !sampler->order || !sampler->trials || !sampler->workers ||
        !sampler->scratch || !sampler->core_hz)
        return error_set(error, ERROR_SYSTEM, "out of memory for %zu points", plan->point_count);
    sampler->visit = (struct visit){.plan = plan,
                                    .clock = sampler->engine->clock,
                                    .trials = sampler->trials,
                                    .work = sampler->work,
                                    .deadline_ns = sampler->began_ns +
                                                   (uint64_t)(fmax(0, plan->budget_s) * 1e9)};
    return visit_reserve(&sampler->visit, sampler->seats_max, error);
}

static void sampler_release(struct sampler *sampler)
{
    for (size_t i = 0; sampler->records && i < sampler->plan->point_count; i++)
        record_free(&sampler->records[i]);
    arena_unmap(&sampler->arena);
    visit_release(&sampler->visit);
    free(sampler->records);
    free(sampler->order);
    free(sampler->trials);
    free(sampler->workers);
    free(sampler->scratch);
    free(sampler->core_hz);
}

/* --- the arena --- */

static void touch_work(void *argument, unsigned rank)
{
    (void)rank;
    arena_touch(argument);
}

static size_t arena_need(const struct sampler *sampler)
{
    size_t most = 0;
    for (size_t i = 0; i < sampler->plan->point_count; i++)
        if (!sampler->records[i].done && sampler->plan->points[i].arena_bytes > most)
            most = sampler->plan->points[i].arena_bytes;
    return most;
}

static int fresh_arena(struct sampler *sampler, struct error *error)
{
    const struct plan *plan = sampler->plan;
    if (sampler->arena.memory && plan->arena_life == ARENA_WHOLE_RUN)
        return 0;
    arena_unmap(&sampler->arena);
    size_t bytes = arena_need(sampler);
    if (!bytes)
        return 0;
    int code = arena_map(&sampler->arena, bytes, plan->pages, plan->node, error);
    if (code < 0)
        return code;
    struct team_job job = {&plan->touch_cpu, 1, touch_work, &sampler->arena, NULL};
    code = team_run(sampler->engine->team, &job, error);
    if (code < 0)
        return code;
    arena_verify(&sampler->arena);
    sampler->sampled->arena_bytes = sampler->arena.bytes;
    sampler->sampled->placement = sampler->arena.placement;
    sampler->sampled->pages_used = sampler->arena.used;
    return 0;
}

/* --- one visit --- */

static void set_trials(struct sampler *sampler, const struct plan_point *point,
                       const struct record *record)
{
    const struct plan *plan = sampler->plan;
    unsigned left = plan->trials_max - record->trials;
    sampler->visit.trial_count = left < plan->trials_per_visit ? left : plan->trials_per_visit;
    for (unsigned i = 0; i < sampler->visit.trial_count; i++)
        sampler->trials[i] = (struct trial){
            .plan = plan,
            .point = point,
            .arena = &sampler->arena,
            .seed = random_next(&sampler->random),
            .number = record->trials + i,
            .operations = 1,
            .workers = sampler->workers + i * sampler->seats_max,
            .probe_state = sampler->work->state,
        };
}

static uint64_t stolen_ns(const struct sampler *sampler, const struct plan_point *point)
{
    uint64_t sum = 0;
    if (sampler->engine->machine->facts.hypervisor) /* nobody else can steal */
        for (size_t i = 0; i < point->seat_count; i++)
            sum += os_stolen_ns(point->seats[i].cpu);
    return sum;
}

/* Keeps a uniform sample of the clock's readings (Vitter's algorithm R). */
static void note_clock(struct sampler *sampler, const struct visit *visit)
{
    for (unsigned i = 0; i < visit->batch_count; i++) {
        size_t seen = sampler->core_hz_seen++;
        if (seen >= CLOCK_READINGS_MAX)
            seen = (size_t)random_below(&sampler->random, seen + 1);
        if (seen < CLOCK_READINGS_MAX)
            sampler->core_hz[seen] = visit->batches[i].core_hz;
    }
}

/* Measures the point's next trials; again where a hypervisor took the CPU meanwhile. */
static int visit_point(struct sampler *sampler, size_t index, struct error *error)
{
    const struct plan_point *point = &sampler->plan->points[index];
    struct record *record = &sampler->records[index];
    struct visit *visit = &sampler->visit;
    bool stolen;
    set_trials(sampler, point, record);
    visit->repeats = sampler->plan->repeats ? sampler->plan->repeats : record->repeats;
    for (int attempt = 1;; attempt++) {
        uint64_t before = stolen_ns(sampler, point);
        int code = visit_run(visit, sampler->engine->team, error);
        if (code < 0)
            return code;
        uint64_t taken = stolen_ns(sampler, point) - before;
        sampler->sampled->stolen_s += (double)taken * 1e-9;
        stolen = taken > 0;
        if (visit->end != VISIT_DONE) {
            record->starved_visits++;
            record->done = record->starved_visits >= STARVED_VISITS_MAX;
            return 0;
        }
        if (!stolen || attempt == STEAL_ATTEMPTS || out_of_time(sampler))
            break;
        record->redone += visit->batch_count;
    }
    unsigned before = record->trials;
    int code = record_add(record, visit, sampler->scratch, error);
    if (code < 0)
        return code;
    unsigned added = record->trials - before;
    record->stolen_trials += stolen ? added : 0;
    if (sampler->arena.memory)
        record->flags |= arena_flags(&sampler->arena);
    if (!sampler->plan->kernel_timed)
        note_clock(sampler, visit);
    sampler->trials_done += added;
    return 0;
}

static void leave_if_done(const struct sampler *sampler, struct record *record)
{
    const struct plan *plan = sampler->plan;
    record->done =
        record->done || record->trials >= plan->trials_max ||
        (record->trials >= plan->trials_min && record_converged(record, plan, sampler->scratch));
}

/* --- rounds --- */

/* At most four times a second. Until every point has its fewest trials, work tells how much is
 * left; after that, the budget does. */
static void show_progress(struct sampler *sampler)
{
    const struct progress *progress = &sampler->engine->progress;
    uint64_t now = os_raw_ns();
    if (!progress->show || now - sampler->shown_ns < 250u * 1000 * 1000)
        return;
    sampler->shown_ns = now;
    double fewest = (double)sampler->plan->point_count * sampler->plan->trials_min;
    double elapsed = elapsed_s(sampler), budget = sampler->plan->budget_s;
    double by_work = (double)sampler->trials_done / fewest, by_time = elapsed / budget;
    double done = fmin(1, fmax(by_work < 1 ? by_work : 0, by_time));
    sampler->shown = fmax(sampler->shown, done); /* it never goes back */
    double left = by_work < 1 && by_work > 0 ? elapsed / by_work - elapsed : budget - elapsed;
    progress->show(progress->argument, sampler->shown, fmax(0, fmin(left, budget - elapsed)));
}

static size_t shuffle_open_points(struct sampler *sampler)
{
    size_t open = 0;
    for (size_t i = 0; i < sampler->plan->point_count; i++)
        if (!sampler->records[i].done)
            sampler->order[open++] = i;
    for (size_t i = open; i > 1; i--) {
        size_t other = (size_t)random_below(&sampler->random, i);
        size_t swap = sampler->order[i - 1];
        sampler->order[i - 1] = sampler->order[other];
        sampler->order[other] = swap;
    }
    return open;
}

static int run_rounds(struct sampler *sampler, struct error *error)
{
    const struct plan *plan = sampler->plan;
    const uint64_t apart_ns = (uint64_t)(plan->span_s * 1e9 / plan->trials_min);
    size_t open;
    for (uint64_t round = 0; (open = shuffle_open_points(sampler)) > 0; round++) {
        uint64_t begin_ns = sampler->began_ns + round * apart_ns;
        if (begin_ns > sampler->visit.deadline_ns)
            begin_ns = sampler->visit.deadline_ns;
        int code = team_pause(sampler->engine->team, begin_ns, error);
        if (code == 0)
            code = fresh_arena(sampler, error);
        for (size_t i = 0; i < open && code == 0; i++) {
            if (out_of_time(sampler))
                return 0;
            code = visit_point(sampler, sampler->order[i], error);
            leave_if_done(sampler, &sampler->records[sampler->order[i]]);
            show_progress(sampler);
        }
        if (code < 0)
            return code;
    }
    return 0;
}

/* --- the end --- */

static int append_points(struct sampler *sampler, struct pool *pool, struct error *error)
{
    struct plan *plan = sampler->plan;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *planned = &plan->points[i];
        const struct record *record = &sampler->records[i];
        if (!record->trials) {
            sampler->sampled->points_missing++;
            sampler->sampled->points_starved += record->starved_visits > 0;
            continue;
        }
        struct series *series = &plan->series[planned->series];
        struct point *point =
            pool_append(pool, (void **)&series->points, &series->point_count, sizeof *point);
        if (!point)
            return error_set(error, ERROR_SYSTEM, "out of memory");
        point->x = planned->x;
        point->from = planned->from;
        point->to = planned->to;
        record_conclude(record, plan, sampler->scratch, point);
    }
    return 0;
}

int sampler_run(struct engine *engine, struct plan *plan, const struct trial_work *work,
                struct pool *pool, struct sampled *sampled, struct error *error)
{
    struct sampler sampler = {.engine = engine,
                              .plan = plan,
                              .work = work,
                              .sampled = sampled,
                              .random = {engine->seed},
                              .began_ns = os_raw_ns()};
    *sampled = (struct sampled){0};
    int code = sampler_reserve(&sampler, error);
    if (code == 0)
        code = run_rounds(&sampler, error);
    /* A worker that is lost may still write to all of this: leave it. */
    if (code == ERROR_SYSTEM)
        return code;
    if (sampler.records && sampler.core_hz) {
        int appended = append_points(&sampler, pool, code == 0 ? error : NULL);
        code = code == 0 ? appended : code;
        size_t seen = sampler.core_hz_seen;
        size_t kept = seen < CLOCK_READINGS_MAX ? seen : CLOCK_READINGS_MAX;
        summarize(sampler.core_hz, kept, sampler.core_hz, &sampled->core_hz);
    }
    sampler_release(&sampler);
    return code;
}
