/* Derived series and findings: bandwidth.read.1, bandwidth.read.all, L2.bandwidth.read and so
 * on. */
#include "base/units.h"
#include "conclude/channels.h"
#include "measure/probes/bandwidth/bandwidth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* CPUs saturate the path when they reach this share of the highest bandwidth. */
static const double saturated = 0.95;

/* --- derived series --- */

void bandwidth_conclude(struct probe_task *task)
{
    struct bandwidth_state *state = task->state;
    if (state->measured) /* more was measured since: rebuild the derived series */
        task->plan.series_count = state->curve_count = state->measured;
    const size_t measured = state->measured = state->curve_count;
    for (size_t i = 0; i < measured && !state->brief && state->cpu_count > 1; i++)
        if (state->curves[i].shape == BANDWIDTH_BY_THREADS &&
            task->plan.series[i].point_count > 1) {
            struct bandwidth_curve curve = state->curves[i];
            curve.shape = BANDWIDTH_PER_CPU;
            const unsigned index = bandwidth_add_series(task, curve);
            const struct series *total = &task->plan.series[i];
            struct series *each = &task->plan.series[index];
            each->points = pool_alloc(task->pool, total->point_count, sizeof *each->points);
            for (; each->point_count < total->point_count; each->point_count++) {
                struct point *point = &each->points[each->point_count];
                *point = total->points[each->point_count];
                summary_divide(&point->y, point->x);
            }
        }
    task->result->series = task->plan.series; /* adding series may have moved the array */
    task->result->series_count = task->plan.series_count;
}

/* --- findings --- */

/* A series and its factors. */
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

/* "4:1" becomes "reads4-writes1", as in `fathom import mlc`; a mix of reads alone has the kernel's
 * name. */
static const char *mix_name(struct analysis *analysis, const char *mix)
{
    unsigned reads = 0, writes = 0;
    sscanf(mix, "%u:%u", &reads, &writes);
    return writes ? pool_printf(analysis->pool, "reads%u-writes%u%s", reads, writes,
                                strstr(mix, "nt") ? "_nt" : "")
                  : stream_op_names[STREAM_READ];
}

/* Adds the rates of a mix of reads and writes on one CPU and on all. */
static void analyse_mix(struct analysis *analysis, const struct curve *curve, const char *mix,
                        size_t cpus)
{
    const bool dram = strcmp(curve->level, "DRAM") == 0;
    for (size_t i = 0; i < curve->series->point_count; i++) {
        const struct point *point = &curve->series->points[i];
        const bool all = point->x == (double)cpus && cpus > 1;
        if (!point->y.n || (point->x != 1 && !all))
            continue;
        analysis_add_summary(analysis,
                             pool_printf(analysis->pool, "%s%sbandwidth.%s.%s",
                                         dram ? "" : curve->level, dram ? "" : ".",
                                         mix_name(analysis, mix), all ? "all" : "1"),
                             "B/s", &point->y, point->flags)
            ->text = pool_printf(analysis->pool,
                                 "%.0f CPU%s, reads to writes as %s: lines as the memory sees "
                                 "them, including those that stores fetch first",
                                 point->x, all ? "s together" : "", mix);
    }
}

/* Bytes moved in addition to those that the program asked for. */
static const char *text_of(struct analysis *analysis, const struct curve *curve,
                           const struct point *point)
{
    /* Every processor has scalar kernels, except stores past the caches. */
    const struct stream_kernel *kernel = stream_find(curve->op, STREAM_SCALAR, NULL);
    const char *who =
        point->x == 1 ? "one CPU" : pool_printf(analysis->pool, "%.0f CPUs together", point->x);
    if (!kernel || !kernel->stores || kernel->past_caches || strcmp(curve->level, "DRAM") != 0)
        return who;
    const unsigned arrays = bandwidth_arrays(kernel);
    char moved[UNIT_TEXT];
    figure_format((double)point->y.median * (arrays + 1) / arrays * 1e-9, 3, moved);
    return pool_printf(analysis->pool,
                       "%s; with the lines that the stores fetch first (write-allocate) %s GB/s "
                       "are moved, where the processor does not avoid it",
                       who, moved);
}

static struct finding *add_point(struct analysis *analysis, const struct curve *curve,
                                 const char *name, const struct point *point)
{
    struct finding *finding = analysis_add_point(analysis, name, "B/s", point, point->flags);
    finding->text = text_of(analysis, curve, point);
    return finding;
}

/* Compares what all cores read from DRAM with what the modules' channels can carry. Fewer cores may
 * not fill the channels. */
static void add_declared(struct analysis *analysis, const struct curve *curve, double cpus,
                         struct finding *finding)
{
    const struct machine_facts *machine = analysis->machine;
    struct channels channels;
    const bool plain = !*curve->access || strcmp(curve->access, "sequential") == 0;
    if (!machine || curve->op != STREAM_READ || strcmp(curve->level, "DRAM") != 0 || !plain ||
        !machine->cores || cpus < machine->cores)
        return;
    channels_read(&channels, &machine->declared, analysis->pool);
    if (!isfinite(channels.bytes_per_second))
        return;
    finding->declared = channels.bytes_per_second;
    char carried[UNIT_TEXT];
    figure_format(finding->declared * 1e-9, 3, carried);
    finding->text = pool_printf(analysis->pool, "%s; the modules' channels could carry %s GB/s: %s",
                                finding->text, carried, channels.sentence);
}

