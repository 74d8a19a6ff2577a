/* What the series say: bandwidth.read.1, bandwidth.read.all, L2.bandwidth.read and so on. */
#include "base/units.h"
#include "conclude/channels.h"
#include "conclude/registry/finding.h"
#include "measure/probes/bandwidth/bandwidth.h"

#include <math.h>
#include <string.h>

/* CPUs have saturated the path when they reach this share of the highest bandwidth. */
static const double saturated = 0.95;

/* --- derived series --- */

static void divide(struct summary *summary, double by)
{
    float *const values[] = {&summary->median, &summary->low, &summary->high,
                             &summary->min,    &summary->p10, &summary->p25,
                             &summary->p75,    &summary->p90, &summary->max};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        *values[i] = (float)((double)*values[i] / by);
}

static int add_per_cpu(struct probe_task *task, size_t from, struct error *error)
{
    const struct bandwidth_state *state = task->state;
    struct bandwidth_curve curve = state->curves[from];
    curve.shape = BANDWIDTH_PER_CPU;
    int index = bandwidth_add_series(task, curve, error);
    if (index < 0)
        return index;
    const struct series *total = &task->plan.series[from];
    struct series *each = &task->plan.series[index];
    for (size_t i = 0; i < total->point_count; i++) {
        struct point *point =
            pool_append(task->pool, (void **)&each->points, &each->point_count, sizeof *point);
        *point = total->points[i];
        divide(&point->y, point->x);
    }
    return 0;
}

/* Beyond its end an array of a pool is zeroed. */
static void forget_derived(struct probe_task *task)
{
    struct bandwidth_state *state = task->state;
    struct plan *plan = &task->plan;
    const size_t derived = plan->series_count - state->measured;
    memset(&plan->series[state->measured], 0, derived * sizeof *plan->series);
    memset(&state->curves[state->measured], 0, derived * sizeof *state->curves);
    plan->series_count = state->curve_count = state->measured;
}

void bandwidth_conclude(struct probe_task *task, const struct stage_outcome *outcome)
{
    struct error *error = pool_error(task->pool);
    struct bandwidth_state *state = task->state;
    int code = 0;
    (void)outcome;
    if (state->measured) /* more was measured since */
        forget_derived(task);
    const size_t measured = state->measured = state->curve_count;
    for (size_t i = 0; i < measured && code == 0 && !state->brief && state->cpu_count > 1; i++)
        if (state->curves[i].shape == BANDWIDTH_BY_THREADS && task->plan.series[i].point_count > 1)
            code = add_per_cpu(task, i, error);
    task->result->series = task->plan.series; /* it may have moved as it grew */
    task->result->series_count = task->plan.series_count;
    return (void)pool_check(task->pool, code);
}

/* --- findings --- */

/* A series, and what its factors say. */
struct curve {
    const struct series *series;
    enum stream_op op;
    const char *access, *level; /* "sequential", "strided:4K"; "L1", "DRAM", "" */
};

static enum stream_op op_of(const struct series *series)
{
    const char *kernel = analysis_factor(series, "kernel");
    enum stream_op op = 0;
    while (op < STREAM_OPS && strcmp(stream_op_names[op], kernel) != 0)
        op++;
    return op;
}

/* "bandwidth.read" in DRAM, "L2.bandwidth.read" in a cache; another access than the usual one
 * stands between. */
static const char *stem_of(struct analysis *analysis, const struct curve *curve)
{
    const bool dram = strcmp(curve->level, "DRAM") == 0;
    const bool usual = !*curve->access || strcmp(curve->access, "sequential") == 0;
    const size_t length = strcspn(curve->access, ":");
    return pool_printf(analysis->pool, "%s%sbandwidth.%.*s%s%s", dram ? "" : curve->level,
                       dram ? "" : ".", usual ? 0 : (int)length, curve->access, usual ? "" : ".",
                       stream_op_names[curve->op]);
}

/* "4:1" as `fathom import mlc` calls it too: "reads4-writes1"; reads alone are those of the kernel.
 */
static const char *mix_name(struct analysis *analysis, const char *mix)
{
    const size_t reads = strcspn(mix, ":");
    const char *writes = mix + reads + (mix[reads] == ':'), *past = strstr(writes, "nt");
    if (strcmp(writes, "0") == 0)
        return stream_op_names[STREAM_READ];
    return pool_printf(analysis->pool, "reads%.*s-writes%.*s%s", (int)reads, mix,
                       (int)(past ? past - writes : (long)strlen(writes)), writes,
                       past ? "_nt" : "");
}

