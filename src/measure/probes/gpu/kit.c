/* What experiments plan and conclude with: series, points and their works; latencies and rates of
 * points; and what was not measured, with its reason. */
#include "document/flag.h"
#include "measure/probes/gpu/state.h"
#include "measure/probes/kit/build.h"

#include <math.h>
#include <string.h>

const struct axis gpu_by_size = {"working set", "B"}, gpu_in_ns = {"latency", "ns"},
                  gpu_rate = {"bandwidth", "B/s"};

/* --- series and points --- */

struct series *gpu_add_series(struct gpu_task *here, const char *what, struct axis x, struct axis y)
{
    struct plan *plan = &here->task->plan;
    struct pool *pool = here->task->pool;
    const char *name = pool_printf(pool, "gpu%d %s", here->facts->id, what);
    struct series *series =
        pool_append(pool, (void **)&plan->series, &plan->series_count, sizeof *series);
    *series = (struct series){.name = name, .x = x, .y = y};
    gpu_add_factor(here, series, "what", what, NAN);
    gpu_add_factor(here, series, "gpu", NULL, here->facts->id);
    return series;
}

struct series *gpu_find_series(const struct gpu_task *here, const char *what, const char *factor,
                               const char *text, double number)
{
    const struct factor with[] = {{factor, text, number}, {.name = NULL}};
    return gpu_find_series_with(here, what, with);
}

struct series *gpu_find_series_with(const struct gpu_task *here, const char *what,
                                    const struct factor *with)
{
    const struct plan *plan = &here->task->plan;
    const char *name = pool_printf(here->task->pool, "gpu%d %s", here->facts->id, what);
    return series_find(plan->series, plan->series_count, name, with);
}

void gpu_add_factor(struct gpu_task *here, struct series *series, const char *name,
                    const char *text, double number)
{
    struct factor *factor = pool_append(here->task->pool, (void **)&series->factors,
                                        &series->factor_count, sizeof *factor);
    *factor = (struct factor){name, pool_strdup(here->task->pool, text), number};
}

struct gpu_work gpu_chase(enum gpu_path path, size_t bytes, size_t stride)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = path;
    work.bytes = bytes;
    work.stride = stride;
    return work;
}

static struct plan_point *add_point(struct gpu_task *here, const struct series *series,
                                    const struct gpu_work *work)
{
    static const struct seat nobody = {-1, MEASURED};
    struct gpu_device *device = &((struct gpu_state *)here->task->state)->device;
    struct plan *plan = &here->task->plan;
    struct pool *pool = here->task->pool;
    struct gpu_work *own =
        pool_append(pool, (void **)&device->works, &device->work_count, sizeof *own);
    *own = *work;
    struct plan_point *point =
        pool_append(pool, (void **)&plan->points, &plan->point_count, sizeof *point);
    *point = (struct plan_point){.seats = &nobody,
                                 .seat_count = 1,
                                 .series = (unsigned)(series - plan->series),
                                 .index = device->work_count - 1};
    return point;
}

void gpu_add_point(struct gpu_task *here, const struct series *series, double x,
                   const struct gpu_work *work)
{
    add_point(here, series, work)->x = x;
}

void gpu_add_pair(struct gpu_task *here, const struct series *series, int from, int to,
                  const struct gpu_work *work)
{
    struct plan_point *point = add_point(here, series, work);
    point->from = from;
    point->to = to;
}

void gpu_plan_rates(struct gpu_task *here)
{
    here->task->plan.yields = OPERATIONS_PER_SECOND;
    here->task->plan.cycles = false;
}

bool gpu_is_cpu(const struct gpu_facts *facts)
{
    return facts->kind && strcmp(facts->kind, "cpu") == 0;
}

uint64_t gpu_memory(const struct gpu_task *here)
{
    const uint64_t all = here->facts->memory_bytes;
    return here->free_bytes && (!all || here->free_bytes < all) ? here->free_bytes : all;
}

/* --- findings --- */

const char *gpu_name(const struct gpu_task *here, const char *finding)
{
    return pool_printf(here->task->pool, "gpu%d.%s", here->facts->id, finding);
}

struct finding *gpu_add_finding(struct gpu_task *here, const char *finding, const char *unit,
                                struct interval value, unsigned flags, const char *text)
{
    struct finding *added = finding_add_value(here->task->result, here->task->pool,
                                              gpu_name(here, finding), unit, value, flags);
    added->text = text;
    return added;
}

void gpu_points_add(struct gpu_points *points, struct gpu_task *here, const struct point *point)
{
    if (!point || !point->y.n)
        return;
    void *list = (void *)points->list;
    const struct point **slot =
        pool_append(here->task->pool, &list, &points->count, sizeof(const struct point *));
    points->list = list;
    *slot = point;
}

struct gpu_points gpu_points_between(struct gpu_task *here, const struct series *series,
                                     double from, double to)
{
    struct gpu_points points = {0};
    for (size_t i = 0; series && i < series->point_count; i++)
        if (series->points[i].x >= from && series->points[i].x <= to)
            gpu_points_add(&points, here, &series->points[i]);
    return points;
}

struct gpu_points gpu_points_of(struct gpu_task *here, const struct series *series)
{
    return gpu_points_between(here, series, 0, INFINITY);
}

