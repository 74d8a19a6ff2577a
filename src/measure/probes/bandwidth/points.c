/*
 * Who measures what: the seats, each seat's own part of the memory, and the plans of the stages.
 *
 * Every thread has arrays of its own, touched first by its own CPU. A seat is the same CPU at every
 * point of a plan and has the same part of the arena, so what it touched stays near it.
 */
#include "base/random.h"
#include "measure/probes/bandwidth/bandwidth.h"

static const uint64_t HUGE_PAGE = 2 << 20;
enum { SMALL_PAGE = 4096, EVERY_OTHER = 2 };
/* A batch is long enough that neither the clock's step nor the time between the threads' starts
 * matters. */
static const double batch_ns = 300e3, stream_batch_ns = 20e6;
/* Bytes of fresh memory that a CPU touches in a second, roughly. */
static const double touched_bytes_s = 1e9;
/* Batches of a trial by threads. With more of them, on busy CPUs where batches are repeated, too
 * few rounds would be left for an interval. */
enum { BATCHES_MOST = 10 };
/* Of a quick run: some 5 ms each. */
enum { QUICK_TRIALS = 24, QUICK_LOOKS = 5 };
/* Of a whole run's time for bandwidth, what one CPU and all read from DRAM may have. */
static const double look_share = 0.25;
static const double precision = 0.03, unstable_above = 0.2;
/* STREAM makes ten passes and leaves out the first. */
enum { STREAM_TRIALS = 10, STREAM_TIMES = 4, STREAM_ARRAYS = 3 };

/* --- series and points --- */

const char bandwidth_by_threads_name[] = "bandwidth by threads", bandwidth_stream_name[] = "stream",
           bandwidth_per_cpu_name[] = "bandwidth per CPU";

int bandwidth_add_series(struct probe_task *task, struct bandwidth_curve curve, struct error *error)
{
    static const struct {
        const char *name;
        struct axis x;
    } shapes[] = {
        [BANDWIDTH_BY_SIZE] = {"bandwidth", {"working set", "B"}},
        [BANDWIDTH_BY_THREADS] = {bandwidth_by_threads_name, {"threads", ""}},
        [BANDWIDTH_BY_NODE] = {"bandwidth by node", {"node", ""}},
        [BANDWIDTH_STREAM] = {bandwidth_stream_name, {"threads", ""}},
        [BANDWIDTH_PER_CPU] = {bandwidth_per_cpu_name, {"threads", ""}},
    };
    struct bandwidth_state *state = task->state;
    struct plan *plan = &task->plan;
    struct series *series =
        pool_append(task->pool, (void **)&plan->series, &plan->series_count, sizeof *series);
    struct bandwidth_curve *slot =
        pool_append(task->pool, (void **)&state->curves, &state->curve_count, sizeof *slot);
    struct factor *factors = pool_alloc(task->pool, 4, sizeof *factors);
    *slot = curve;
    const struct stream_kernel *loop = (curve.mix ? state->mixed : state->kernels)[curve.op];
    size_t count = 0;
    factors[count++] = curve.mix ? (struct factor){"mix", curve.mix->name, 0}
                                 : (struct factor){"kernel", stream_op_names[curve.op], 0};
    factors[count++] = (struct factor){"width", stream_width_names[loop->width], 0};
    factors[count++] = (struct factor){"access", state->access_text, 0};
    if (curve.level)
        factors[count++] = (struct factor){"level", curve.level, 0};
    *series = (struct series){.name = shapes[curve.shape].name,
                              .factors = factors,
                              .factor_count = count,
                              .matrix = curve.shape == BANDWIDTH_BY_NODE,
                              .x = shapes[curve.shape].x,
                              .y = {"bandwidth", "B/s"}};
    return (int)plan->series_count - 1;
}

static const struct stream_kernel *kernel_of(const struct bandwidth_state *state, unsigned series)
{
    return state->kernels[state->curves[series].op];
}

/* Bytes that a point's part of the arena takes. */
static uint64_t extent_of(const struct bandwidth_state *state, const struct plan_point *point)
{
    return state->curves[point->series].mix
               ? bandwidth_mix_extent(point->bytes)
               : stream_extent(bandwidth_arrays(kernel_of(state, point->series)), point->bytes);
}

/* `cpus` measure, each with arrays of `bytes`; where these would hold nothing there is no
 * point. */
