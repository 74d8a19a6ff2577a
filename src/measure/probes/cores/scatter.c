/* What single values of a pair scatter over: the lines that it was measured on, and the time. */
#include "measure/probes/cores/cores.h"

#include "conclude/registry/finding.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double spread_of(const struct point *point)
{
    return point->y.n > 1 ? (double)((point->y.max - point->y.min) / point->y.median) : 0;
}

static float of_lines(const struct point *point)
{
    return isfinite(point->scatter.line) ? point->scatter.line : 0;
}

/* The pair whose lines differ most: by what is their own, and else by all that there is. */
static const struct point *widest_over_lines(const struct series *series)
{
    const struct point *widest = NULL;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const float least = widest ? of_lines(widest) : 0;
        if (of_lines(point) > least ||
            (!(of_lines(point) < least) && spread_of(point) > (widest ? spread_of(widest) : 0)))
            widest = point;
    }
    return widest;
}

/* What a tool with one line would have made of the pair, and whether that is the lines' doing. */
static const char *tell_lines(struct pool *pool, const struct point *point)
{
    const struct scatter *scatter = &point->scatter;
    const float line = scatter->line, drift = scatter->drift, residual = scatter->residual;
    const char *parts = "", *how = "";
    if (!isfinite(line))
        how = " over the lines";
    else if (line >= drift && line >= residual)
        how = " from line to line";
    else
        how = drift >= residual ? " over the lines, most of it time and not lines"
                                : " over the lines, most of it noise and not lines";
    if (isfinite(line))
        parts = pool_printf(pool,
                            " (standard deviations: %.1f %% from line to line, %.1f %% from time "
                            "to time, %.1f %% left)",
                            100 * (double)line, 100 * (double)drift, 100 * (double)residual);
    if (!parts)
        return NULL;
    return pool_printf(pool,
                       "from CPU %d to %d the latency differs by %.0f %%%s; a "
                       "single-line tool would have reported anything from %.1f to %.1f ns%s",
                       point->from, point->to, 100 * spread_of(point), how, (double)point->y.min,
                       (double)point->y.max, parts);
}

int cores_add_lines(struct analysis *analysis, const struct series *series, struct error *error)
{
    const struct point *widest = widest_over_lines(series);
    if (!widest)
        return 0;
    const char *name = cores_name_of(analysis->pool, series, "lines");
    struct finding *finding =
        name ? finding_add_value(analysis->result, analysis->pool, name, "%",
                                 100 * spread_of(widest), NAN, NAN, widest->flags)
             : NULL;
    if (!finding)
        return error_out_of_memory(error);
    finding->cpus = cores_cpus_of(analysis->pool, widest);
    finding->text = tell_lines(analysis->pool, widest);
    return finding->text ? 0 : error_out_of_memory(error);
}

/* --- the reference --- */

static const char reference_name[] = "reference";

/* What became of one home's reference in the course of the run: a series of its own. */
static int add_reference(struct probe_task *task, const struct cores_visit *visits, size_t count,
                         struct error *error)
{
    struct probe_result *result = task->result;
    struct series *series = &result->series[result->series_count];
    struct factor *cpus = pool_alloc(task->pool, 1, sizeof *cpus);
    const char *pair = pool_printf(task->pool, "%d,%d", visits->from, visits->to);
    *series = (struct series){.name = reference_name,
                              .factors = cpus,
                              .factor_count = 1,
                              .x = {"time", "s"},
                              .y = {"latency", "ns"},
                              .points = pool_alloc(task->pool, count, sizeof *series->points)};
    if (!cpus || !pair || !series->points)
        return error_out_of_memory(error);
    *cpus = (struct factor){"cpus", pair, 0};
    for (size_t i = 0; i < count; i++) {
        struct point *point = &series->points[series->point_count++];
        *point = point_bare();
        point->x = visits[i].at_s;
        double scratch;
        summarize(&visits[i].ns, 1, &scratch, &point->y);
    }
    result->series_count++;
    task->plan.series_count = result->series_count;
    return 0;
}

/* The visits to one home's reference stand together. */
int cores_add_references(struct probe_task *task, struct error *error)
{
    const struct cores_state *state = task->state;
    const struct cores_visit *visits = state->visits;
    for (size_t i = 0, end; i < state->visit_count; i = end) {
        for (end = i + 1; end < state->visit_count && visits[end].home == visits[i].home;)
            end++;
        if (end - i > 1 && add_reference(task, &visits[i], end - i, error) < 0)
            return ERROR_SYSTEM;
    }
    return 0;
}

struct drift {
    double percent, least, most;
    const struct series *reference; /* NULL: none was measured twice */
};

static int find_drift(const struct series *series, struct drift *drift)
{
    double *values = calloc(series->point_count + 1, sizeof *values);
    if (!values)
        return ERROR_SYSTEM;
    for (size_t i = 0; i < series->point_count; i++)
        values[i] = (double)series->points[i].y.median;
    sort_ascending(values, series->point_count);
    const double least = values[0], most = values[series->point_count - 1];
    const double percent = 100 * (most - least) / median(values, series->point_count);
    if (!drift->reference || percent > drift->percent)
        *drift = (struct drift){percent, least, most, series};
    free(values);
    return 0;
}

int cores_add_drift(struct analysis *analysis, struct error *error)
{
    const struct probe_result *result = analysis->result;
    struct drift drift = {.reference = NULL};
    size_t references = 0;
    const size_t first = result->finding_count;
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        if (strcmp(series->name, reference_name) != 0 || series->point_count < 2)
            continue;
        references++;
        if (find_drift(series, &drift) < 0)
            return error_out_of_memory(error);
    }
    if (!drift.reference)
        return 0;
    struct finding *finding = analysis_add(analysis, "cores.drift", "%");
    if (!finding)
        return error_out_of_memory(error);
    finding->value = drift.percent;
    finding->cpus = analysis_factor(drift.reference, "cpus");
    finding->text = pool_printf(
        analysis->pool,
        "the reference pair%s, measured %zu times on the same lines through the run, moved between "
        "%.1f and %.1f ns%s",
        references > 1 ? " that moved most, of one a home" : "", drift.reference->point_count,
        drift.least, drift.most,
        analysis_is_set(analysis, "correct-drift") ? "; the figures are corrected for it" : "");
    analysis_read_off(analysis, first, drift.reference);
    return finding->text ? 0 : error_out_of_memory(error);
}
