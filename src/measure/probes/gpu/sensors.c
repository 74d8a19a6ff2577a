#include "measure/probes/gpu/sensors.h"

#include "document/flag.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* NVML updates power and clocks every 20 to 100 ms, and takes up to some milliseconds to answer. */
static const double ask_every_s = 0.05;
/* In a plan with more points than this, not every point gets a reading. */
enum { POINTS_EACH_MOST = 256 };

static const struct sensed_quantity {
    struct axis axis;
    size_t offset;  /* of a double in struct gpu_sensors */
    double divisor; /* from the axis's unit to shown_unit */
    const char *shown_unit;
} quantities[GPU_QUANTITIES] = {
    {{"clock", "Hz"}, offsetof(struct gpu_sensors, clock_hz), 1e9, "GHz"},
    {{"memory clock", "Hz"}, offsetof(struct gpu_sensors, memory_clock_hz), 1e9, "GHz"},
    {{"power", "W"}, offsetof(struct gpu_sensors, power_w), 1, "W"},
    {{"temperature", "C"}, offsetof(struct gpu_sensors, temperature_c), 1, "C"},
};

void gpu_log_begin(struct gpu_log *log, const struct plan *plan, struct pool *pool)
{
    log->next_s = 0;
    log->points = plan->points;
    log->has = pool_alloc(pool, plan->point_count + 1, sizeof *log->has);
    if (plan->point_count > POINTS_EACH_MOST)
        memset(log->has, true, plan->point_count);
}

static double value_of(const struct gpu_sensors *sensors, const struct sensed_quantity *quantity)
{
    double value;
    memcpy(&value, (const char *)sensors + quantity->offset, sizeof value);
    return value;
}

void gpu_log_note(struct gpu_log *log, const struct gpu_backend *backend, struct gpu *gpu,
                  const struct observation *seen, struct pool *pool)
{
    const size_t point = (size_t)(seen->trial->point - log->points);
    if (!backend->read_sensors || (log->has[point] && seen->at_s < log->next_s))
        return;
    log->has[point] = true;
    log->next_s = seen->at_s + ask_every_s;
    struct gpu_sensor_reading *reading =
        pool_append(pool, (void **)&log->list, &log->count, sizeof *reading);
    if (!reading)
        return; /* out of memory: the measurement goes on without this reading */
    *reading = (struct gpu_sensor_reading){
        .point = *seen->trial->point,
        .sensors = {.clock_hz = NAN, .memory_clock_hz = NAN, .power_w = NAN, .temperature_c = NAN}};
    backend->read_sensors(gpu, &reading->sensors);
    log->throttle |= reading->sensors.throttle;
    for (size_t q = 0; q < GPU_QUANTITIES; q++) {
        struct gpu_span *span = &log->spans[q];
        const double value = value_of(&reading->sensors, &quantities[q]);
        if (!isfinite(value))
            continue;
        *span = span->known
                    ? (struct gpu_span){true, fmin(span->least, value), fmax(span->most, value)}
                    : (struct gpu_span){true, value, value};
    }
}

static bool is_beside(const struct gpu_sensor_reading *reading, const struct series *series,
                      size_t index, const struct point *point)
{
    if (reading->point.series != index)
        return false;
    return series->matrix ? reading->point.from == point->from && reading->point.to == point->to
                          : reading->point.x == point->x;
}

void gpu_log_flag(const struct gpu_log *log, const struct gpu_task *task)
{
    const struct plan *plan = &task->task->plan;
    for (size_t s = task->first_series; s < plan->series_count; s++)
        for (size_t p = 0; p < plan->series[s].point_count; p++) {
            struct point *point = &plan->series[s].points[p];
            for (size_t i = 0; i < log->count; i++)
                if (log->list[i].sensors.throttle &&
                    is_beside(&log->list[i], &plan->series[s], s, point))
                    point->flags |= FLAG_BIT(FLAG_THROTTLED);
        }
}

/* Writes the point's readings of a quantity into values; returns their number. */
static size_t collect(const struct gpu_log *log, const struct series *series, size_t index,
                      const struct point *point, const struct sensed_quantity *quantity,
                      double *values)
{
    size_t n = 0;
    for (size_t i = 0; i < log->count; i++) {
        const double value = value_of(&log->list[i].sensors, quantity);
        if (isfinite(value) && is_beside(&log->list[i], series, index, point))
            values[n++] = value;
    }
    return n;
}