/* One CPU and all of them, by a mix of reads and writes. */
static int analyse_mix(struct analysis *analysis, const struct series *series, const char *mix,
                       size_t cpus, struct error *error)
{
    const char *level = analysis_factor(series, "level"), *name = mix_name(analysis, mix);
    const bool dram = strcmp(level, "DRAM") == 0;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const bool all = point->x == (double)cpus && cpus > 1;
        if (!point->y.n || (point->x != 1 && !all))
            continue;
        const char *whole =
            name ? pool_printf(analysis->pool, "%s%sbandwidth.%s.%s", dram ? "" : level,
                               dram ? "" : ".", name, all ? "all" : "1")
                 : NULL;
        struct finding *finding =
            whole ? analysis_add_summary(analysis, whole, "B/s", &point->y, point->flags) : NULL;
        finding->text = pool_printf(analysis->pool,
                                    "%.0f CPU%s, reads to writes as %s: lines as the memory sees "
                                    "them, the reads of stores that fetch their line among them",
                                    point->x, all ? "s together" : "", mix);
    }
    return 0;
}

/* Bytes moved in addition to those that the program asked for. */
static const char *text_of(struct analysis *analysis, const struct curve *curve,
                           const struct point *point)
{
    /* Every processor has the scalar ones, but for stores past the caches. */
    const struct stream_kernel *kernel = stream_find(curve->op, STREAM_SCALAR, NULL);
    const char *who =
        point->x == 1 ? "one CPU" : pool_printf(analysis->pool, "%.0f CPUs together", point->x);
    if (!who || !kernel || !kernel->stores || kernel->past_caches ||
        strcmp(curve->level, "DRAM") != 0)
        return who;
    const unsigned arrays = bandwidth_arrays(kernel);
    const double moved = (double)point->y.median * (arrays + 1) / arrays;
    return pool_printf(analysis->pool,
                       "%s; with the lines that the stores fetch first (write-allocate) %.3g GB/s "
                       "are moved, where the processor does not avoid it",
                       who, moved * 1e-9);
}

static int add_point_finding(struct analysis *analysis, const struct curve *curve, const char *name,
                             const struct point *point, struct error *error)
{
    struct finding *finding = analysis_add_point(analysis, name, "B/s", point, point->flags);
    if (!finding || !(finding->text = text_of(analysis, curve, point)))
        return error_out_of_memory(error);
    return 0;
}

/* What all cores read from DRAM, beside what the modules' channels could carry. Fewer cores are not
 * what the channels are judged by. */
static int add_declared(struct analysis *analysis, const struct curve *curve, double cpus,
                        struct error *error)
{
    const struct machine_facts *machine = analysis->machine;
    struct finding *finding = &analysis->result->findings[analysis->result->finding_count - 1];
    struct channels channels;
    const bool plain = !*curve->access || strcmp(curve->access, "sequential") == 0;
    if (!machine || curve->op != STREAM_READ || strcmp(curve->level, "DRAM") != 0 || !plain ||
        !machine->cores || cpus < machine->cores)
        return 0;
    int code = channels_read(&channels, &machine->declared, analysis->pool, error);
    if (code < 0 || !isfinite(channels.bytes_per_second))
        return code;
    finding->declared = channels.bytes_per_second;
    finding->text =
        pool_printf(analysis->pool, "%s; the modules' channels could carry %.3g GB/s: %s",
                    finding->text, finding->declared * 1e-9, channels.sentence);
    return finding->text ? 0 : error_out_of_memory(error);
}

/* All CPUs' bandwidth over as many times one CPU's. */
static int add_efficiency(struct analysis *analysis, const char *stem, const struct point *one,
                          const struct point *all, struct error *error)
{
    const char *name = pool_printf(analysis->pool, "%s.efficiency", stem);
    const double cpus = all->x;
    const struct summary *a = &all->y, *b = &one->y;
    const bool known = a->coverage > 0 && b->coverage > 0;
    struct finding *finding =
        name ? finding_add_value(analysis->result, analysis->pool, name, "",
                                 (double)a->median / (double)b->median / cpus,
                                 known ? (double)a->low / (double)b->high / cpus : NAN,
                                 known ? (double)a->high / (double)b->low / cpus : NAN,
                                 one->flags | all->flags)
             : NULL;
    finding->text = pool_printf(
        analysis->pool,
        "the share of %.0f times one CPU's bandwidth that is left when all CPUs ask for it", cpus);
    return finding->text ? 0 : error_out_of_memory(error);
}

/* The fewest CPUs that reach 95 % of the most; its interval is what the points' intervals allow. */
static int add_saturation(struct analysis *analysis, const char *stem, const struct series *series,
                          struct error *error)
{
    const struct point *best = NULL, *first = NULL, *earliest = NULL, *latest = NULL;
    size_t measured = 0;
    bool known = true; /* an unknown interval may overlap any other */
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        measured += point->y.n > 0;
        known = known && (!point->y.n || point->y.coverage > 0);
        if (point->y.n && (!best || point->y.median > best->y.median))
            best = point;
    }
    for (size_t i = 0; i < series->point_count && best; i++) {
        const struct point *point = &series->points[i];
        if (!point->y.n)
            continue;
        if (!first && (double)point->y.median >= saturated * (double)best->y.median)
            first = point;
        if (!earliest && (double)point->y.high >= saturated * (double)best->y.low)
            earliest = point;
        if (!latest && (double)point->y.low >= saturated * (double)best->y.high)
            latest = point;
    }
    if (!first || measured < 2)
        return 0;
    const double last = series->points[series->point_count - 1].x;
    const char *name = pool_printf(analysis->pool, "%s.saturated_by", stem);
    const double low = earliest ? fmin(earliest->x, first->x) : first->x;
    const double high = latest ? fmax(latest->x, first->x) : last;
    struct finding *finding =
        name ? finding_add_value(analysis->result, analysis->pool, name, "", first->x,
                                 known ? low : NAN, known ? high : NAN, first->flags)
             : NULL;
    finding->text = first->x < last
                        ? "this many CPUs reach 95 % of the highest bandwidth; more add nothing"
                        : "every CPU adds bandwidth: together they do not saturate the path";
    return 0;
}

