#include "measure/probes/gpu/findings.h"

#include "conclude/registry/finding.h"
#include "document/flag.h"

#include <math.h>

/* A finding is flagged when at least this share of its points is: fewer hardly move their median.
 */
static const double flagged_share = 0.25;

int gpu_points_add(struct gpu_points *points, struct gpu_task *task, const struct point *point,
                   struct error *error)
{
    if (!point || !point->y.n)
        return 0;
    void *list = (void *)points->list;
    const struct point **slot =
        pool_append(task->task->pool, &list, &points->count, sizeof(const struct point *));
    points->list = list;
    *slot = point;
    return 0;
}

int gpu_points_between(struct gpu_points *points, struct gpu_task *task,
                       const struct series *series, double from, double to, struct error *error)
{
    int code = 0;
    for (size_t i = 0; i < series->point_count && code == 0; i++)
        if (series->points[i].x >= from && series->points[i].x <= to)
            code = gpu_points_add(points, task, &series->points[i], error);
    return code;
}

static int pool_points(const struct gpu_points *points, struct gpu_task *task,
                       struct estimate (*of)(const struct point *), struct level_estimate *result,
                       struct error *error)
{
    double *values = pool_alloc(task->task->pool, points->count, sizeof *values);
    double *halves = pool_alloc(task->task->pool, points->count, sizeof *halves);
    bool all = true;
    for (size_t i = 0; i < points->count; i++) {
        struct estimate value = of(points->list[i]);
        values[i] = (double)value.median;
        halves[i] = (double)(value.high - value.low) / 2;
        all = all && isfinite(values[i]);
    }
    *result =
        all ? level_pool(values, halves, points->count) : (struct level_estimate){NAN, NAN, NAN};
    if (points->count == 1 && !(points->list[0]->y.coverage > 0)) /* tried once */
        result->low = result->high = NAN;
    return 0;
}

static unsigned flags_of(const struct gpu_points *points)
{
    unsigned flags = 0;
    for (int flag = 0; flag < FLAG_COUNT; flag++) {
        size_t bearing = 0;
        for (size_t i = 0; i < points->count; i++)
            bearing += (points->list[i]->flags & FLAG_BIT(flag)) != 0;
        if ((double)bearing > flagged_share * (double)points->count)
            flags |= FLAG_BIT(flag);
    }
    return flags;
}

int gpu_points_read(const struct gpu_points *points, struct gpu_task *task,
                    struct gpu_latency_read *read, struct error *error)
{
    const struct level_estimate nothing = {NAN, NAN, NAN};
    *read = (struct gpu_latency_read){nothing, nothing, flags_of(points)};
    if (points->count == 0)
        return 0;
    int code = pool_points(points, task, finding_time_of, &read->ns, error);
    return code < 0 ? code : pool_points(points, task, finding_cycles_of, &read->cycles, error);
}

static int add_value(struct gpu_task *task, const char *name, const char *unit,
                     struct level_estimate value, unsigned flags, const char *text,
                     struct error *error)
{
    if (!isfinite(value.value))
        return 0;
    struct finding *finding =
        name ? finding_add_value(task->task->result, task->task->pool, name, unit, value.value,
                                 value.low, value.high, flags)
             : NULL;
    finding->text = text;
    return 0;
}

int gpu_add_latency(struct gpu_task *task, const char *finding, const struct gpu_points *points,
                    const char *text, struct error *error)
{
    struct gpu_latency_read read;
    const char *in_time = pool_printf(task->task->pool, "%s_ns", finding);
    int code = gpu_points_read(points, task, &read, error);
    if (code == 0)
        code = add_value(task, gpu_name(task, finding), "cycles", read.cycles, read.flags, text,
                         error);
    if (code == 0)
        code = add_value(task, in_time ? gpu_name(task, in_time) : NULL, "ns", read.ns, read.flags,
                         text, error);
    return code;
}

int gpu_add_rate(struct gpu_task *task, const char *finding, const struct point *point,
                 const char *text, struct error *error)
{
    if (!point || !point->y.n)
        return 0;
    struct estimate rate = finding_time_of(point); /* as the series has it: B/s */
    struct level_estimate value = {(double)rate.median, (double)rate.low, (double)rate.high};
    return add_value(task, gpu_name(task, finding), "B/s", value, point->flags, text, error);
}

const struct point *gpu_last_point(const struct series *series)
{
    const struct point *last = NULL;
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].y.n && (!last || series->points[i].x > last->x))
            last = &series->points[i];
    return last;
}
