/*
 * One line that many cores write to at once. The first writer is timed, the others write as long as
 * it does, and each one's rate is what it did by its own time, so the sum and the fairness are of
 * the time in which all of them were at it. Were every writer given the same number of operations
 * instead, the fast ones would leave the slow ones alone at the end, and nothing could be said of
 * fairness.
 *
 * False sharing is the same with a word each, so many bytes apart: in one line, in neighbouring
 * lines (which some processors prefetch in pairs), and further apart.
 */
#include "kernels/contention.h"
#include "base/random.h"
#include "engine/visit.h"
#include "findings/finding.h"
#include "probes/probes.h"
#include "result/flag.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 64, SLOT_BYTES = 4096, DISTANCES = 5, EVERY_COUNT_TO = 8 };
/* The series: of each operation its time by writers; of two of them the time by distance; and,
 * added at the end, throughput and fairness of each operation. */
enum {
    TIMES = 0,
    FALSE_SHARING = TIMES + CONTENTION_OPS,
    FALSE_OPS = 2,
    MEASURED_SERIES = FALSE_SHARING + FALSE_OPS,
    THROUGHPUT = MEASURED_SERIES,
    FAIRNESS = THROUGHPUT + CONTENTION_OPS,
    ALL_SERIES = FAIRNESS + CONTENTION_OPS
};
static const enum contention_op false_ops[FALSE_OPS] = {CONTENTION_FETCH_ADD, CONTENTION_STORE};

/* What the trials of one point gave beside the time. */
struct tally {
    double *throughput, *fairness;
    unsigned trials;
};

struct contention_state {
    int *cpus; /* cores first, then their other threads */
    size_t cpu_count;
    struct tally *tallies; /* one a point */
};

static const struct option_spec options[] = {
    {"writers", 0, OPTION_INTEGER, "N", NULL, 1, 65536, NULL,
     "writers at most (default: as many as there are CPUs)"},
    {.name = NULL},
};

/* --- planning --- */

static int choose_cpus(struct probe_task *task, struct contention_state *state, struct error *error)
{
    const struct settings *settings = task->settings;
    size_t count = task->cpus.count;
    struct cpu_place *places = calloc(count, sizeof *places);
    state->cpus = pool_alloc(task->pool, count, sizeof *state->cpus);
    if (!places || !state->cpus) {
        free(places);
        return error_out_of_memory(error);
    }
    machine_places(task->machine, &task->cpus, places);
    qsort(places, count, sizeof *places, machine_by_thread);
    for (size_t i = 0; i < count; i++)
        state->cpus[i] = places[i].id;
    free(places);
    state->cpu_count = count;
    if (!settings_has(settings, "writers"))
        return 0;
    state->cpu_count = (size_t)settings_number(settings, "writers");
    return state->cpu_count <= count
               ? 0
               : error_set(
                     error, ERROR_USAGE,
                     "--writers %zu: only %zu CPUs may be used, and each holds one writer; ask "
                     "for at most %zu",
                     state->cpu_count, count, count);
}

static int add_point(struct probe_task *task, unsigned series, double x, size_t writers,
                     enum contention_op op, struct error *error)
{
    struct plan *plan = &task->plan;
    const struct contention_state *state = task->state;
    struct seat *seats = pool_alloc(task->pool, writers, sizeof *seats);
    struct plan_point *point =
        pool_append(task->pool, (void **)&plan->points, &plan->point_count, sizeof *point);
    if (!seats || !point)
        return error_out_of_memory(error);
    for (size_t i = 0; i < writers; i++)
        seats[i] = (struct seat){state->cpus[i], i ? BACKGROUND : MEASURED};
    *point = (struct plan_point){.series = series,
                                 .x = x,
                                 .seats = seats,
                                 .seat_count = (unsigned)writers,
                                 .arena_bytes = SLOTS * SLOT_BYTES,
                                 .detail = op};
    return 0;
}

static int add_counts(struct probe_task *task, enum contention_op op, struct error *error)
{
    const struct contention_state *state = task->state;
    int code = 0;
    for (size_t n = 1; n <= state->cpu_count && code == 0;) {
        code = add_point(task, TIMES + op, (double)n, n, op, error);
        size_t next = n < EVERY_COUNT_TO ? n + 1 : n + n / 2;
        n = next > state->cpu_count && n < state->cpu_count ? state->cpu_count : next;
    }
    return code;
}

