#include "measure/probes/latency/small.h"

#include "base/text.h"

#include <math.h>

static const char series_name[] = "small sets";
/* From inside any first level to beyond it, in steps of a ninth. */
static const double smallest = 8 << 10, largest = 192 << 10;
static const double per_octave = 8;
enum { GROUPS = 11, LOADS = 1024 };
/* Fewer trials see no more than the curve does. */
enum { TRIALS_LEAST = 20 };

int latency_small_plan(struct probe_task *task, struct chases *chases, const struct seat *seat,
                       struct error *error)
{
    struct plan *plan = &task->plan;
    const struct chase_kind kind = chases->kinds[0];
    if (kind.stride != chases->line_bytes || chases->threads > 1)
        return 0;
    const struct factor *pages = series_factor(&plan->series[0], "pages");
    const int series =
        chases_add_series(chases, task, series_name, &kind, pages ? pages->text : NULL, error);
    if (series < 0)
        return series;
    probe_plan_sweeps(plan, GROUPS, LOADS);
    plan->lowest = false; /* how long it takes is asked as well */
    for (int step = 0;; step++) {
        const double bytes = smallest * exp2((double)step / per_octave);
        const uint64_t whole = (uint64_t)round(bytes / (double)kind.stride) * kind.stride;
        if (bytes > largest)
            return 1;
        int code = chases_add_point(chases, task, series, (double)whole, whole, seat, error);
        if (code < 0)
            return code;
    }
}

static const struct series *sweeps_of(const struct probe_result *result)
{
    for (size_t i = 0; i < result->series_count; i++)
        if (text_same(result->series[i].name, series_name))
            return &result->series[i];
    return NULL;
}

const struct series *latency_small_joined(const struct probe_result *result,
                                          const struct series *curve, struct pool *pool)
{
    const struct series *sweeps = sweeps_of(result);
    bool enough = sweeps && sweeps->point_count > 1 && curve->headline;
    for (size_t i = 0; enough && i < sweeps->point_count; i++)
        enough = sweeps->points[i].y.n >= TRIALS_LEAST;
    if (!enough)
        return curve;
    const double from = sweeps->points[0].x, to = sweeps->points[sweeps->point_count - 1].x;
    struct series *joined = pool_alloc(pool, 1, sizeof *joined);
    struct point *points =
        pool_alloc(pool, curve->point_count + sweeps->point_count, sizeof *points);
    if (!joined || !points)
        return NULL;
    size_t count = 0, at = 0;
    for (; at < curve->point_count && curve->points[at].x < from; at++)
        points[count++] = curve->points[at];
    for (size_t i = 0; i < sweeps->point_count; i++)
        points[count++] = sweeps->points[i];
    for (; at < curve->point_count; at++)
        if (curve->points[at].x > to)
            points[count++] = curve->points[at];
    *joined = *curve;
    joined->points = points;
    joined->point_count = count;
    return joined;
}
