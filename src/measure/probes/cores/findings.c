/* Series that the cores probe adds to its document, and findings from matrices of hand-offs,
 * measured here or by another tool. */
#include "conclude/clusters/clusters.h"
#include "document/flag.h"
#include "measure/probes/cores/cores.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- side by side --- */

static int by_pair(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

static void sort_pairs(struct series *matrix)
{
    if (matrix->point_count)
        qsort(matrix->points, matrix->point_count, sizeof *matrix->points, by_pair);
}

/* Marks the pairs to keep, those in no class that moved, in state->kept (NULL: none is kept).
 * Returns how many have to be measured again. */
static size_t mark_kept(struct probe_task *task, const struct series *matrix,
                        const struct cores_beside *pairs, size_t count)
{
    struct cores_state *state = task->state;
    size_t again = 0;
    state->kept = pool_alloc(task->pool, state->cpu_count * state->cpu_count, sizeof *state->kept);
    for (size_t i = 0; i < matrix->point_count; i++) {
        const struct point *point = &matrix->points[i];
        const size_t row = (size_t)cores_rank(state, point->from),
                     column = (size_t)cores_rank(state, point->to);
        const bool kept = point->y.n && !cores_beside_moved(pairs, count, (double)point->y.median);
        state->kept[row * state->cpu_count + column] = kept;
        again += !kept;
    }
    if (again == matrix->point_count)
        state->kept = NULL;
    return again;
}

size_t cores_bias(struct probe_task *task)
{
    const struct cores_state *state = task->state;
    const struct machine *machine = task->machine;
    const struct series *alone = &task->plan.series[state->alone];
    struct series *matrix = &task->plan.series[SERIES_MATRIX];
    double *ratios = pool_alloc(task->pool, alone->point_count + 1, sizeof *ratios);
    struct cores_beside *pairs = pool_alloc(task->pool, alone->point_count + 1, sizeof *pairs);
    unsigned flags = machine->facts.hypervisor ? FLAG_BIT(FLAG_VIRTUAL_MACHINE) : 0;
    struct summary summary;
    size_t count = 0;
    sort_pairs(matrix);
    for (size_t i = 0; i < alone->point_count; i++) {
        const struct point *beside = bsearch(&alone->points[i], matrix->points, matrix->point_count,
                                             sizeof *beside, by_pair);
        if (!alone->points[i].y.n || !beside || !beside->y.n)
            continue;
        pairs[count].alone_ns = (double)alone->points[i].y.median;
        pairs[count].beside_ns = (double)beside->y.median;
        ratios[count] = 100 * (pairs[count].beside_ns / pairs[count].alone_ns - 1);
        count++;
    }
    if (!count)
        return 0;
    summarize(ratios, count, ratios, &summary);
    if (machine->allowed.count < machine->cpu_count)
        flags |= FLAG_BIT(FLAG_NARROW_AFFINITY);
    const struct cores_worst worst =
        cores_beside_judge(pairs, count, state->bias_limit, task->pool);
    const size_t again = worst.moved_classes ? mark_kept(task, matrix, pairs, count) : 0;
    const char *kept = "the matrix shows what was measured side by side";
    if (again)
        kept = pool_printf(
            task->pool,
            "%zu of %zu classes of distance changed by more than --bias allows, most that of %.3g "
            "to %.3g ns, by %.1f %%, so %s measured again alone, which the matrix shows",
            worst.moved_classes, worst.classes, worst.from_ns, worst.to_ns, fabs(worst.change),
            state->kept ? pool_printf(task->pool, "their %zu pairs were", again)
                        : "every pair was");
    const double bias = (double)summary.median;
    finding_add_summary(task->result, task->pool, "cores.parallel.bias", "%", &summary, flags)
        ->text = pool_printf(
        task->pool,
        "%zu pairs measured side by side and again alone: side by side they took %.1f %% %s; %s",
        count, fabs(bias), bias < 0 ? "less" : "more", kept);
    return again;
}

/* --- what the document has to hold --- */

/* Sorts points by row in the matrix's order of CPUs, because pairs were measured in another
 * order. */
static void put_in_order(const struct cores_state *state, struct series *series)
{
    for (size_t i = 0; i < series->point_count; i++) {
        series->points[i].from = cores_rank(state, series->points[i].from);
        series->points[i].to = cores_rank(state, series->points[i].to);
    }
    sort_pairs(series);
    for (size_t i = 0; i < series->point_count; i++) {
        series->points[i].from = state->cpus[series->points[i].from];
        series->points[i].to = state->cpus[series->points[i].to];
    }
}

static const char reference_name[] = "reference";

void cores_conclude(struct probe_task *task)
{
    const struct cores_state *state = task->state;
    const struct point *least, *most;
    pool_give_back(task->pool, task->plan.points); /* makes room for the clusters */
    task->plan.points = NULL;
    for (size_t i = 0; i < task->result->series_count; i++)
        put_in_order(state, &task->result->series[i]);
    series_extremes(&task->result->series[SERIES_MATRIX], &least, &most);
    build_note_text(task, "pairs_measured",
                    !state->parallel ? "one at a time"
                    : state->kept    ? "side by side, and alone where that changed them"
                                     : "side by side");
    if (state->home != HOME_ANY)
        build_note_text(task, "home_obtained",
                        state->homes_verified < state->home_count
                            ? "unverified: the system does not say where all the lines' pages lie"
                        : task->machine->facts.node_count < 2
                            ? "the only NUMA node, so the home of every line is on it"
                            : "as asked for, verified page by page");
    const char *labels = cores_labels(task->machine, &task->cpus, task->pool);
    if (labels)
        build_note_text(task, parameter_cpu_labels, labels);
    if (!least)
        return;
    build_note_text(task, parameter_cpu_groups,
                    cores_declared(task->machine, state->cpus, state->cpu_count, task->pool));
    /* Adds a series for each home: its reference pair's latency over the run. Visits to one home's
     * reference are contiguous. */
    const struct cores_visit *visits = state->visits;
    struct probe_result *result = task->result;
    for (size_t i = 0, end; i < state->visit_count; i = end) {
        for (end = i + 1; end < state->visit_count && visits[end].home == visits[i].home;)
            end++;
        if (end - i < 2)
            continue;
        const unsigned index = build_series(
            task,
            (struct series){.name = reference_name, .x = {"time", "s"}, .y = {"latency", "ns"}});
        struct series *series = &task->plan.series[index];
        build_factor_text(task, index, "cpus",
                          pool_printf(task->pool, "%d,%d", visits[i].from, visits[i].to));
        series->points = pool_alloc(task->pool, end - i, sizeof *series->points);
        for (size_t visit = i; visit < end; visit++) {
            struct point *point = &series->points[series->point_count++];
            double scratch;
            *point = point_bare();
            point->x = visits[visit].at_s;
            summarize(&visits[visit].ns, 1, &scratch, &point->y);
        }
        result->series = task->plan.series;
        result->series_count = task->plan.series_count;
    }
    cores_ways_conclude(task);
}

/* --- the least, the most and the mean --- */

static const char *cpus_of(struct pool *pool, const struct point *point)
{
    return point->from < point->to ? pool_printf(pool, "%d,%d", point->from, point->to)
                                   : pool_printf(pool, "%d,%d", point->to, point->from);
}

/* "cores.cas.what", by the series' operation. */
static const char *name_of(struct pool *pool, const struct series *series, const char *what)
{
    const char *op = analysis_factor(series, "op");
    return pool_printf(pool, "cores.%s%s%s", op, *op ? "." : "", what);
}

/* Flags for all findings of the document. */
static unsigned common_flags(const struct analysis *analysis)
{
    const struct machine_facts *machine = analysis->machine;
    const char *affinity = analysis->document ? analysis->document->conditions.affinity : NULL;
    struct cpulist allowed;
    unsigned flags = machine && machine->hypervisor ? FLAG_BIT(FLAG_VIRTUAL_MACHINE) : 0;
    if (!machine || !affinity || cpulist_read(affinity, &allowed, analysis->pool, NULL) < 0)
        return flags;
    if (allowed.count && allowed.count < machine->threads)
        flags |= FLAG_BIT(FLAG_NARROW_AFFINITY);
    return flags;
}

static void add_extreme(struct analysis *analysis, const struct series *series, const char *name,
                        const struct point *point, const char *what)
{
    struct finding *finding =
        analysis_add_point(analysis, name_of(analysis->pool, series, name), series->y.unit, point,
                           point->flags | common_flags(analysis));
    finding->cpus = cpus_of(analysis->pool, point);
    finding->text =
        pool_printf(analysis->pool, "%s pair: from CPU %d to CPU %d", what, point->from, point->to);
}

static void add_extremes(struct analysis *analysis, const struct series *series)
{
    const struct point *least, *most;
    series_extremes(series, &least, &most);
    if (!least)
        return;
    add_extreme(analysis, series, "min", least, "nearest");
    add_extreme(analysis, series, "max", most, "farthest");
}

/* --- what the values of a pair scatter over: its lines, and the time --- */

static double spread_of(const struct point *point)
{
    return point->y.n > 1 ? (double)((point->y.max - point->y.min) / point->y.median) : 0;
}

static float of_lines(const struct point *point)
{
    return isfinite(point->scatter.line) ? point->scatter.line : 0;
}

/* The range that a tool with one line could report for the pair, and whether the lines cause it. */
static void add_lines(struct analysis *analysis, const struct series *series)
{
    /* The pair with the largest scatter from line to line, or, if equal or unknown, with the
     * largest spread. */
    const struct point *widest = NULL;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const float least = widest ? of_lines(widest) : 0;
        if (of_lines(point) > least ||
            (!(of_lines(point) < least) && spread_of(point) > (widest ? spread_of(widest) : 0)))
            widest = point;
    }
    if (!widest)
        return;
    const float line = widest->scatter.line, drift = widest->scatter.drift,
                residual = widest->scatter.residual;
    const char *how =
        !isfinite(line)                     ? " over the lines"
        : line >= drift && line >= residual ? " from line to line"
        : drift >= residual
            ? " over the lines, most of it from time to time and not from line to line"
            : " over the lines, most of it noise and not from line to line";
    const char *parts =
        !isfinite(line)
            ? ""
            : pool_printf(analysis->pool,
                          " (standard deviations: %.1f %% from line to line, %.1f %% from time "
                          "to time, %.1f %% left)",
                          100 * (double)line, 100 * (double)drift, 100 * (double)residual);
    struct finding *finding =
        analysis_add_value(analysis, name_of(analysis->pool, series, "lines"), "%",
                           (struct interval){100 * spread_of(widest), NAN, NAN}, widest->flags);
    finding->cpus = cpus_of(analysis->pool, widest);
    finding->text = pool_printf(
        analysis->pool,
        "from CPU %d to %d the latency differs by %.0f %%%s; a single-line tool would have "
        "reported anything from %.1f to %.1f ns%s",
        widest->from, widest->to, 100 * spread_of(widest), how, (double)widest->y.min,
        (double)widest->y.max, parts);
}