static struct plan_point *add_point(struct probe_task *task, unsigned series, const int *cpus,
                                    size_t count, uint64_t array_bytes)
{
    struct plan *plan = &task->plan;
    struct seat *seats = pool_alloc(task->pool, count, sizeof *seats);
    struct plan_point *point =
        pool_append(task->pool, (void **)&plan->points, &plan->point_count, sizeof *point);
    if (!seats || !point)
        return NULL;
    for (size_t i = 0; i < count; i++)
        seats[i] = (struct seat){cpus[i], MEASURED};
    *point = (struct plan_point){
        .series = series, .seats = seats, .seat_count = (unsigned)count, .bytes = array_bytes};
    return point;
}

int bandwidth_add_curve_point(struct probe_task *task, unsigned series, double x, size_t count,
                              uint64_t array_bytes, struct error *error)
{
    const struct bandwidth_state *state = task->state;
    if (!array_bytes)
        return 0;
    struct plan_point *point = add_point(task, series, state->cpus, count, array_bytes);
    point->x = x;
    return 0;
}

/* What the point's set takes of a seat's part, in huge pages. */
static size_t huge_extent_of(const struct bandwidth_state *state, const struct plan_point *point)
{
    const uint64_t extent = extent_of(state, point);
    return (size_t)((extent + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
}

/* Gives each seat a part of the arena that holds what any point asks of it. */
static int lay_out_parts(struct probe_task *task, struct error *error)
{
    struct bandwidth_state *state = task->state;
    struct plan *plan = &task->plan;
    size_t seats = 1;
    for (size_t i = 0; i < plan->point_count; i++)
        seats = plan->points[i].seat_count > seats ? plan->points[i].seat_count : seats;
    state->parts = pool_alloc(task->pool, seats, sizeof *state->parts);
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *point = &plan->points[i];
        const size_t extent = huge_extent_of(state, point);
        for (size_t seat = 0; seat < point->seat_count; seat++)
            if (state->parts[seat].bytes < extent)
                state->parts[seat].bytes = extent;
    }
    for (size_t seat = 0; seat < seats; seat++) {
        state->parts[seat].cpu = state->cpus[seat < state->cpu_count ? seat : 0];
        if (seat)
            state->parts[seat].at = state->parts[seat - 1].at + state->parts[seat - 1].bytes;
    }
    for (size_t i = 0; i < plan->point_count; i++)
        plan->points[i].arena_bytes = state->parts[plan->points[i].seat_count - 1].at +
                                      huge_extent_of(state, &plan->points[i]);
    plan->parts = plan->node < 0 ? state->parts : NULL; /* a node is chosen by binding */
    plan->part_count = plan->node < 0 ? seats : 0;
    return 0;
}

/* What all stages' plans have in common. */
static void begin_plan(struct probe_task *task)
{
    const struct bandwidth_state *state = task->state;
    struct plan *plan = &task->plan;
    probe_plan_clear(task);
    plan->yields = OPERATIONS_PER_SECOND;
    plan->cycles = false; /* beyond the caches the core clock does not decide the rate */
    plan->pages = (enum page_policy)settings_choice(task->settings, "pages");
    plan->touch_cpu = state->cpus[0];
    plan->batch_ns = batch_ns;
    plan->unstable_above = unstable_above;
    if (!settings_has(task->settings, "precision"))
        plan->precision = precision;
}

/* --- stages --- */

int bandwidth_plan_sizes(struct probe_task *task, bool first, struct error *error)
{
    const struct bandwidth_state *state = task->state;
    const struct settings *settings = task->settings;
    const bool all_sizes =
        first || settings_has(settings, "sizes") || settings_has(settings, "per-octave");
    begin_plan(task);
    task->plan.share = first ? 0.4 : 0.5;
    unsigned seen = 0;
    for (enum stream_op op = 0; op < STREAM_OPS; op++) {
        const struct stream_kernel *kernel = state->kernels[op];
        if (!kernel || (seen++ == 0) != first)
            continue;
        int series = bandwidth_add_series(
            task, (struct bandwidth_curve){BANDWIDTH_BY_SIZE, op, NULL}, error);
        int code = series < 0 ? series : 0;
        for (size_t i = 0; i < state->sets.count && code == 0; i += all_sizes ? 1 : EVERY_OTHER)
            code = bandwidth_add_curve_point(
                task, (unsigned)series, (double)state->sets.bytes[i], 1,
                bandwidth_bytes_of_array(state, kernel, state->sets.bytes[i]), error);
        if (code < 0)
            return code;
    }
    int code = lay_out_parts(task, error);
    return code < 0 ? code : task->plan.point_count > 0;
}

static bool is_measured(const struct probe_task *task, double x)
{
    const struct series *series = task->plan.series_count ? &task->plan.series[0] : NULL;
    for (size_t i = 0; series && i < series->point_count; i++)
        if (series->points[i].x == x)
            return true;
    return false;
}

static bool was_looked_at(const struct probe_task *task, const struct chase_level *level,
                          enum stream_op op, size_t count)
{
    const struct bandwidth_state *state = task->state;
    return state->looks && level->last && op == STREAM_READ && is_measured(task, (double)count);
}

static int plan_level(struct probe_task *task, const struct chase_level *level, const char *name,
                      const size_t *counts, size_t n, struct error *error)
{
    const struct bandwidth_state *state = task->state;
    const int depth = level->name[0] == 'L' ? level->name[1] - '0' : 0;
    for (enum stream_op op = 0; op < STREAM_OPS; op++) {
        const struct stream_kernel *kernel = state->kernels[op];
        /* Beside other probes: what a first screen wants. */
        const bool wanted = !state->brief || state->kernels_named || op == STREAM_READ ||
                            (level->last && (op == STREAM_WRITE_NT || op == STREAM_TRIAD));
        if (!kernel || !wanted || (kernel->past_caches && depth))
            continue;
        int series = -1;
        for (size_t i = 0; i < n; i++) {
            uint64_t bytes =
                level->bytes / (depth ? bandwidth_sharing(task, depth, counts[i]) : counts[i]);
            /* Whether the set would fit the cache before, or is smaller than one step of the
             * access. */
            if ((bytes <= level->above && depth) || was_looked_at(task, level, op, counts[i]) ||
                !bandwidth_bytes_of_array(state, kernel, bytes))
                continue;
            if (series < 0)
                series = bandwidth_add_series(
                    task, (struct bandwidth_curve){BANDWIDTH_BY_THREADS, op, name}, error);
            int code = series < 0 ? series
                                  : bandwidth_add_curve_point(
                                        task, (unsigned)series, (double)counts[i], counts[i],
                                        bandwidth_bytes_of_array(state, kernel, bytes), error);
            if (code < 0)
                return code;
        }
    }
    return 0;
}

/* Every round touches fresh memory, which takes as long as one CPU needs for the first and largest
 * part. Measuring should take about as long as that, so that longer trials cost little. */
static void fill_rounds(struct probe_task *task)
{
    const struct bandwidth_state *state = task->state;
    struct plan *plan = &task->plan;
    const double touch_s = (double)state->parts[0].bytes / touched_bytes_s;
    const double batches = touch_s / (1e-9 * plan->batch_ns * (double)plan->point_count);
    if (batches > plan->batches)
        plan->batches = batches < (double)BATCHES_MOST ? (unsigned)batches : BATCHES_MOST;
}

int bandwidth_plan_threads(struct probe_task *task, struct error *error)
{
    const struct bandwidth_state *state = task->state;
    struct chase_level levels[CHASE_LEVELS_MAX];
    size_t *counts, n = bandwidth_counts(task, &counts);
    int code = n ? 0 : error_out_of_memory(error);
    begin_plan(task);
    if (state->size) {
        const struct chase_level whole = {.bytes = state->size, .last = true};
        code = code < 0 ? code : plan_level(task, &whole, "set", counts, n, error);
    } else {
        size_t count = chases_levels(task, NULL, levels);
        for (size_t i = 0; i < count && code == 0; i++) {
            struct chase_level *level = &levels[i];
            if (level->last)
                level->bytes = bandwidth_dram_set(task, counts, n, STREAM_TIMES);
            const char *name = pool_strdup(task->pool, level->name);
            code = !name          ? error_out_of_memory(error)
                   : level->bytes ? plan_level(task, level, name, counts, n, error)
                                  : 0;
        }
        const bool nodes = task->machine->facts.node_count > 1 && !state->brief;
        task->plan.share = nodes ? 0.7 : 1;
    }
    if (code == 0)
        code = lay_out_parts(task, error);
    if (code == 0)
        fill_rounds(task);
    return code < 0 ? code : task->plan.point_count > 0;
}

/* --- nodes --- */

/* The CPUs of that node which may be used: how many. */
static size_t cpus_of(const struct probe_task *task, int node, int *cpus)
{
    const struct bandwidth_state *state = task->state;
    size_t count = 0;
    for (size_t i = 0; i < state->cpu_count; i++) {
        const struct cpu_place *place = machine_cpu(task->machine, state->cpus[i]);
        if (place && place->node == node)
            cpus[count++] = state->cpus[i];
    }
    return count;
}

/* One stage a memory node: an arena is bound to one. */
int bandwidth_plan_nodes(struct probe_task *task, struct error *error)
{
    struct bandwidth_state *state = task->state;
    const struct machine_facts *facts = &task->machine->facts;
    enum stream_op op = STREAM_READ;
    while (!state->kernels[op])
        op++;
    while (state->node < facts->node_count && facts->nodes[state->node].memory_bytes == 0)
        state->node++;
    if (facts->node_count < 2 || state->node >= facts->node_count)
        return 0;
    const int to = facts->nodes[state->node++].id;
    int series = -1;
    for (size_t i = 0; i < state->curve_count; i++)
        if (state->curves[i].shape == BANDWIDTH_BY_NODE)
            series = (int)i;
    begin_plan(task);
    if (series < 0)
        series = bandwidth_add_series(task, (struct bandwidth_curve){BANDWIDTH_BY_NODE, op, "DRAM"},
                                      error);
    int *cpus = pool_alloc(task->pool, state->cpu_count, sizeof *cpus);
    if (series < 0 || !cpus)
        return error_out_of_memory(error);
    const size_t one = 1;
    const uint64_t set = bandwidth_dram_set(task, &one, 1, STREAM_TIMES);
    for (size_t i = 0; i < facts->node_count && set; i++) {
        const size_t count = cpus_of(task, facts->nodes[i].id, cpus);
        if (count == 0)
            continue;
        struct plan_point *point =
            add_point(task, (unsigned)series, cpus, count,
                      bandwidth_bytes_of_array(state, state->kernels[op], set / count));
        point->from = facts->nodes[i].id;
        point->to = to;
    }
    task->plan.node = to;
    task->plan.share = 1 / (double)(facts->node_count - state->node + 1);
    int code = lay_out_parts(task, error);
    return code < 0 ? code : task->plan.point_count > 0;
}

/* --- STREAM --- */

/* Each array at least four times the size of the caches together (STREAM's rules). */
int bandwidth_plan_stream(struct probe_task *task, struct error *error)
{
    static const enum stream_op ops[] = {STREAM_COPY, STREAM_SCALE, STREAM_ADD, STREAM_TRIAD};
    struct bandwidth_state *state = task->state;
    begin_plan(task);
    state->brief = true; /* one CPU and all */
    size_t *counts, n = bandwidth_counts(task, &counts);
    if (n == 0)
        return error_out_of_memory(error);
    const uint64_t set = bandwidth_dram_set(task, counts, n, STREAM_ARRAYS * STREAM_TIMES);
    if (!set)
        return error_set(error, ERROR_USAGE,
                         "--stream: the memory that may be used is not even twice the last-level "
                         "caches: stop what else runs, or leave --stream out");
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        int series = bandwidth_add_series(
            task, (struct bandwidth_curve){BANDWIDTH_STREAM, ops[k], "DRAM"}, error);
        int code = series < 0 ? series : 0;
        for (size_t i = 0; i < n && code == 0; i++)
            code = bandwidth_add_curve_point(
                task, (unsigned)series, (double)counts[i], counts[i],
                set / STREAM_ARRAYS / counts[i] / STREAM_STEP_BYTES * STREAM_STEP_BYTES, error);
        if (code < 0)
            return code;
    }
    task->plan.batches = 1;
    task->plan.batch_ns = stream_batch_ns;
    task->plan.trials_min = STREAM_TRIALS;
    struct factor *array = probe_add_parameter(task, "array_bytes");
    array->number = (double)(set / STREAM_ARRAYS);
    if (task->plan.trials_max < STREAM_TRIALS)
        task->plan.trials_max = STREAM_TRIALS;
    return lay_out_parts(task, error);
}

