/*
 * One line that many cores write to at once. The first writer is timed, the others write as long as
 * it does, and each one's rate is what it did by its own time, so the sum and the fairness are of
 * the time in which all of them were at it. Were every writer given the same number of operations
 * instead, the fast ones would leave the slow ones alone at the end, and nothing could be said of
 * fairness.
 *
 * False sharing is the same with a word each, some bytes apart: in one line, in neighbouring
 * lines (which some processors prefetch in pairs), and further apart.
 */
#include "measure/probes/sharing/contention.h"

#include "base/random.h"
#include "measure/probes/kit/probe.h"

#include <math.h>
#include <stdlib.h>

enum { SLOTS = 64, SLOT_BYTES = 4096, DISTANCES = 5, EVERY_COUNT_TO = 8 };
static const enum contention_op false_ops[CONTENTION_FALSE_OPS] = {CONTENTION_FETCH_ADD,
                                                                   CONTENTION_STORE};

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
                                 .index = op};
    return 0;
}

static int add_counts(struct probe_task *task, enum contention_op op, struct error *error)
{
    const struct contention_state *state = task->state;
    int code = 0;
    for (size_t n = 1; n <= state->cpu_count && code == 0;) {
        code = add_point(task, CONTENTION_TIMES + op, (double)n, n, op, error);
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
                                               .headline = index == CONTENTION_TIMES,
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
        code = name_series(task, CONTENTION_TIMES + op, CONTENTION_SHOWS_TIME, op, writers, time);
        code = code < 0 ? code
                        : name_series(task, CONTENTION_THROUGHPUT + op, CONTENTION_SHOWS_THROUGHPUT,
                                      op, writers, rate);
        code = code < 0 ? code
                        : name_series(task, CONTENTION_FAIRNESS + op, CONTENTION_SHOWS_FAIRNESS, op,
                                      writers, share);
        const char *name = pool_printf(task->pool, "memory_order.%s", contentions[op].name);
        struct factor *order = name ? probe_add_parameter(task, name) : NULL;
        if (!order)
            code = ERROR_SYSTEM;
        else
            order->text = contentions[op].order;
    }
    for (unsigned i = 0; i < CONTENTION_FALSE_OPS && code == 0; i++)
        code = name_series(task, CONTENTION_FALSE_SHARING + i, CONTENTION_SHOWS_DISTANCES,
                           false_ops[i], distance, time);
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

static void plan_contention(struct probe_task *task)
{
    struct error *error = pool_error(task->pool);
    struct plan *plan = &task->plan;
    struct contention_state *state = pool_alloc(task->pool, 1, sizeof *state);
    plan->series = pool_alloc(task->pool, CONTENTION_ALL, sizeof *plan->series);
    if (!state || !plan->series)
        return (void)pool_check(task->pool, error_out_of_memory(error));
    task->state = state;
    plan->series_count = CONTENTION_MEASURED;
    plan->arena_life = ARENA_WHOLE_STAGE;
    plan->cycles = false; /* several cores have several clocks */
    if (!settings_has(task->settings, "precision"))
        plan->precision = 0.05;
    int code = choose_cpus(task, state, error);
    if (code == 0)
        code = describe(task, error);
    for (enum contention_op op = 0; op < CONTENTION_OPS && code == 0; op++)
        code = add_counts(task, op, error);
    for (unsigned i = 0; i < CONTENTION_FALSE_OPS && code == 0; i++)
        code = add_distances(task, CONTENTION_FALSE_SHARING + i, false_ops[i], error);
    if (code == 0)
        plan->touch_cpu = state->cpus[0];
    return (void)pool_check(task->pool, code == 0 ? reserve_tallies(task, error) : code);
}

/* --- measuring --- */

static void prepare_contention(struct trial *trial)
{
    const struct plan_point *point = trial->point;
    size_t slot = random_mix(trial->seed) % SLOTS;
    unsigned char *memory = trial->arena->memory + slot * SLOT_BYTES;
    size_t distance = point->series >= CONTENTION_FALSE_SHARING ? (size_t)point->x : 0;
    for (size_t i = 0; i < point->seat_count; i++) {
        struct worker *worker = &trial->workers[i];
        uint64_t *word = (uint64_t *)(memory + i * distance);
        *word = 0;
        worker->run = contentions[point->index].run;
        worker->state = word;
    }
    trial->operations = contention_steps;
}

/* Repeats per nanosecond of one writer, by its own time and only in brackets of batches that were
 * kept: in one that was measured again, the others may have had the line to themselves. */
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
    struct contention_tally *tally = &state->tallies[trial->point - task->plan.points];
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

/* What decides which experiment a finding is of, and what its name alone stands for. */
static const struct standard experiment[] = {
    {"op", STANDARD_NAMED, NULL, 0},
    {"shows", STANDARD_NAMED, NULL, 0},
    {"writers", STANDARD_ABSENT, NULL, 0},
    {"core", STANDARD_FASTEST, NULL, 0},
    {.factor = NULL},
};

static const struct finding_line finding_lines[] = {
    {.patterns = "contention.*.latency.1",
     .unit = "ns",
     .role = ROLE_CONTENTION,
     .meaning = "One operation of a writer that has the line to itself.",
     .moves =
         "The core clock moves it. Plain stores wait in the store buffer and not for the cache.",
     .advice = "It is the floor: compare the others with it."},
    {.patterns = "contention.*.latency.all",
     .unit = "ns",
     .role = ROLE_CONTENTION,
     .meaning = "One operation on one line to which all CPUs write, as each of them sees it.",
     .moves = "It grows with the number of writers and the distance between them.",
     .advice = "Where it is many times that of a lone writer, give each thread a line of its own "
               "and add up afterwards."},
    {.patterns = "contention.*.throughput.1",
     .unit = "op/s",
     .role = ROLE_CONTENTION,
     .meaning = "Operations a second of one writer alone.",
     .moves = "The core clock moves it.",
     .advice = "Compare with all writers together: more of them seldom get more done on one line."},
    {.patterns = "contention.*.throughput.all",
     .unit = "op/s",
     .role = ROLE_CONTENTION,
     .meaning = "Operations a second of all writers to one line together.",
     .moves = "How fast the line travels between the writers bounds it.",
     .advice = "Split a counter or lock that needs more."},
    {.patterns = "contention.*.fairness.all",
     .unit = "",
     .role = ROLE_CONTENTION,
     .side = SIDE_LESS,
     .meaning = "Of all writers to one line, what the one with the least got done over what the "
                "one with the most did: 1 is fair.",
     .moves = "CPUs near the line's home win.",
     .advice = "Where it is low, use a queueing lock, or threads far away starve."},
    {.patterns = "contention.*.false-sharing",
     .unit = "",
     .role = ROLE_CONTENTION,
     .meaning = "How many times as long two writers take with a word each in one line as with "
                "words in lines far apart.",
     .moves = "The distance between the two CPUs moves it.",
     .advice = "Pad to the cache line what different threads write."},
    {.patterns = "contention.*.adjacent-lines",
     .unit = "",
     .role = ROLE_CONTENTION,
     .meaning = "The same with words in neighbouring lines.",
     .moves = "It is about 1 where the processor does not fetch lines in pairs.",
     .advice = "Where it is well above 1, pad to two lines."},
    {.patterns = NULL},
};

const struct probe contention_probe = {
    .name = "contention",
    .place = 90,
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
    .findings = {finding_lines, experiment},
    .plan = plan_contention,
    .prepare = prepare_contention,
    .observe = observe_contention,
    .conclude = contention_conclude,
    .analyse = contention_analyse,
};