static struct interval pool_points(const struct gpu_points *points, struct gpu_task *here,
                                   struct estimate (*of)(const struct point *))
{
    double *values = pool_alloc(here->task->pool, points->count, sizeof *values);
    double *halves = pool_alloc(here->task->pool, points->count, sizeof *halves);
    bool all = points->count > 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct estimate value = of(points->list[i]);
        values[i] = (double)value.median;
        halves[i] = (double)(value.high - value.low) / 2;
        all = all && isfinite(values[i]);
    }
    if (!all)
        return (struct interval){NAN, NAN, NAN};
    struct interval result = level_pool(values, halves, points->count);
    if (points->count == 1 && !(points->list[0]->y.coverage > 0)) /* one trial: no interval */
        result.low = result.high = NAN;
    return result;
}

/* A finding gets a flag if more than this share of its points has it: fewer hardly change their
 * median. */
static const double flagged_share = 0.25;

struct gpu_latency_read gpu_points_read(struct gpu_task *here, const struct gpu_points *points)
{
    unsigned flags = 0;
    for (int flag = 0; flag < FLAG_COUNT; flag++) {
        size_t bearing = 0;
        for (size_t i = 0; i < points->count; i++)
            bearing += (points->list[i]->flags & FLAG_BIT(flag)) != 0;
        if ((double)bearing > flagged_share * (double)points->count)
            flags |= FLAG_BIT(flag);
    }
    return (struct gpu_latency_read){pool_points(points, here, finding_time_of),
                                     pool_points(points, here, finding_cycles_of), flags};
}

struct gpu_latency_read gpu_read_between(struct gpu_task *here, const struct series *series,
                                         double from, double to)
{
    const struct gpu_points points = gpu_points_between(here, series, from, to);
    return gpu_points_read(here, &points);
}

void gpu_add_latency(struct gpu_task *here, const char *finding, struct gpu_points points,
                     const char *text)
{
    const struct gpu_latency_read read = gpu_points_read(here, &points);
    const char *in_ns = pool_printf(here->task->pool, "%s_ns", finding);
    if (isfinite(read.cycles.value))
        gpu_add_finding(here, finding, "cycles", read.cycles, read.flags, text);
    if (isfinite(read.ns.value))
        gpu_add_finding(here, in_ns, "ns", read.ns, read.flags, text);
}

void gpu_add_rate(struct gpu_task *here, const char *finding, const struct point *point,
                  const char *text)
{
    if (!point || !point->y.n)
        return;
    const struct interval value = estimate_interval(finding_time_of(point)); /* in B/s */
    if (isfinite(value.value))
        gpu_add_finding(here, finding, "B/s", value, point->flags, text);
}

double gpu_latency_of(const struct point *point)
{
    return (double)(isfinite(point->cycles.median) ? point->cycles.median : point->y.median);
}

const struct point *gpu_last_point(const struct series *series)
{
    const struct point *last = NULL;
    for (size_t i = 0; series && i < series->point_count; i++)
        if (series->points[i].y.n && (!last || series->points[i].x > last->x))
            last = &series->points[i];
    return last;
}

double gpu_capacity(const struct gpu_task *here, unsigned level, double declared)
{
    const double found =
        probe_value(here->task->result,
                    pool_printf(here->task->pool, "gpu%d.L%u.capacity", here->facts->id, level));
    return found > 0 ? found : declared;
}

/* --- what is left out --- */

/* Adds "gpu0 what: why" to a text, once. Drops the device's name from `why`, which begins a
 * backend's errors. */
static void tell(const char **text, struct pool *pool, int id, const char *what, const char *why)
{
    const char *device = pool_printf(pool, "gpu%d: ", id);
    if (strncmp(why, device, strlen(device)) == 0)
        why += strlen(device);
    const char *reason = pool_printf(pool, "gpu%d%s%s: %s", id, *what ? " " : "", what, why);
    if (!*text)
        *text = reason;
    else if (!strstr(*text, reason))
        *text = pool_printf(pool, "%s; %s", *text, reason);
}

void gpu_not_measured(struct gpu_task *here, const char *what, const char *why)
{
    struct gpu_state *state = here->task->state;
    tell(&state->not_measured, here->task->pool, here->facts->id, what, why);
}

void gpu_failed(struct probe_task *task, unsigned device, const char *why)
{
    struct gpu_state *state = task->state;
    tell(&state->failures, task->pool, state->facts[device].id, "", why);
}

bool gpu_can(struct gpu_task *here, const char *what, const struct gpu_work *work)
{
    const char *why = here->backend->refuses(here->gpu, work);
    if (why)
        gpu_not_measured(here, what, why);
    return !why;
}

void gpu_tell_left_out(struct probe_task *task)
{
    struct gpu_state *state = task->state;
    struct probe_result *result = task->result;
    size_t points = 0;
    for (size_t i = 0; i < result->series_count; i++)
        points += result->series[i].point_count;
    if (result->status == PROBE_OK && points == 0) {
        /* If no device can do it, that is no failure, and is reported only once, as the reason. */
        const bool lacking = !state->failures && state->not_measured;
        result->status = lacking ? PROBE_SKIPPED : PROBE_FAILED;
        result->reason = lacking           ? state->not_measured
                         : state->failures ? state->failures
                                           : "there was nothing to measure";
        if (lacking)
            state->not_measured = NULL;
    } else if (state->failures) {
        result->status = PROBE_PARTIAL;
        result->reason = !result->reason
                             ? state->failures
                             : pool_printf(task->pool, "%s; %s", result->reason, state->failures);
    }
    if (state->not_measured)
        build_note_text(task, parameter_not_measured, state->not_measured);
}
