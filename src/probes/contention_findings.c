#include "probes/contention.h"

#include "findings/finding.h"
#include "stats/quantile.h"

#include <math.h>

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
        if (!point)
            return error_out_of_memory(error);
        *point = (struct point){.x = planned->x,
                                .cycles = {NAN, NAN, NAN},
                                .scatter = {NAN, NAN, NAN},
                                .flags = timed->flags};
        double *values = fairness ? tally->fairness : tally->throughput;
        summarize(values, tally->trials, values, &point->y);
    }
    return 0;
}

static int add_from(struct probe_task *task, const char *op, const char *what, const char *unit,
                    const struct point *point, const char *text, struct error *error)
{
    const char *name = pool_printf(task->pool, "contention.%s.%s", op, what);
    if (!point)
        return 0;
    struct finding *finding =
        name ? probe_add_summary(task, name, unit, &point->y, point->flags) : NULL;
    if (!finding || !text)
        return error_out_of_memory(error);
    finding->text = text;
    return 0;
}

static int conclude_operation(struct probe_task *task, enum contention_op op, struct error *error)
{
    const struct contention_state *state = task->state;
    const struct series *series = task->result->series;
    const char *name = contentions[op].name, *more = "";
    size_t all = state->cpu_count;
    if (all <= 2)
        more = "; more CPUs would show how it falls, and who gets how little";
    int code =
        add_from(task, name, "latency.1", "ns", series_point(&series[CONTENTION_TIMES + op], 1),
                 "one operation of a writer that has the line to itself", error);
    if (code == 0)
        code = add_from(task, name, "throughput.1", "op/s",
                        series_point(&series[CONTENTION_THROUGHPUT + op], 1),
                        "operations of one writer alone", error);
    if (code < 0 || all < 2)
        return code;
    code = add_from(
        task, name, "latency.all", "ns", series_point(&series[CONTENTION_TIMES + op], (double)all),
        pool_printf(task->pool, "one operation of one of %zu writers to one line", all), error);
    if (code == 0)
        code = add_from(task, name, "throughput.all", "op/s",
                        series_point(&series[CONTENTION_THROUGHPUT + op], (double)all),
                        pool_printf(task->pool, "operations of %zu writers together%s", all, more),
                        error);
    if (code == 0)
        code = add_from(task, name, "fairness.all", "",
                        series_point(&series[CONTENTION_FAIRNESS + op], (double)all),
                        pool_printf(task->pool,
                                    "of %zu writers, what the one with the least got done of what "
                                    "the one with the most did",
                                    all),
                        error);
    return code;
}

static int add_ratio(struct probe_task *task, const struct series *series, const char *what,
                     double near, double far, const char *text, struct error *error)
{
    const struct point *one = series_point(series, near), *other = series_point(series, far);
    const char *op = series->factors[0].text;
    const char *name = pool_printf(task->pool, "contention.%s.%s", op, what);
    if (!one || !other)
        return 0;
    const struct summary *a = &one->y, *b = &other->y;
    bool known = a->coverage > 0 && b->coverage > 0;
    struct finding *finding =
        name ? finding_add_value(
                   task->result, task->pool, name, "", (double)a->median / (double)b->median,
                   known ? (double)a->low / (double)b->high : NAN,
                   known ? (double)a->high / (double)b->low : NAN, one->flags | other->flags)
             : NULL;
    if (!finding)
        return error_out_of_memory(error);
    finding->text = text;
    return 0;
}

static int conclude_distances(struct probe_task *task, const struct series *series,
                              struct error *error)
{
    const unsigned line = machine_line_bytes(task->machine);
    int code = add_ratio(task, series, "false-sharing", sizeof(uint64_t), 8 * line,
                         "two writers with a word each in one line take so many times as long as "
                         "with lines far apart",
                         error);
    return code == 0 ? add_ratio(task, series, "adjacent-lines", line, 8 * line,
                                 "the same in neighbouring lines, which some processors prefetch "
                                 "in pairs; about 1 where they do not",
                                 error)
                     : code;
}

int contention_conclude(struct probe_task *task, const struct sampled *sampled, struct error *error)
{
    (void)sampled;
    int code = 0;
    task->plan.series_count = task->result->series_count = CONTENTION_ALL;
    for (enum contention_op op = 0; op < CONTENTION_OPS && code == 0; op++) {
        code = add_tallied(task, op, false, error);
        if (code == 0)
            code = add_tallied(task, op, true, error);
        if (code == 0)
            code = conclude_operation(task, op, error);
    }
    for (unsigned i = 0; i < CONTENTION_FALSE_OPS && code == 0; i++)
        code = conclude_distances(task, &task->result->series[CONTENTION_FALSE_SHARING + i], error);
    return code;
}
