#include "probes/gpu_senses.h"

#include "engine/visit.h"
#include "result/flag.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* NVML renews power and clocks every 20 to 100 ms, and takes up to some milliseconds to tell. */
static const double ask_every_s = 0.05;
/* A plan of more points than that is sensed by time alone. */
enum { POINTS_EACH_MOST = 256 };

static const struct quantity_sensed {
    struct axis axis;
    size_t offset; /* of a double in struct gpu_senses */
} quantities[] = {
    {{"clock", "Hz"}, offsetof(struct gpu_senses, clock_hz)},
    {{"power", "W"}, offsetof(struct gpu_senses, power_w)},
    {{"temperature", "C"}, offsetof(struct gpu_senses, temperature_c)},
};

int gpu_log_begin(struct gpu_log *log, const struct plan *plan, struct pool *pool,
                  struct error *error)
{
    log->next_s = 0;
    log->points = plan->points;
    log->has = pool_alloc(pool, plan->point_count + 1, sizeof *log->has);
    if (log->has && plan->point_count > POINTS_EACH_MOST)
        memset(log->has, true, plan->point_count);
    return log->has ? 0 : error_out_of_memory(error);
}

void gpu_log_note(struct gpu_log *log, const struct gpu_backend *backend, struct gpu *gpu,
                  const struct observation *seen, struct pool *pool)
{
    const size_t point = (size_t)(seen->trial->point - log->points);
    if (!backend->sense || (log->has[point] && seen->at_s < log->next_s))
        return;
    log->has[point] = true;
    log->next_s = seen->at_s + ask_every_s;
    struct gpu_sensed *sensed = pool_append(pool, (void **)&log->list, &log->count, sizeof *sensed);
    if (!sensed)
        return; /* what stands beside a measurement is not worth losing it */
    *sensed = (struct gpu_sensed){
        .point = *seen->trial->point,
        .senses = {.clock_hz = NAN, .memory_clock_hz = NAN, .power_w = NAN, .temperature_c = NAN}};
    backend->sense(gpu, &sensed->senses);
}

static bool is_beside(const struct gpu_sensed *sensed, const struct series *series, size_t index,
                      const struct point *point)
{
    if (sensed->point.series != index)
        return false;
    return series->matrix ? sensed->point.from == point->from && sensed->point.to == point->to
                          : sensed->point.x == point->x;
}

void gpu_log_flag(const struct gpu_log *log, const struct gpu_task *task)
{
    const struct plan *plan = &task->task->plan;
    for (size_t s = task->first_series; s < plan->series_count; s++)
        for (size_t p = 0; p < plan->series[s].point_count; p++) {
            struct point *point = &plan->series[s].points[p];
            for (size_t i = 0; i < log->count; i++)
                if (log->list[i].senses.throttle &&
                    is_beside(&log->list[i], &plan->series[s], s, point))
                    point->flags |= FLAG_BIT(FLAG_THROTTLED);
        }
}

static double value_of(const struct gpu_sensed *sensed, const struct quantity_sensed *quantity)
{
    double value;
    memcpy(&value, (const char *)&sensed->senses + quantity->offset, sizeof value);
    return value;
}

/* What was sensed beside that point, into values; how many. */
static size_t collect(const struct gpu_log *log, const struct series *series, size_t index,
                      const struct point *point, const struct quantity_sensed *quantity,
                      double *values)
{
    size_t n = 0;
    for (size_t i = 0; i < log->count; i++) {
        const double value = value_of(&log->list[i], quantity);
        if (isfinite(value) && is_beside(&log->list[i], series, index, point))
            values[n++] = value;
    }
    return n;
}

/* The companion of curve `index`, where anything was sensed beside it. */
static int add_companion(const struct gpu_log *log, const struct gpu_task *task, size_t index,
                         const struct quantity_sensed *quantity, double *values,
                         struct error *error)
{
    struct plan *plan = &task->task->plan;
    struct pool *pool = task->task->pool;
    const struct series *measured = &plan->series[index];
    if (measured->matrix)
        return 0;
    struct series companion = *measured;
    companion.name = pool_printf(pool, "%s: %s", measured->name, quantity->axis.name);
    companion.headline = false;
    companion.y = quantity->axis;
    companion.points = pool_alloc(pool, measured->point_count + 1, sizeof *companion.points);
    companion.point_count = 0;
    if (!companion.name || !companion.points)
        return error_out_of_memory(error);
    for (size_t i = 0; i < measured->point_count; i++) {
        const size_t n = collect(log, measured, index, &measured->points[i], quantity, values);
        if (n == 0)
            continue;
        struct point *point = &companion.points[companion.point_count++];
        *point = measured->points[i];
        point->cycles = (struct estimate){NAN, NAN, NAN};
        point->scatter = (struct scatter){NAN, NAN, NAN};
        point->redone = 0;
        point->failed = NULL;
        summarize(values, n, values, &point->y);
    }
    if (companion.point_count == 0)
        return 0;
    struct series *added =
        pool_append(pool, (void **)&plan->series, &plan->series_count, sizeof *added);
    if (!added)
        return error_out_of_memory(error);
    *added = companion;
    return 0;
}

int gpu_log_conclude(struct gpu_log *log, const struct gpu_task *task, struct error *error)
{
    const size_t end = task->task->plan.series_count;
    double *values = pool_alloc(task->task->pool, log->count + 1, sizeof *values);
    int code = values ? 0 : error_out_of_memory(error);
    for (size_t s = task->first_series; log->count && s < end && code == 0; s++)
        for (size_t q = 0; q < sizeof quantities / sizeof *quantities && code == 0; q++)
            code = add_companion(log, task, s, &quantities[q], values, error);
    *log = (struct gpu_log){0};
    return code;
}