/* --- mixes --- */

/* By threads alone, over the set that was asked for or one of DRAM; kernels that were named are
 * measured beside the mixes. */
int bandwidth_plan_mixes(struct probe_task *task, struct error *error)
{
    const struct bandwidth_state *state = task->state;
    size_t *counts, n = bandwidth_counts(task, &counts);
    begin_plan(task);
    if (n == 0)
        return error_out_of_memory(error);
    const uint64_t set =
        state->size ? state->size : bandwidth_dram_set(task, counts, n, STREAM_TIMES);
    const char *level = state->size ? "set" : "DRAM";
    if (!set)
        return error_set(error, ERROR_USAGE,
                         "--mix: the memory that may be used is not even twice the last-level "
                         "caches: stop what else runs, or name a set (--size)");
    const struct chase_level whole = {.bytes = set, .last = true};
    int code = bandwidth_add_mixes(task, set, level, counts, n, error);
    if (code == 0 && state->kernels_named)
        code = plan_level(task, &whole, level, counts, n, error);
    if (code == 0)
        code = lay_out_parts(task, error);
    if (code == 0)
        fill_rounds(task);
    return code;
}

/* --- a quick run --- */

/* One CPU and all of them. */
static void look_at_all(struct probe_task *task)
{
    static const uint32_t both[] = {0, 1};
    task->plan.look = both;
    task->plan.look_count = task->plan.point_count < 2 ? task->plan.point_count : 2;
}