static int add_distances(struct probe_task *task, unsigned series, enum contention_op op,
                         struct error *error)
{
    const unsigned line = machine_line_bytes(task->machine);
    const unsigned distances[DISTANCES] = {sizeof(uint64_t), line, 2 * line, 4 * line, 8 * line};
    const struct contention_state *state = task->state;
    int code = 0;
    for (size_t i = 0; i < DISTANCES && state->cpu_count > 1 && code == 0; i++)
        code = add_point(task, series, distances[i], 2, op, error);
    return code;
}

static int name_series(struct probe_task *task, size_t index, const char *shows,
                       enum contention_op op, struct axis x, struct axis y)
{
    struct factor *factors = pool_alloc(task->pool, 2, sizeof *factors);
    if (!factors)
        return ERROR_SYSTEM;
    factors[0] = (struct factor){"op", contentions[op].name, 0};
    factors[1] = (struct factor){"shows", shows, 0};
    task->plan.series[index] = (struct series){.name = "contention",
                                               .factors = factors,
                                               .factor_count = 2,
                                               .headline = index == TIMES,
                                               .x = x,
                                               .y = y};
    return 0;
}

static int describe(struct probe_task *task, struct error *error)
{
    const struct axis writers = {"writers", ""}, distance = {"distance", "B"};
    const struct axis time = {"latency", "ns"}, rate = {"throughput", "op/s"},
                      share = {"least/most", ""};
    int code = 0;
    for (enum contention_op op = 0; op < CONTENTION_OPS && code == 0; op++) {
        code = name_series(task, TIMES + op, "time of a writer", op, writers, time);
        code = code < 0 ? code
                        : name_series(task, THROUGHPUT + op, "all writers' throughput", op, writers,
                                      rate);
        code = code < 0 ? code : name_series(task, FAIRNESS + op, "fairness", op, writers, share);
        const char *name = pool_printf(task->pool, "memory_order.%s", contentions[op].name);
        struct factor *order = name ? probe_add_parameter(task, name) : NULL;
        if (!order)
            code = ERROR_SYSTEM;
        else
            order->text = contentions[op].order;
    }
    for (unsigned i = 0; i < FALSE_OPS && code == 0; i++)
        code = name_series(task, FALSE_SHARING + i, "time of two writers by distance", false_ops[i],
                           distance, time);
    return code < 0 ? error_out_of_memory(error) : 0;
}

static int reserve_tallies(struct probe_task *task, struct error *error)
{
    struct contention_state *state = task->state;
    const size_t points = task->plan.point_count, trials = task->plan.trials_max;
    state->tallies = pool_alloc(task->pool, points, sizeof *state->tallies);
    double *values = pool_alloc(task->pool, points * trials, 2 * sizeof *values);
    if (!state->tallies || !values)
        return error_out_of_memory(error);
    for (size_t i = 0; i < points; i++) {
        state->tallies[i].throughput = values + 2 * i * trials;
        state->tallies[i].fairness = values + (2 * i + 1) * trials;
    }
    return 0;
}

static int plan_contention(struct probe_task *task, struct error *error)
{
    struct plan *plan = &task->plan;
    struct contention_state *state = pool_alloc(task->pool, 1, sizeof *state);
    plan->series = pool_alloc(task->pool, ALL_SERIES, sizeof *plan->series);
    if (!state || !plan->series)
        return error_out_of_memory(error);
    task->state = state;
    plan->series_count = MEASURED_SERIES;
    plan->arena_life = ARENA_WHOLE_RUN;
    plan->cycles = false; /* as many cores, as many clocks */
    if (!settings_has(task->settings, "precision"))
        plan->precision = 0.05;
    int code = choose_cpus(task, state, error);
    if (code == 0)
        code = describe(task, error);
    for (enum contention_op op = 0; op < CONTENTION_OPS && code == 0; op++)
        code = add_counts(task, op, error);
    for (unsigned i = 0; i < FALSE_OPS && code == 0; i++)
        code = add_distances(task, FALSE_SHARING + i, false_ops[i], error);
    if (code == 0)
        plan->touch_cpu = state->cpus[0];
    return code == 0 ? reserve_tallies(task, error) : code;
}

/* --- measuring --- */

static void prepare_contention(struct trial *trial)
{
    const struct plan_point *point = trial->point;
    size_t slot = random_mix(trial->seed) % SLOTS;
    unsigned char *memory = trial->arena->memory + slot * SLOT_BYTES;
    size_t distance = point->series >= FALSE_SHARING ? (size_t)point->x : 0;
    for (size_t i = 0; i < point->seat_count; i++) {
        struct worker *worker = &trial->workers[i];
        uint64_t *word = (uint64_t *)(memory + i * distance);
        *word = 0;
        worker->run = contentions[point->detail].run;
        worker->state = word;
    }
    trial->operations = contention_steps;
}