/* Adds the largest drift among the homes' reference pairs. */
static void add_drift(struct analysis *analysis)
{
    const struct probe_result *result = analysis->result;
    const struct series *moved = NULL;
    double percent = 0, least = 0, most = 0;
    size_t references = 0;
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        const size_t count = series->point_count;
        if (strcmp(series->name, reference_name) != 0 || count < 2)
            continue;
        double *values = pool_alloc(analysis->pool, count, sizeof *values);
        for (size_t p = 0; p < count; p++)
            values[p] = (double)series->points[p].y.median;
        sort_ascending(values, count);
        const double moves = 100 * (values[count - 1] - values[0]) / median(values, count);
        references++;
        if (moved && !(moves > percent))
            continue;
        moved = series;
        percent = moves;
        least = values[0];
        most = values[count - 1];
    }
    if (!moved)
        return;
    struct finding *finding = analysis_add(analysis, "cores.drift", "%");
    finding->value = percent;
    finding->cpus = analysis_factor(moved, "cpus");
    finding->text = pool_printf(
        analysis->pool,
        "the reference pair%s, measured %zu times on the same lines through the run, moved between "
        "%.1f and %.1f ns%s",
        references > 1 ? " that drifted most (there is one for each home)" : "", moved->point_count,
        least, most,
        analysis_parameter(analysis, "correct-drift") ? "; the figures are corrected for it" : "");
    analysis_read_off(analysis, moved);
}