/* How fast one CPU and all CPUs read DRAM, so that a missing memory channel shows. */
int bandwidth_plan_quick(struct probe_task *task, struct error *error)
{
    struct bandwidth_state *state = task->state;
    begin_plan(task);
    size_t *counts, n = bandwidth_counts(task, &counts);
    const int series =
        state->curve_count
            ? 0
            : bandwidth_add_series(
                  task, (struct bandwidth_curve){BANDWIDTH_BY_THREADS, STREAM_READ, "DRAM"}, error);
    int code = n == 0 ? error_out_of_memory(error) : series < 0 ? series : 0;
    for (size_t i = 0; i < n && code == 0; i++) {
        const uint64_t set =
            is_measured(task, (double)counts[i]) ? 0 : bandwidth_quick_set(task, counts[i]);
        code = bandwidth_add_curve_point(
            task, (unsigned)series, (double)counts[i], counts[i],
            bandwidth_bytes_of_array(state, state->kernels[STREAM_READ], set / counts[i]), error);
    }
    look_at_all(task);
    /* Where memory lies moves no rate of DRAM, and touching it takes ten times as long as reading
     * it: trials that share it are many, and an interval takes many beside others. */
    task->plan.arena_life = ARENA_EVERY_TURN;
    if (state->quick)
        task->plan.trials_max = QUICK_TRIALS;
    task->plan.look_trials = QUICK_LOOKS;
    if (state->looks)
        task->plan.share = look_share;
    return code == 0 && task->plan.point_count ? lay_out_parts(task, error) : code;
}