/* Whether the document also holds what each CPU gets. In a run of many probes it does not, and
 * efficiency in the caches is then left out too. */
static bool is_whole(const struct analysis *analysis, const struct curve *curve)
{
    const struct probe_result *result = analysis->result;
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        if (strcmp(series->name, bandwidth_per_cpu_name) == 0 && op_of(series) == curve->op &&
            strcmp(analysis_factor(series, "level"), curve->level) == 0)
            return true;
    }
    return false;
}

static int analyse_threads(struct analysis *analysis, const struct curve *curve, size_t cpus,
                           struct error *error)
{
    const struct series *series = curve->series;
    const bool cache = strcmp(curve->level, "DRAM") != 0;
    const char *stem = stem_of(analysis, curve);
    const struct point *one = series_point(series, 1);
    const struct point *all = series_point(series, (double)cpus);
    int code = stem ? 0 : error_out_of_memory(error);
    if (code == 0 && one)
        code = add_point_finding(
            analysis, curve, cache ? stem : pool_printf(analysis->pool, "%s.1", stem), one, error);
    if (code < 0 || cpus < 2)
        return code;
    if (all)
        code = add_point_finding(analysis, curve, pool_printf(analysis->pool, "%s.all", stem), all,
                                 error);
    if (code == 0 && all)
        code = add_declared(analysis, curve, all->x, error);
    if (code < 0 || (cache && !is_whole(analysis, curve)))
        return code;
    if (one && all)
        code = add_efficiency(analysis, stem, one, all, error);
    const bool counted = series->point_count > 2 || cpus == 2;
    if (code == 0 && counted && series->point_count > 1)
        code = add_saturation(analysis, stem, series, error);
    return code;
}

static int analyse_stream(struct analysis *analysis, const struct curve *curve, struct error *error)
{
    const struct series *series = curve->series;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const char *count = point->x == 1 ? "1" : "all";
        const char *name =
            pool_printf(analysis->pool, "stream.%s.%s", stream_op_names[curve->op], count);
        const char *best = pool_printf(analysis->pool, "%s.best", name ? name : "");
        if (!point->y.n)
            continue;
        int code = add_point_finding(analysis, curve, name, point, error);
        struct finding *finding =
            best ? finding_add_value(analysis->result, analysis->pool, best, "B/s",
                                     (double)point->y.max, NAN, NAN, point->flags)
                 : NULL;
        if (code < 0 || !finding)
            return error_out_of_memory(error);
        finding->text = pool_printf(
            analysis->pool, "the best of %u passes, which is what STREAM reports", point->y.n);
    }
    return 0;
}

/* All CPUs: those that were asked for, or all there were. */
static size_t cpus_of(const struct analysis *analysis)
{
    const struct probe_result *result = analysis->result;
    const double asked = analysis_number(analysis, "threads");
    double most = 1;
    for (size_t i = 0; i < result->series_count; i++)
        for (size_t p = 0; p < result->series[i].point_count &&
                           strcmp(result->series[i].name, bandwidth_by_threads_name) == 0;
             p++)
            most = fmax(most, result->series[i].points[p].x);
    return asked >= 1 ? analysis_count(asked) : analysis_cpu_count(analysis, analysis_count(most));
}

void bandwidth_analyse(struct analysis *analysis)
{
    struct error *error = pool_error(analysis->pool);
    const struct probe_result *result = analysis->result;
    const size_t cpus = cpus_of(analysis);
    int code = 0;
    for (size_t i = 0; i < result->series_count && code == 0; i++) {
        const struct series *series = &result->series[i];
        const struct curve curve = {.series = series,
                                    .op = op_of(series),
                                    .access = analysis_factor(series, "access"),
                                    .level = analysis_factor(series, "level")};
        const size_t first = result->finding_count;
        const char *mix = analysis_factor(series, "mix");
        if (*mix && strcmp(series->name, bandwidth_by_threads_name) == 0) {
            code = analyse_mix(analysis, series, mix, cpus, error);
            analysis_read_off(analysis, first, series);
        }
        if (curve.op == STREAM_OPS)
            continue;
        if (strcmp(series->name, bandwidth_by_threads_name) == 0)
            code = analyse_threads(analysis, &curve, cpus, error);
        else if (strcmp(series->name, bandwidth_stream_name) == 0)
            code = analyse_stream(analysis, &curve, error);
        analysis_read_off(analysis, first, series);
    }
    return (void)pool_check(analysis->pool, code);
}
