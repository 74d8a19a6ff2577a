/* What single values of a pair scatter over: the lines that it was measured on, and the time. */
#include "probes/cores.h"

#include "findings/finding.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>

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
static const char *tell_lines(struct probe_task *task, const struct point *point)
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
        parts = pool_printf(task->pool,
                            " (standard deviations: %.1f %% from line to line, %.1f %% from time "
                            "to time, %.1f %% left)",
                            100 * (double)line, 100 * (double)drift, 100 * (double)residual);
    if (!parts)
        return NULL;
    return pool_printf(task->pool,
                       "from CPU %d to %d the latency differs by %.0f %%%s; a "
                       "single-line tool would have told you anything from %.1f to %.1f ns%s",
                       point->from, point->to, 100 * spread_of(point), how, (double)point->y.min,
                       (double)point->y.max, parts);
}

int cores_add_lines(struct probe_task *task, const struct series *series, struct error *error)
{
    const struct point *widest = widest_over_lines(series);
    if (!widest)
        return 0;
    const char *name = cores_name_of(task, series, "lines");
    struct finding *finding =
        name ? finding_add_value(task->result, task->pool, name, "%", 100 * spread_of(widest), NAN,
                                 NAN, widest->flags)
             : NULL;
    if (!finding)
        return error_out_of_memory(error);
    finding->cpus = cores_cpus_of(task, widest);
    finding->text = tell_lines(task, widest);
    return finding->text ? 0 : error_out_of_memory(error);
}

/* --- the reference --- */

struct drift {
    double percent, least, most;
    const char *pair; /* NULL: no reference was measured twice */
    size_t visits;
};

/* What became of one home's reference in the course of the run: a series of its own, and by how
 * much it moved. */
static int add_reference(struct probe_task *task, const struct cores_visit *visits, size_t count,
                         struct drift *drift, struct error *error)
{
    struct probe_result *result = task->result;
    struct series *series = &result->series[result->series_count];
    double *values = calloc(count, sizeof *values);
    struct factor *cpus = pool_alloc(task->pool, 1, sizeof *cpus);
    const char *pair = pool_printf(task->pool, "%d,%d", visits->from, visits->to);
    *series = (struct series){.name = "reference",
                              .factors = cpus,
                              .factor_count = 1,
                              .x = {"time", "s"},
                              .y = {"latency", "ns"},
                              .points = pool_alloc(task->pool, count, sizeof *series->points)};
    if (!values || !cpus || !pair || !series->points) {
        free(values);
        return error_out_of_memory(error);
    }
    *cpus = (struct factor){"cpus", pair, 0};
    for (size_t i = 0; i < count; i++) {
        struct point *point = &series->points[series->point_count++];
        values[i] = visits[i].ns;
        *point = (struct point){
            .x = visits[i].at_s, .cycles = {NAN, NAN, NAN}, .scatter = {NAN, NAN, NAN}};
        double scratch;
        summarize(&values[i], 1, &scratch, &point->y);
    }
    result->series_count++;
    task->plan.series_count = result->series_count;
    sort_ascending(values, count);
    const double least = values[0], most = values[count - 1];
    const double percent = 100 * (most - least) / median(values, count);
    if (!drift->pair || percent > drift->percent)
        *drift = (struct drift){percent, least, most, pair, count};
    free(values);
    return 0;
}

/* The visits to one home's reference stand together. */
int cores_add_drift(struct probe_task *task, struct error *error)
{
    const struct cores_state *state = task->state;
    const struct cores_visit *visits = state->visits;
    struct drift drift = {0};
    for (size_t i = 0, end; i < state->visit_count; i = end) {
        for (end = i + 1; end < state->visit_count && visits[end].home == visits[i].home;)
            end++;
        if (end - i > 1 && add_reference(task, &visits[i], end - i, &drift, error) < 0)
            return ERROR_SYSTEM;
    }
    if (!drift.pair)
        return 0;
    struct finding *finding = probe_add_finding(task, "cores.drift", "%");
    if (!finding)
        return error_out_of_memory(error);
    finding->value = drift.percent;
    finding->cpus = drift.pair;
    finding->text = pool_printf(
        task->pool,
        "the reference pair%s, measured %zu times on the same lines through the run, moved between "
        "%.1f and %.1f ns%s",
        state->home_count > 1 ? " that moved most, of one a home" : "", drift.visits, drift.least,
        drift.most,
        settings_has(task->settings, "correct-drift") ? "; the figures are corrected for it" : "");
    return finding->text ? 0 : error_out_of_memory(error);
}
