#include "measure/probes/sharing/contention.h"

#include "conclude/registry/finding.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

/* The points of throughput or fairness, as many as the operation has of time. */
static int add_tallied(struct probe_task *task, enum contention_op op, bool fairness,
                       struct error *error)
{
    const struct contention_state *state = task->state;
    struct series *times = &task->result->series[CONTENTION_TIMES + op];
    struct series *series =
        &task->result->series[(fairness ? CONTENTION_FAIRNESS : CONTENTION_THROUGHPUT) + op];
    for (size_t i = 0; i < task->plan.point_count; i++) {
        const struct plan_point *planned = &task->plan.points[i];
        const struct contention_tally *tally = &state->tallies[i];
        const struct point *timed = series_point(times, planned->x);
        if (planned->series != CONTENTION_TIMES + op || !tally->trials || !timed)
            continue;
        struct point *point =
            pool_append(task->pool, (void **)&series->points, &series->point_count, sizeof *point);
        *point = point_bare();
        point->x = planned->x;
        point->flags = timed->flags;
        double *values = fairness ? tally->fairness : tally->throughput;
        summarize(values, tally->trials, values, &point->y);
    }
    return 0;
}

void contention_conclude(struct probe_task *task, const struct stage_outcome *outcome)
{
    struct error *error = pool_error(task->pool);
    (void)outcome;
    int code = 0;
    task->plan.series_count = task->result->series_count = CONTENTION_ALL;
    for (enum contention_op op = 0; op < CONTENTION_OPS && code == 0; op++) {
        code = add_tallied(task, op, false, error);
        if (code == 0)
            code = add_tallied(task, op, true, error);
    }
    return (void)pool_check(task->pool, code);
}

/* --- findings --- */

/* What one operation's series show. */
struct operation_curves {
    const char *op;
    const struct series *times, *throughput, *fairness, *distances;
};

static int add_from(struct analysis *analysis, const struct operation_curves *curves,
                    const struct series *series, double writers, const char *what, const char *unit,
                    const char *text, struct error *error)
{
    const struct point *point = series ? series_point(series, writers) : NULL;
    const char *name = pool_printf(analysis->pool, "contention.%s.%s", curves->op, what);
    const size_t first = analysis->result->finding_count;
    if (!point)
        return 0;
    struct finding *finding = analysis_add_point(analysis, name, unit, point, point->flags);
    finding->text = text;
    analysis_read_off(analysis, first, series);
    return 0;
}

static int analyse_operation(struct analysis *analysis, const struct operation_curves *curves,
                             size_t all, struct error *error)
{
    const char *more = "";
    if (all <= 2)
        more = "; more CPUs would show how it falls, and who gets how little";
    int code = add_from(analysis, curves, curves->times, 1, "latency.1", "ns",
                        "one operation of a writer that has the line to itself", error);
    if (code == 0)
        code = add_from(analysis, curves, curves->throughput, 1, "throughput.1", "op/s",
                        "operations of one writer alone", error);
    if (code < 0 || all < 2)
        return code;
    code = add_from(
        analysis, curves, curves->times, (double)all, "latency.all", "ns",
        pool_printf(analysis->pool, "one operation of one of %zu writers to one line", all), error);
    if (code == 0)
        code = add_from(
            analysis, curves, curves->throughput, (double)all, "throughput.all", "op/s",
            pool_printf(analysis->pool, "operations of %zu writers together%s", all, more), error);
    if (code == 0)
        code = add_from(analysis, curves, curves->fairness, (double)all, "fairness.all", "",
                        pool_printf(analysis->pool,
                                    "of %zu writers, what the one with the least got done of what "
                                    "the one with the most did",
                                    all),
                        error);
    return code;
}

static int add_ratio(struct analysis *analysis, const struct operation_curves *curves,
                     const char *what, double near, double far, const char *text,
                     struct error *error)
{
    const struct series *series = curves->distances;
    const struct point *one = series_point(series, near), *other = series_point(series, far);
    const char *name = pool_printf(analysis->pool, "contention.%s.%s", curves->op, what);
    const size_t first = analysis->result->finding_count;
    if (!one || !other)
        return 0;
    const struct summary *a = &one->y, *b = &other->y;
    bool known = a->coverage > 0 && b->coverage > 0;
    struct finding *finding =
        name ? finding_add_value(analysis->result, analysis->pool, name, "",
                                 (double)a->median / (double)b->median,
                                 known ? (double)a->low / (double)b->high : NAN,
                                 known ? (double)a->high / (double)b->low : NAN,
                                 one->flags | other->flags)
             : NULL;
    finding->text = text;
    analysis_read_off(analysis, first, series);
    return 0;
}

static int analyse_distances(struct analysis *analysis, const struct operation_curves *curves,
                             struct error *error)
{
    const unsigned line = analysis_line_bytes(analysis);
    if (!curves->distances)
        return 0;
    int code = add_ratio(analysis, curves, "false-sharing", sizeof(uint64_t), 8 * line,
                         "two writers with a word each in one line take this many times as long as "
                         "with lines far apart",
                         error);
    return code == 0 ? add_ratio(analysis, curves, "adjacent-lines", line, 8 * line,
                                 "the same in neighbouring lines, which some processors prefetch "
                                 "in pairs; about 1 where they do not",
                                 error)
                     : code;
}

static const struct series *series_that(const struct analysis *analysis, const char *op,
                                        const char *shows)
{
    const struct probe_result *result = analysis->result;
    for (size_t i = 0; i < result->series_count; i++)
        if (strcmp(analysis_factor(&result->series[i], "op"), op) == 0 &&
            strcmp(analysis_factor(&result->series[i], "shows"), shows) == 0)
            return &result->series[i];
    return NULL;
}

static struct operation_curves curves_of(const struct analysis *analysis, enum contention_op op)
{
    const char *name = contentions[op].name;
    return (struct operation_curves){
        .op = name,
        .times = series_that(analysis, name, CONTENTION_SHOWS_TIME),
        .throughput = series_that(analysis, name, CONTENTION_SHOWS_THROUGHPUT),
        .fairness = series_that(analysis, name, CONTENTION_SHOWS_FAIRNESS),
        .distances = series_that(analysis, name, CONTENTION_SHOWS_DISTANCES)};
}

/* All writers: as many as were asked for, or as there were CPUs. */
static size_t writers_of(const struct analysis *analysis)
{
    const double asked = analysis_number(analysis, "writers");
    double most = 1;
    for (size_t i = 0; i < analysis->result->series_count; i++) {
        const struct series *series = &analysis->result->series[i];
        for (size_t p = 0; p < series->point_count && strcmp(series->x.name, "writers") == 0; p++)
            most = fmax(most, series->points[p].x);
    }
    return asked >= 1 ? analysis_count(asked) : analysis_cpu_count(analysis, analysis_count(most));
}

void contention_analyse(struct analysis *analysis)
{
    struct error *error = pool_error(analysis->pool);
    const size_t all = writers_of(analysis);
    int code = 0;
    for (enum contention_op op = 0; op < CONTENTION_OPS && code == 0; op++) {
        const struct operation_curves curves = curves_of(analysis, op);
        code = analyse_operation(analysis, &curves, all, error);
    }
    for (enum contention_op op = 0; op < CONTENTION_OPS && code == 0; op++) {
        const struct operation_curves curves = curves_of(analysis, op);
        code = analyse_distances(analysis, &curves, error);
    }
    return (void)pool_check(analysis->pool, code);
}
