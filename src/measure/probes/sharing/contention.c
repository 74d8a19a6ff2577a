/*
 * One line that many cores write to at once. All write from before a window until after it, and
 * each writer's rate is its operations over its own time, so throughput and fairness describe the
 * time in which all of them write. With a fixed number of operations for each writer, the slow ones
 * would be alone at the end, and fairness could not be measured.
 *
 * For false sharing each writer has its own word, some bytes from the next: in one line, in
 * neighbouring lines (which some processors prefetch in pairs), or farther apart.
 */
#include "measure/kernels/contention.h"
#include "base/random.h"
#include "measure/probes/kit/build.h"

#include <math.h>

enum { SLOTS = 64, SLOT_BYTES = 4096, EVERY_COUNT_TO = 8 };

/* Series: for each operation the time by writers; for two operations the time by distance; derived
 * at the end, throughput and fairness of each operation. */
enum { DISTANCES = CONTENTION_OPS };
static const enum contention_op false_ops[] = {CONTENTION_FETCH_ADD, CONTENTION_STORE};
enum { FALSE_OPS = sizeof false_ops / sizeof *false_ops };

/* Values of the series' factor "shows". */
static const char shows_time[] = "time of a writer", shows_throughput[] = "all writers' throughput",
                  shows_fairness[] = "fairness",
                  shows_distances[] = "time of two writers by distance";

/* Values of one point's trials besides the time. */
struct tally {
    double *throughput, *fairness;
    unsigned trials;
};

struct contention_state {
    int *cpus; /* first threads of cores, then the other threads */
    size_t cpu_count;
    struct tally *tallies; /* one for each point */
};

struct contention_options {
    struct setting writers;
};

#include "contention.help.h"

/* --- planning --- */

static unsigned add_series(struct probe_task *task, const char *shows, enum contention_op op,
                           struct axis x, struct axis y)
{
    const unsigned series = build_series(
        task, (struct series){
                  .name = "contention", .headline = task->plan.series_count == 0, .x = x, .y = y});
    build_factor_text(task, series, "op", contention_of(op)->name);
    build_factor_text(task, series, "shows", shows);
    return series;
}

static void add_point(struct probe_task *task, unsigned series, double x, size_t writers,
                      enum contention_op op)
{
    const struct contention_state *state = task->state;
    struct plan_point *point = build_point(task, series, x, state->cpus, writers, MEASURED);
    point->arena_bytes = SLOTS * SLOT_BYTES;
    point->index = op;
}

static void plan_contention(struct probe_task *task)
{
    const unsigned line = machine_line_bytes(task->machine);
    const unsigned distances[] = {sizeof(uint64_t), line, 2 * line, 4 * line, 8 * line};
    struct contention_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    const struct setting *asked = &((const struct contention_options *)task->options)->writers;
    const size_t count = task->cpus.count;
    state->cpus = build_order(task, task->cpus.ids, count, machine_by_thread);
    state->cpu_count = asked->has ? (size_t)asked->number : count;
    if (state->cpu_count > count)
        pool_leave(task->pool, ERROR_USAGE,
                   "--writers %zu: only %zu CPUs may be used, and each holds one writer; ask for "
                   "at most %zu",
                   state->cpu_count, count, count);
    struct plan *plan = probe_plan_begin(task, state->cpus[0], PAGES_AUTO, 0.05);
    plan->arena_life = ARENA_WHOLE_STAGE;
    plan->cycles = false; /* the cores may have different clocks */
    plan->windows = true;
    for (enum contention_op op = 0; op < CONTENTION_OPS; op++) {
        const unsigned series = add_series(task, shows_time, op, (struct axis){"writers", ""},
                                           (struct axis){"latency", "ns"});
        build_note_text(task, pool_printf(task->pool, "memory_order.%s", contention_of(op)->name),
                        contention_of(op)->order);
        for (size_t n = 1; n <= state->cpu_count;) {
            add_point(task, series, (double)n, n, op);
            const size_t next = n < EVERY_COUNT_TO ? n + 1 : n + n / 2;
            n = next > state->cpu_count && n < state->cpu_count ? state->cpu_count : next;
        }
    }
    for (size_t i = 0; i < FALSE_OPS; i++) {
        const unsigned series =
            add_series(task, shows_distances, false_ops[i], (struct axis){"distance", "B"},
                       (struct axis){"latency", "ns"});
        for (size_t d = 0; d < sizeof distances / sizeof *distances && state->cpu_count > 1; d++)
            add_point(task, series, distances[d], 2, false_ops[i]);
    }
    state->tallies = pool_alloc(task->pool, plan->point_count, sizeof *state->tallies);
    for (size_t i = 0; i < plan->point_count; i++) {
        state->tallies[i].throughput = pool_alloc(task->pool, plan->trials_max, sizeof(double));
        state->tallies[i].fairness = pool_alloc(task->pool, plan->trials_max, sizeof(double));
    }
}

