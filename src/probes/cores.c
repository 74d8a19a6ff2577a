/*
 * Hand-off latency between cores: two CPUs pass a turn to and fro through a cache line, and half a
 * round trip is what it takes one to see what the other wrote.
 *
 * Which line it is matters more than anything else: the same two cores differ by a third from line
 * to line, because a line's home (the slice of the last-level cache that keeps its directory
 * entry) depends on its address, while one line repeats within a thousandth. So a trial is a line,
 * and every pair is measured on the same many lines.
 */
#include "base/random.h"
#include "kernels/handoff.h"
#include "probes/probes.h"
#include "result/flag.h"

#include <math.h>
#include <stdio.h>

/* One slot a line: a page apart, so that homes differ in more than the lowest bits. */
enum { SLOT_BYTES = 4096, SLOT_STEP = 256, WARM_ROUND_TRIPS = 4, VISITS = 8 };
/* Beyond so many pairs, each is visited once for all its lines. */
enum { PAIRS_VISITED_OFTEN = 2048 };

enum operation { CAS, READWRITE };
static const char *const operation_names[] = {"cas", "readwrite", NULL};

struct cores_state {
    enum operation operation;
    uint64_t seed; /* where in its slot each line lies */
};

static const struct option_spec options[] = {
    {"op", 0, OPTION_CHOICE, "OP", "cas", 0, 0, operation_names,
     "cas: compare-and-swap on one line; readwrite: each side writes a line of its own and reads "
     "the other's"},
    {"lines", 0, OPTION_INTEGER, "N", "64", 1, 4096, NULL,
     "cache lines to measure every pair on; the result is their median"},
    {"samples", 0, OPTION_INTEGER, "N", "11", 1, 100000, NULL, "timed batches on each line"},
    {"iterations", 0, OPTION_INTEGER, "N", NULL, 1, 10000000, NULL,
     "round trips a batch (default: enough for the clock, some 5 us)"},
    {.name = NULL},
};

static int describe_operation(struct probe_task *task, struct series *series, struct error *error)
{
    const struct cores_state *state = task->state;
    struct factor *order = probe_add_parameter(task, "memory_order");
    series->factors = pool_alloc(task->pool, 1, sizeof *series->factors);
    if (!order || !series->factors)
        return error_set(error, ERROR_SYSTEM, "out of memory");
    order->text = state->operation == CAS ? handoff_cas_order : handoff_readwrite_order;
    series->factors[0] = (struct factor){"op", operation_names[state->operation], 0};
    series->factor_count = 1;
    return 0;
}

static int add_pair(struct probe_task *task, int from, int to, struct error *error)
{
    struct plan *plan = &task->plan;
    struct seat *seats = pool_alloc(task->pool, 2, sizeof *seats);
    struct plan_point *point =
        pool_append(task->pool, (void **)&plan->points, &plan->point_count, sizeof *point);
    if (!seats || !point)
        return error_set(error, ERROR_SYSTEM,
                         "out of memory for so many pairs: choose fewer "
                         "CPUs with --cpus");
    seats[0] = (struct seat){from, MEASURED};
    seats[1] = (struct seat){to, PARTNER};
    *point = (struct plan_point){.from = from,
                                 .to = to,
                                 .seats = seats,
                                 .seat_count = 2,
                                 .arena_bytes =
                                     (size_t)settings_number(task->settings, "lines") * SLOT_BYTES};
    return 0;
}

static int plan_cores(struct probe_task *task, struct error *error)
{
    struct plan *plan = &task->plan;
    struct cores_state *state = pool_alloc(task->pool, 1, sizeof *state);
    plan->series = pool_alloc(task->pool, 1, sizeof *plan->series);
    if (!state || !plan->series)
        return error_set(error, ERROR_SYSTEM, "out of memory");
    task->state = state;
    state->operation = (enum operation)settings_choice(task->settings, "op");
    state->seed = (uint64_t)settings_number(task->settings, "seed");

    size_t cpus = task->cpus.count, pairs = cpus * (cpus - 1);
    unsigned lines = (unsigned)settings_number(task->settings, "lines");
    const unsigned fewest_for_interval = plan->trials_min;
    plan->trials_min = plan->trials_max = lines;
    plan->trials_per_visit = pairs > PAIRS_VISITED_OFTEN ? lines : (lines + VISITS - 1) / VISITS;
    plan->batches = (unsigned)settings_number(task->settings, "samples");
    plan->batch_ns = 5e3;
    plan->repeats = settings_has(task->settings, "iterations")
                        ? (uint64_t)settings_number(task->settings, "iterations")
                        : 0;
    plan->warm_repeats = WARM_ROUND_TRIPS;
    plan->span_s = 0; /* the trials are lines: their number makes up for the time */
    plan->arena_life = ARENA_WHOLE_RUN;
    if (lines < fewest_for_interval)
        plan->precision = INFINITY; /* asked for so few: no interval to be had */
    else if (!settings_has(task->settings, "precision"))
        plan->precision = 0.1; /* of the median over lines that do differ */
    plan->series_count = 1;
    plan->series[0] = (struct series){
        .name = "hand-off", .matrix = true, .x = {"cpu", ""}, .y = {"latency", "ns"}};
    int code = describe_operation(task, &plan->series[0], error);
    for (size_t i = 0; i < cpus && code == 0; i++)
        for (size_t j = 0; j < cpus && code == 0; j++)
            if (i != j)
                code = add_pair(task, task->cpus.ids[i], task->cpus.ids[j], error);
    return code;
}