/* All CPUs' bandwidth over their number times one CPU's. */
static void add_efficiency(struct analysis *analysis, const char *stem, const struct point *one,
                           const struct point *all)
{
    const double cpus = all->x;
    const struct interval ratio = estimate_ratio(finding_time_of(all), finding_time_of(one));
    analysis_add_value(analysis, pool_printf(analysis->pool, "%s.efficiency", stem), "",
                       (struct interval){ratio.value / cpus, ratio.low / cpus, ratio.high / cpus},
                       one->flags | all->flags)
        ->text = pool_printf(
        analysis->pool,
        "the share of %.0f times one CPU's bandwidth that is left when all CPUs ask for it", cpus);
}

/* The fewest CPUs that reach 95 % of the highest bandwidth; the interval holds those that do at
 * some moment, by the middle four fifths of the trials and the medians' intervals. */
static void add_saturation(struct analysis *analysis, const char *stem, const struct series *series)
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
        if (!earliest && (double)fmaxf(point->y.high, point->y.p90) >=
                             saturated * (double)fminf(best->y.low, best->y.p10))
            earliest = point;
        if (!latest && (double)fminf(point->y.low, point->y.p10) >=
                           saturated * (double)fmaxf(best->y.high, best->y.p90))
            latest = point;
    }
    if (!first || measured < 2)
        return;
    const double last = series->points[series->point_count - 1].x;
    const double low = earliest ? fmin(earliest->x, first->x) : first->x;
    const double high = latest ? fmax(latest->x, first->x) : last;
    analysis_add_value(analysis, pool_printf(analysis->pool, "%s.saturated_by", stem), "",
                       (struct interval){first->x, known ? low : NAN, known ? high : NAN},
                       first->flags)
        ->text = first->x < last
                     ? "this many CPUs reach 95 % of the highest bandwidth; more add nothing"
                     : "every CPU adds bandwidth: together they do not saturate the path";
}

/* Whether the document also holds the bandwidth per CPU. A run of many probes leaves that out, and
 * with it efficiency in the caches. */
static bool is_whole(const struct analysis *analysis, const struct curve *curve)
{
    const struct probe_result *result = analysis->result;
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        if (strcmp(series->name, BANDWIDTH_PER_CPU_NAME) == 0 && op_of(series) == curve->op &&
            strcmp(analysis_factor(series, "level"), curve->level) == 0)
            return true;
    }
    return false;
}

static void analyse_threads(struct analysis *analysis, const struct curve *curve, size_t cpus)
{
    const struct series *series = curve->series;
    /* "bandwidth.read" in DRAM, "L2.bandwidth.read" in a cache; an access other than sequential is
     * inserted. */
    const bool dram = strcmp(curve->level, "DRAM") == 0;
    const bool usual = !*curve->access || strcmp(curve->access, "sequential") == 0;
    const char *stem =
        pool_printf(analysis->pool, "%s%sbandwidth.%.*s%s%s", dram ? "" : curve->level,
                    dram ? "" : ".", usual ? 0 : (int)strcspn(curve->access, ":"), curve->access,
                    usual ? "" : ".", stream_op_names[curve->op]);
    const struct point *one = series_point(series, 1), *all = series_point(series, (double)cpus);
    if (one)
        add_point(analysis, curve, !dram ? stem : pool_printf(analysis->pool, "%s.1", stem), one);
    if (cpus < 2)
        return;
    if (all)
        add_declared(analysis, curve, all->x,
                     add_point(analysis, curve, pool_printf(analysis->pool, "%s.all", stem), all));
    if (!dram && !is_whole(analysis, curve))
        return;
    if (one && all)
        add_efficiency(analysis, stem, one, all);
    if (series->point_count > (cpus == 2 ? 1 : 2))
        add_saturation(analysis, stem, series);
}

static void analyse_stream(struct analysis *analysis, const struct curve *curve)
{
    for (size_t i = 0; i < curve->series->point_count; i++) {
        const struct point *point = &curve->series->points[i];
        const char *name = pool_printf(analysis->pool, "stream.%s.%s", stream_op_names[curve->op],
                                       point->x == 1 ? "1" : "all");
        if (!point->y.n)
            continue;
        add_point(analysis, curve, name, point);
        analysis_add_value(analysis, pool_printf(analysis->pool, "%s.best", name), "B/s",
                           (struct interval){(double)point->y.max, NAN, NAN}, point->flags)
            ->text = pool_printf(analysis->pool,
                                 "the best of %u passes, which is what STREAM reports", point->y.n);
    }
}

void bandwidth_analyse(struct analysis *analysis)
{
    const struct probe_result *result = analysis->result;
    const size_t cpus = analysis_threads(analysis, "threads");
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        const struct curve curve = {.series = series,
                                    .op = op_of(series),
                                    .access = analysis_factor(series, "access"),
                                    .level = analysis_factor(series, "level")};
        const bool by_threads = strcmp(series->name, BANDWIDTH_BY_THREADS_NAME) == 0;
        const char *mix = analysis_factor(series, "mix");
        if (*mix && by_threads)
            analyse_mix(analysis, &curve, mix, cpus);
        if (curve.op < STREAM_OPS && by_threads)
            analyse_threads(analysis, &curve, cpus);
        if (curve.op < STREAM_OPS && strcmp(series->name, BANDWIDTH_STREAM_NAME) == 0)
            analyse_stream(analysis, &curve);
        analysis_read_off(analysis, series);
    }
}