/* --- measuring --- */

static void prepare_contention(struct trial *trial)
{
    const struct plan_point *point = trial->point;
    size_t slot = random_mix(trial->seed) % SLOTS;
    unsigned char *memory = trial->arena->memory + slot * SLOT_BYTES;
    size_t distance = point->series >= DISTANCES ? (size_t)point->x : 0;
    for (size_t i = 0; i < point->seat_count; i++) {
        struct worker *worker = &trial->workers[i];
        uint64_t *word = (uint64_t *)(memory + i * distance);
        *word = 0;
        worker->run = contention_of((enum contention_op)point->index)->run;
        worker->state = word;
    }
    trial->operations = contention_steps;
}

/* Repeats per nanosecond of one writer, over its own time. */
static double writer_rate(const struct observation *seen, size_t seat)
{
    const size_t seats = seen->trial->point->seat_count;
    double repeats = 0, ns = 0;
    for (unsigned i = 0; i < seen->batch_count; i++) {
        repeats += (double)seen->shares[i * seats + seat].repeats;
        ns += seen->shares[i * seats + seat].ns;
    }
    return ns > 0 ? repeats / ns : 0;
}

static void observe_contention(void *observer, const struct observation *seen)
{
    struct probe_task *task = observer;
    struct contention_state *state = task->state;
    const struct trial *trial = seen->trial;
    struct tally *tally = &state->tallies[trial->point - task->plan.points];
    if (!seen->batch_count || tally->trials >= task->plan.trials_max)
        return;
    double sum = 0, least = INFINITY, most = 0;
    for (size_t i = 0; i < trial->point->seat_count; i++) {
        const double rate = writer_rate(seen, i);
        sum += rate;
        least = fmin(least, rate);
        most = fmax(most, rate);
    }
    tally->throughput[tally->trials] = trial->operations * sum * 1e9;
    tally->fairness[tally->trials++] = least / most;
}

/* --- findings --- */

/* Adds a series of throughput or fairness, with the points of the operation's series of time. */
static void add_tallied(struct probe_task *task, enum contention_op op, bool fairness)
{
    const struct contention_state *state = task->state;
    const unsigned index = add_series(
        task, fairness ? shows_fairness : shows_throughput, op, (struct axis){"writers", ""},
        fairness ? (struct axis){"least/most", ""} : (struct axis){"throughput", "op/s"});
    struct series *series = &task->plan.series[index];
    for (size_t i = 0; i < task->plan.point_count; i++) {
        const struct plan_point *planned = &task->plan.points[i];
        const struct tally *tally = &state->tallies[i];
        const struct point *timed = series_point(&task->plan.series[op], planned->x);
        if (planned->series != op || !tally->trials || !timed)
            continue;
        struct point *point =
            pool_append(task->pool, (void **)&series->points, &series->point_count, sizeof *point);
        double *values = fairness ? tally->fairness : tally->throughput;
        *point = point_bare();
        point->x = planned->x;
        point->flags = timed->flags;
        summarize(values, tally->trials, values, &point->y);
    }
}