/* The trial's line: the same for every pair. */
static unsigned char *choose_line(const struct trial *trial, const struct cores_state *state)
{
    uint64_t steps = (SLOT_BYTES - HANDOFF_LINE_DISTANCE) / SLOT_STEP;
    uint64_t step = random_mix(state->seed + trial->number) % steps;
    return trial->arena->memory + (size_t)trial->number * SLOT_BYTES + step * SLOT_STEP;
}

static void prepare_cores(struct trial *trial)
{
    const struct cores_state *state = trial->probe_state;
    unsigned char *line = choose_line(trial, state);
    uint32_t *first = (uint32_t *)line, *second = (uint32_t *)(line + HANDOFF_LINE_DISTANCE);
    *first = *second = 0;
    for (int side = 0; side < 2; side++) {
        struct worker *worker = &trial->workers[side];
        worker->state = worker->room;
        if (state->operation == CAS) {
            worker->run = handoff_cas_run;
            *(struct handoff_cas *)worker->state =
                (struct handoff_cas){first, side ? 1 : 0, side ? 0 : 1};
        } else {
            worker->run = side ? handoff_readwrite_second_run : handoff_readwrite_first_run;
            *(struct handoff_readwrite *)worker->state =
                (struct handoff_readwrite){side ? second : first, side ? first : second, 0};
        }
    }
    trial->operations = 2; /* hand-offs a round trip */
}

/* --- concluding --- */

static int add_extreme(struct probe_task *task, const char *name, const struct point *point,
                       unsigned flags, const char *what, struct error *error)
{
    struct finding *finding = probe_add_summary(task, name, "ns", &point->y, point->flags | flags);
    if (!finding)
        return error_set(error, ERROR_SYSTEM, "out of memory");
    finding->cpus = point->from < point->to
                        ? pool_printf(task->pool, "%d,%d", point->from, point->to)
                        : pool_printf(task->pool, "%d,%d", point->to, point->from);
    finding->text =
        pool_printf(task->pool, "%s pair: from CPU %d to CPU %d", what, point->from, point->to);
    return 0;
}

static int conclude_cores(struct probe_task *task, const struct sampled *sampled,
                          struct error *error)
{
    (void)sampled;
    const struct cores_state *state = task->state;
    const struct series *series = &task->result->series[0];
    if (!series->point_count)
        return 0;
    const struct point *least = series->points, *most = series->points;
    struct summary mean = {.coverage = 1};
    unsigned flags = task->machine->facts.hypervisor ? FLAG_BIT(FLAG_VIRTUAL_MACHINE) : 0;
    if (task->machine->allowed.count < task->machine->cpu_count)
        flags |= FLAG_BIT(FLAG_NARROW_AFFINITY);
    unsigned mean_flags = flags;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        least = point->y.median < least->y.median ? point : least;
        most = point->y.median > most->y.median ? point : most;
        mean.median += point->y.median / (double)series->point_count;
        /* All pairs share their lines, so their errors need not cancel: the mean of the ends. */
        mean.coverage = fmin(mean.coverage, point->y.coverage);
        mean.low += point->y.low / (double)series->point_count;
        mean.high += point->y.high / (double)series->point_count;
        mean_flags |= point->flags;
    }
    char name[32];
    const char *operation = operation_names[state->operation];
    snprintf(name, sizeof name, "cores.%s.min", operation);
    int code = add_extreme(task, name, least, flags, "nearest", error);
    snprintf(name, sizeof name, "cores.%s.max", operation);
    if (code == 0)
        code = add_extreme(task, name, most, flags, "farthest", error);
    snprintf(name, sizeof name, "cores.%s.mean", operation);
    if (code == 0 && !probe_add_summary(task, name, "ns", &mean, mean_flags))
        code = error_set(error, ERROR_SYSTEM, "out of memory");
    return code;
}

const struct probe cores_probe = {
    .name = "cores",
    .title = "Hand-off latency between cores",
    .summary = "how long one core takes to see what another wrote, for every pair",
    .about = "Two CPUs pass a turn to and fro through memory; half a round trip is one hand-off. "
             "Every pair is measured in both directions on the same many cache lines, and the "
             "figure is the median over the lines. With cas both sides compare-and-swap one "
             "line; with readwrite each writes a line of its own and waits for the other's, "
             "about two line transfers.\n"
             "What moves it: which core, cluster or socket each CPU is in; the line's home, "
             "which its address decides (hence the many lines; the spread over them is shown); "
             "the clock of the interconnect. In a virtual machine, where the CPUs really sit is "
             "unknown.\n"
             "--lines 1 --samples 500 --iterations 4000 measures as single-line tools do.",
    .needs = NEEDS_TWO_CPUS,
    .weight = 0.1,
    .options = options,
    .plan = plan_cores,
    .prepare = prepare_cores,
    .conclude = conclude_cores,
};