/* Repeats a nanosecond of one writer, each by its own time, and of the groups that were kept alone:
 * in one that is measured again the others may have had the line to themselves. */
static double writer_rate(const struct observation *seen, size_t seat)
{
    const struct background *did = &seen->background[seat];
    double ns = 0;
    if (seat > 0)
        return did->ns > 0 ? (double)did->repeats / did->ns : 0;
    for (unsigned i = 0; i < seen->batch_count; i++)
        ns += seen->batches[i].ns;
    return (double)seen->repeats * seen->batch_count / ns;
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

/* --- concluding --- */

static const struct point *point_at(const struct series *series, double x)
{
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].x == x && series->points[i].y.n)
            return &series->points[i];
    return NULL;
}

/* The points of throughput or fairness, as many as the operation has of time. */
static int add_tallied(struct probe_task *task, enum contention_op op, bool fairness,
                       struct error *error)
{
    const struct contention_state *state = task->state;
    struct series *times = &task->result->series[TIMES + op];
    struct series *series = &task->result->series[(fairness ? FAIRNESS : THROUGHPUT) + op];
    for (size_t i = 0; i < task->plan.point_count; i++) {
        const struct plan_point *planned = &task->plan.points[i];
        const struct tally *tally = &state->tallies[i];
        const struct point *timed = point_at(times, planned->x);
        if (planned->series != TIMES + op || !tally->trials || !timed)
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
    int code = add_from(task, name, "latency.1", "ns", point_at(&series[TIMES + op], 1),
                        "one operation of a writer that has the line to itself", error);
    if (code == 0)
        code = add_from(task, name, "throughput.1", "op/s", point_at(&series[THROUGHPUT + op], 1),
                        "operations of one writer alone", error);
    if (code < 0 || all < 2)
        return code;
    code = add_from(task, name, "latency.all", "ns", point_at(&series[TIMES + op], (double)all),
                    pool_printf(task->pool, "one operation of one of %zu writers to one line", all),
                    error);
    if (code == 0)
        code = add_from(
            task, name, "throughput.all", "op/s", point_at(&series[THROUGHPUT + op], (double)all),
            pool_printf(task->pool, "operations of %zu writers together%s", all, more), error);
    if (code == 0)
        code =
            add_from(task, name, "fairness.all", "", point_at(&series[FAIRNESS + op], (double)all),
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
    const struct point *one = point_at(series, near), *other = point_at(series, far);
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

static int conclude_contention(struct probe_task *task, const struct sampled *sampled,
                               struct error *error)
{
    (void)sampled;
    int code = 0;
    task->plan.series_count = task->result->series_count = ALL_SERIES;
    for (enum contention_op op = 0; op < CONTENTION_OPS && code == 0; op++) {
        code = add_tallied(task, op, false, error);
        if (code == 0)
            code = add_tallied(task, op, true, error);
        if (code == 0)
            code = conclude_operation(task, op, error);
    }
    for (unsigned i = 0; i < FALSE_OPS && code == 0; i++)
        code = conclude_distances(task, &task->result->series[FALSE_SHARING + i], error);
    return code;
}

const struct probe contention_probe = {
    .name = "contention",
    .title = "One line, many writers",
    .summary = "what it costs when several cores write to one line, or to one line's neighbours",
    .about =
        "One to all CPUs (--cpus) write to one word as fast as they can: by fetch-and-add, by "
        "a compare-and-swap loop, by exchange and by plain stores. The figures are the time of "
        "one operation as one writer sees it, all writers' operations a second, and fairness: "
        "what the unluckiest writer got done of what the luckiest did.\n"
        "Then two writers have a word each, at growing distances: in one line (false sharing), "
        "in neighbouring lines, and further apart. Where neighbours cost more than lines far "
        "apart, the processor prefetches lines in pairs, and data of different threads belongs "
        "128 bytes apart.\n"
        "What moves it: how far apart the cores are, how the line's home arbitrates, and store "
        "buffers, which let plain stores to one's own cache go at full speed. Cores are filled "
        "before their second hardware threads. On one CPU only the uncontended cost is shown; "
        "with two, the most basic case; more show how throughput falls.",
    .weight = 0,
    .options = options,
    .plan = plan_contention,
    .prepare = prepare_contention,
    .observe = observe_contention,
    .conclude = conclude_contention,
};