/* --- clusters --- */

static void add_clusters(struct analysis *analysis, const struct series *series)
{
    const struct factor *groups = analysis_parameter(analysis, parameter_cpu_groups);
    struct declared declared = {0};
    /* fathom's own documents have one of these parameters; if one lacks the groups, it is of an
     * older version. */
    if (!groups &&
        (analysis_parameter(analysis, "memory_order") || analysis_parameter(analysis, "lines")))
        return analysis_keep(
            analysis, "cluster, cluster.disagreement",
            "the document does not hold which CPUs are declared to belong together");
    if (groups)
        cores_declared_parse(&declared, groups->text ? groups->text : "", analysis->pool);
    findings_clusters(analysis->result, analysis->pool, series, analysis->machine,
                      groups ? &declared : NULL);
}

/* --- all of it --- */

/* Without a headline, as in another tool's table, the first series counts as one. */
static bool is_headline(const struct probe_result *result, size_t index, bool any)
{
    return any ? result->series[index].headline : index == 0;
}

/* Adds findings of the pairs that were measured with a second operation. */
static void add_ends(struct analysis *analysis, const struct series *matrix, bool any)
{
    const struct probe_result *result = analysis->result;
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *ends = &result->series[i];
        if (strcmp(ends->name, matrix->name) != 0 || is_headline(result, i, any))
            continue;
        add_extremes(analysis, ends);
        analysis_read_off(analysis, ends);
    }
}