/* --- measuring --- */

void bandwidth_prepare(struct trial *trial)
{
    const struct bandwidth_state *state = trial->probe_state;
    const struct plan_point *point = trial->point;
    const struct stream_kernel *kernel = kernel_of(state, point->series);
    /* An earlier stage may go on. Those of nodes have no parts of their own, and are all alike. */
    const struct arena_part *parts = trial->plan->part_count ? trial->plan->parts : state->parts;
    const struct bandwidth_mix *mix = state->curves[point->series].mix;
    const uint64_t extent = extent_of(state, point);
    const uint64_t step = mix ? bandwidth_mix_turn(mix) : stream_step_bytes(kernel, &state->access);
    struct random random = {trial->seed};
    uint64_t steps = 0;
    for (size_t i = 0; i < point->seat_count; i++) {
        /* Where in its part a set lies is part of what is measured. */
        const struct arena_part *part = &parts[i];
        const uint64_t unit = extent >= HUGE_PAGE ? HUGE_PAGE : SMALL_PAGE;
        const uint64_t left = trial->arena->bytes - part->at;
        const uint64_t room = part->bytes < left ? part->bytes : left;
        const uint64_t place = random_below(&random, (room - extent) / unit + 1) * unit;
        struct worker *worker = &trial->workers[i];
        _Static_assert(sizeof(struct stream) <= sizeof worker->room, "a stream needs more room");
        unsigned char *memory = trial->arena->memory + part->at + place;
        worker->state = worker->room;
        worker->run =
            mix ? bandwidth_mix_lay_out(state, mix, worker, memory, point->bytes,
                                        random_next(&random), &steps)
                : stream_lay_out((struct stream *)worker->room, kernel, memory, point->bytes,
                                 &state->access, random_next(&random), &steps);
    }
    trial->operations = (double)step * point->seat_count;
    /* Twice through settles any replacement policy; beyond the caches, their size does. */
    const uint64_t settled = state->moved / step / point->seat_count + 1;
    trial->warm_repeats = 2 * steps < settled ? 2 * steps : settled;
}