static void conclude_contention(struct probe_task *task)
{
    for (int fairness = 0; fairness < 2; fairness++)
        for (enum contention_op op = 0; op < CONTENTION_OPS; op++)
            add_tallied(task, op, fairness);
    task->result->series = task->plan.series;
    task->result->series_count = task->plan.series_count;
}

static const struct series *series_that(const struct analysis *analysis, enum contention_op op,
                                        const char *shows)
{
    const struct factor with[] = {
        {"op", contention_of(op)->name, NAN}, {"shows", shows, NAN}, {.name = NULL}};
    return series_find(analysis->result->series, analysis->result->series_count, NULL, with);
}

/* Adds the value at that number of writers. */
static void add_from(struct analysis *analysis, enum contention_op op, const char *shows,
                     size_t writers, const char *what, const char *unit, const char *text)
{
    const struct series *series = series_that(analysis, op, shows);
    const struct point *point = series ? series_point(series, (double)writers) : NULL;
    if (!point)
        return;
    analysis_add_point(
        analysis, pool_printf(analysis->pool, "contention.%s.%s", contention_of(op)->name, what),
        unit, point, point->flags)
        ->text = text;
    analysis_read_off(analysis, series);
}

/* Adds the ratio of two writers' times at two distances. */
static void add_ratio(struct analysis *analysis, enum contention_op op, const char *what,
                      double near, double far, const char *text)
{
    const struct series *series = series_that(analysis, op, shows_distances);
    const struct point *one = series ? series_point(series, near) : NULL,
                       *other = series ? series_point(series, far) : NULL;
    if (!one || !other)
        return;
    analysis_add_value(
        analysis, pool_printf(analysis->pool, "contention.%s.%s", contention_of(op)->name, what),
        "", estimate_ratio(finding_time_of(one), finding_time_of(other)), one->flags | other->flags)
        ->text = text;
    analysis_read_off(analysis, series);
}

static void analyse_contention(struct analysis *analysis)
{
    struct pool *pool = analysis->pool;
    const size_t all = analysis_threads(analysis, "writers");
    const unsigned line = analysis_line_bytes(analysis);
    const char *more =
        all > 2 ? "" : "; more CPUs would show how it falls, and how little the slowest gets";
    for (enum contention_op op = 0; op < CONTENTION_OPS; op++) {
        add_from(analysis, op, shows_time, 1, "latency.1", "ns",
                 "one operation of a writer that has the line to itself");
        add_from(analysis, op, shows_throughput, 1, "throughput.1", "op/s",
                 "operations of one writer alone");
        if (all < 2)
            continue;
        add_from(
            analysis, op, shows_time, all, "latency.all", "ns",
            pool_printf(pool, "one operation of each of %zu writers to one line, on average", all));
        add_from(analysis, op, shows_throughput, all, "throughput.all", "op/s",
                 pool_printf(pool, "operations of %zu writers together%s", all, more));
        add_from(analysis, op, shows_fairness, all, "fairness.all", "",
                 pool_printf(pool, "the slowest of %zu writers' rate over the fastest one's", all));
    }
    for (enum contention_op op = 0; op < CONTENTION_OPS; op++) {
        add_ratio(analysis, op, "false-sharing", sizeof(uint64_t), 8 * line,
                  "two writers with a word each in one line take this many times as long as with "
                  "lines far apart");
        add_ratio(analysis, op, "adjacent-lines", line, 8 * line,
                  "the same in neighbouring lines, which some processors prefetch in pairs; about "
                  "1 where they do not");
    }
}

#include "contention.findings.h"

const struct probe contention_probe = {
    .name = "contention",
    .place = 90,
    .help = &help,
    .findings = {finding_lines, experiment},
    .plan = plan_contention,
    .prepare = prepare_contention,
    .observe = observe_contention,
    .conclude = conclude_contention,
    .analyse = analyse_contention,
};