void cores_analyse(struct analysis *analysis)
{
    const struct probe_result *result = analysis->result;
    bool any = false, begun = false;
    for (size_t i = 0; i < result->series_count; i++)
        any = any || result->series[i].headline;
    analysis_keep(analysis, "cores.parallel.bias",
                  "the pairs measured side by side may have been measured again");
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *matrix = &result->series[i];
        const struct point *least, *most;
        series_extremes(matrix, &least, &most);
        if (!matrix->matrix || !is_headline(result, i, any) || !least)
            continue;
        add_extremes(analysis, matrix);
        double mean = 0, low = 0, high = 0, count = 0;
        unsigned flags = common_flags(analysis);
        for (size_t k = 0; k < matrix->point_count; k++) {
            const struct point *point = &matrix->points[k];
            if (!point->y.n)
                continue;
            /* All pairs share their lines, so their errors may not cancel: the interval's ends are
             * averaged. */
            count++;
            mean += (double)point->y.median;
            low += point->y.coverage > 0 ? (double)point->y.low : NAN;
            high += point->y.coverage > 0 ? (double)point->y.high : NAN;
            flags |= point->flags;
        }
        analysis_add_value(analysis, name_of(analysis->pool, matrix, "mean"), matrix->y.unit,
                           (struct interval){mean / count, low / count, high / count}, flags);
        analysis_read_off(analysis, matrix);
        if (!begun)
            add_ends(analysis, matrix, any);
        add_lines(analysis, matrix);
        if (!begun) { /* findings of the whole run come with the first matrix */
            add_drift(analysis);
            analysis_keep(analysis, "cores.one-way.difference, cores.one-way.asymmetry",
                          "stamps of two counters are in no series");
        }
        add_clusters(analysis, matrix);
        analysis_read_off(analysis, matrix);
        begun = true;
    }
}

#include "cores.findings.h"