/* Adds the companion of curve `index`, if it has readings. A matrix has none: four more matrices of
 * a thousand cells would say little, and gpu_log_end() reports their range. */
static void add_companion(const struct gpu_log *log, const struct gpu_task *task, size_t index,
                          const struct sensed_quantity *quantity, double *values)
{
    struct plan *plan = &task->task->plan;
    struct pool *pool = task->task->pool;
    const struct series *measured = &plan->series[index];
    if (measured->matrix)
        return;
    struct series companion = *measured;
    companion.name = pool_printf(pool, "%s: %s", measured->name, quantity->axis.name);
    companion.headline = false;
    companion.y = quantity->axis;
    companion.points = pool_alloc(pool, measured->point_count + 1, sizeof *companion.points);
    companion.point_count = 0;
    for (size_t i = 0; i < measured->point_count; i++) {
        const size_t n = collect(log, measured, index, &measured->points[i], quantity, values);
        if (n == 0)
            continue;
        struct point *point = &companion.points[companion.point_count++];
        *point = measured->points[i];
        point_drop_details(point);
        point->failed = NULL;
        summarize(values, n, values, &point->y);
    }
    if (companion.point_count)
        *(struct series *)pool_append(pool, (void **)&plan->series, &plan->series_count,
                                      sizeof companion) = companion;
}

void gpu_log_conclude(struct gpu_log *log, const struct gpu_task *task)
{
    const size_t end = task->task->plan.series_count;
    double *values = pool_alloc(task->task->pool, log->count + 1, sizeof *values);
    for (size_t s = task->first_series; log->count && s < end; s++)
        for (size_t q = 0; q < GPU_QUANTITIES; q++)
            add_companion(log, task, s, &quantities[q], values);
    log->list = NULL;
    log->count = 0;
    log->points = NULL;
    log->has = NULL;
}

/* "its clock was slowed by the power limit, heat" */
static const char *text_of_reasons(uint64_t reasons, struct pool *pool)
{
    const char *text = "its clock was slowed by", *between = "";
    for (const struct gpu_throttle *throttle = gpu_throttles; throttle->name; throttle++) {
        if (!(reasons & throttle->reason))
            continue;
        text = pool_printf(pool, "%s%s %s", text, between, throttle->name);
        reasons &= ~throttle->reason;
        between = ",";
    }
    return reasons ? pool_printf(pool, "%s%s NVML's reason 0x%llx", text, between,
                                 (unsigned long long)reasons)
                   : text;
}

void gpu_log_end(struct gpu_log *log, struct gpu_task *task)
{
    const struct gpu_log ended = *log;
    *log = (struct gpu_log){0};
    if (!task->task) /* no device was started */
        return;
    struct pool *pool = task->task->pool;
    /* "while all of it was measured: clock 1.53 to 1.545 GHz, power 300 W"; NULL: no readings. */
    const char *spans = NULL;
    for (size_t q = 0; q < GPU_QUANTITIES; q++) {
        const struct gpu_span *span = &ended.spans[q];
        const struct sensed_quantity *quantity = &quantities[q];
        char most[32] = "";
        if (!span->known)
            continue;
        if (span->most > span->least)
            snprintf(most, sizeof most, " to %.4g", span->most / quantity->divisor);
        spans = pool_printf(pool, "%s%s %s %.4g%s %s",
                            spans ? spans : "while all of it was measured:", spans ? "," : "",
                            quantity->axis.name, span->least / quantity->divisor, most,
                            quantity->shown_unit);
    }
    const char *reasons = ended.throttle ? text_of_reasons(ended.throttle, pool) : NULL;
    if (spans || reasons)
        gpu_add_finding(task, "condition", "", (struct interval){NAN, NAN, NAN},
                        (ended.throttle ? FLAG_BIT(FLAG_THROTTLED) : 0) |
                            (task->facts->modelled ? FLAG_BIT(FLAG_MODELLED) : 0),
                        spans && reasons ? pool_printf(pool, "%s; %s", spans, reasons)
                        : spans          ? spans
                                         : reasons);
}
