/*
 * The sizes of the sets, the CPUs of each point, each seat's part of the memory, and the plans of
 * the stages.
 *
 * Every thread has its own arrays, which its CPU touches first. A seat has the same CPU and the
 * same part of the arena at every point of a plan, so the memory that it touched stays near it.
 */
#include "measure/probes/bandwidth/bandwidth.h"

#include "base/random.h"
#include "base/units.h"
#include "measure/kernels/mix.h"

static const uint64_t HUGE_PAGE = 2 << 20;
enum { SMALL_PAGE = 4096, EVERY_OTHER = 2, APART = 21 * STREAM_LINE_BYTES };
/* Short enough that many windows pass without an interruption, and long enough that the looks at
 * the clock, which stop the flow for some 0.1 us, take less than a hundredth. */
static const double batch_ns = 400e3, stream_batch_ns = 2e6;
/* A trial's undisturbed windows are at least four. */
enum { WINDOWS = 8 };
/* Approximate rate at which a CPU touches fresh memory. */
static const double touched_bytes_s = 1e9;
/* The time for STREAM in seconds, besides touching its arrays; how many times as long touching
 * takes on busy CPUs; and the share of that time for all CPUs, before one CPU. */
static const double stream_s = 20, stream_touches = 8, stream_share = 0.6;
/* Batches of a trial by threads. Busy CPUs repeat batches; with more batches, too few rounds would
 * be left for an interval. */
enum { BATCHES_MOST = 20 };
/* Trials of DRAM's rates, one at each moment. */
enum { SPREAD_TRIALS = 24 };
/* Of a whole run's time for bandwidth, the share for the DRAM rates of one CPU and of all CPUs. */
static const double look_share = 0.25;
static const double precision = 0.03, unstable_above = 0.2;
/* STREAM makes ten passes and leaves out the first. */
enum { STREAM_TRIALS = 10, STREAM_TIMES = 4, STREAM_ARRAYS = 3 };

/* The most that a CPU touches in a quick run, and in a whole one. */
static const uint64_t quick_bytes = 256 << 20, whole_bytes = UINT64_C(2) << 30;
enum { EVERY_COUNT_TO = 8, QUICK_TIMES = 4, QUICK_TIMES_LEAST = 2 };

/* --- sets --- */

unsigned bandwidth_arrays(const struct stream_kernel *kernel)
{
    return kernel->loads + kernel->stores;
}

static uint64_t unit_of(const struct bandwidth_state *state)
{
    return state->access.bytes ? state->access.bytes : STREAM_STEP_BYTES;
}

/* Bytes of each of the kernel's arrays in a set of `set_bytes`, rounded to whole steps of the
 * access. */
static uint64_t bytes_of_array(const struct bandwidth_state *state,
                               const struct stream_kernel *kernel, uint64_t set_bytes)
{
    const uint64_t unit = unit_of(state);
    return set_bytes / bandwidth_arrays(kernel) / unit * unit;
}

uint64_t bandwidth_least_set(const struct bandwidth_state *state)
{
    uint64_t most = 0;
    for (enum stream_op op = 0; op < STREAM_OPS; op++)
        if (state->kernels[op] && bandwidth_arrays(state->kernels[op]) > most)
            most = bandwidth_arrays(state->kernels[op]);
    return (most * unit_of(state) + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE;
}

size_t bandwidth_counts(const struct probe_task *task, size_t **counts)
{
    const struct bandwidth_state *state = task->state;
    const size_t all = state->cpu_count;
    size_t n = 0;
    *counts = NULL;
    for (size_t at = 1;;) {
        *(size_t *)pool_append(task->pool, (void **)counts, &n, sizeof at) = at;
        if (at == all)
            return n;
        size_t next = state->brief ? all : at < EVERY_COUNT_TO ? at + 1 : at + at / 2;
        at = next < all ? next : all;
    }
}

/* Seat i's part is largest at the smallest count that includes it, so that count decides its
 * share. */
double bandwidth_parts_share(const size_t *counts, size_t n)
{
    double share = 0;
    size_t seated = 0;
    for (size_t i = 0; i < n; i++) {
        share += (double)(counts[i] - seated) / (double)counts[i];
        seated = counts[i];
    }
    return share;
}

/* How many of the first `count` CPUs share one instance of that cache, as declared; level 0 is the
 * last one. */
static size_t sharing(const struct probe_task *task, int level, size_t count)
{
    const struct bandwidth_state *state = task->state;
    const struct cache_facts *cache =
        level ? cache_of_cpu(&task->machine->facts, level, state->cpus[0])
              : machine_last_cache(task->machine);
    struct cpulist cpus;
    if (!cache || !cache->shared_cpus ||
        cpulist_read(cache->shared_cpus, &cpus, task->pool, NULL) < 0)
        return 1;
    const struct cpulist measuring = {state->cpus, count};
    size_t found = cpulist_common(&measuring, &cpus);
    if (found == 0) /* the list is another instance's: assume that as many share each */
        found = count < cpus.count ? count : cpus.count;
    return found ? found : 1;
}

/* Bytes of a DRAM set that the CPUs of a point share: `times` the sum of the CPUs' last-level
 * caches, or what memory allows; 0 if that is less than twice the caches, or may not be DRAM. */
static uint64_t dram_set(const struct probe_task *task, const size_t *counts, size_t n,
                         uint64_t times)
{
    const struct bandwidth_state *state = task->state;
    const size_t together = sharing(task, 0, state->cpu_count);
    const uint64_t caches = last_levels_of(task, state->cpu_count, together);
    const uint64_t bound = memory_bounds(task).least,
                   least = bound < 2 * caches ? 2 * caches : bound;
    const double room =
        (double)machine_memory_budget(task->machine) - (double)(state->cpu_count * 2 * HUGE_PAGE);
    const double most = room / bandwidth_parts_share(counts, n);
    const uint64_t wanted = times * caches < least ? least : times * caches;
    if ((double)wanted <= most)
        return wanted;
    return most >= (double)least ? (uint64_t)most / SMALL_PAGE * SMALL_PAGE : 0;
}

/* At this load per CPU, touching memory takes several times as long: at a load of 8 on a guest's 2
 * CPUs, 192 MiB took 2.5 s of a quick run's 4 s. */
static const double busy_load = 2;

/* Bytes of a DRAM set of `count` CPUs that is spread over a run, and touched in some tenths of a
 * second of a quick one: four times these CPUs' last-level caches, or twice; 0 if even twice is too
 * much for one CPU. */
static uint64_t spread_set(const struct probe_task *task, size_t count)
{
    const struct bandwidth_state *state = task->state;
    const uint64_t caches = last_levels_of(task, count, sharing(task, 0, state->cpu_count));
    const uint64_t least = memory_bounds(task).least;
    const uint64_t budget = machine_memory_budget(task->machine) / 2;
    /* Twice the caches is enough to miss them, though caches with random replacement still serve a
     * tenth of it; each further byte costs time for its first touch. */
    const bool slow =
        state->quick && task->document &&
        task->document->conditions.load1 >= busy_load * (double)task->machine->allowed.count;
    const uint64_t most = slow ? QUICK_TIMES_LEAST : QUICK_TIMES;
    for (uint64_t times = most; times >= QUICK_TIMES_LEAST; times /= 2) {
        const uint64_t bytes = times * caches < least ? least : times * caches;
        if (bytes / count <= (state->quick ? quick_bytes : whole_bytes) && bytes <= budget)
            return bytes;
    }
    return 0;
}

/* --- series and points --- */

unsigned bandwidth_add_series(struct probe_task *task, struct bandwidth_curve curve)
{
    static const struct {
        const char *name;
        struct axis x;
    } shapes[] = {
        [BANDWIDTH_BY_SIZE] = {"bandwidth", {"working set", "B"}},
        [BANDWIDTH_BY_THREADS] = {BANDWIDTH_BY_THREADS_NAME, {"threads", ""}},
        [BANDWIDTH_BY_NODE] = {"bandwidth by node", {"node", ""}},
        [BANDWIDTH_STREAM] = {BANDWIDTH_STREAM_NAME, {"threads", ""}},
        [BANDWIDTH_PER_CPU] = {BANDWIDTH_PER_CPU_NAME, {"threads", ""}},
    };
    struct bandwidth_state *state = task->state;
    const struct stream_kernel *loop = (curve.mix ? state->mixed : state->kernels)[curve.op];
    const unsigned series =
        build_series(task, (struct series){.name = shapes[curve.shape].name,
                                           .matrix = curve.shape == BANDWIDTH_BY_NODE,
                                           .x = shapes[curve.shape].x,
                                           .y = {"bandwidth", "B/s"}});
    *(struct bandwidth_curve *)pool_append(task->pool, (void **)&state->curves, &state->curve_count,
                                           sizeof curve) = curve;
    build_factor_text(task, series, curve.mix ? "mix" : "kernel",
                      curve.mix ? curve.mix->name : stream_op_names[curve.op]);
    build_factor_text(task, series, "width", stream_width_names[loop->width]);
    build_factor_text(task, series, "access", state->access_text);
    if (curve.level)
        build_factor_text(task, series, "level", curve.level);
    return series;
}

static const struct stream_kernel *kernel_of(const struct bandwidth_state *state, unsigned series)
{
    return state->kernels[state->curves[series].op];
}

/* Bytes of the arena that each seat of the point needs. A mix's state has its own page before the
 * arrays. */
static uint64_t extent_of(const struct bandwidth_state *state, const struct plan_point *point)
{
    return state->curves[point->series].mix
               ? point->bytes + 2 * SMALL_PAGE + APART
               : stream_extent(bandwidth_arrays(kernel_of(state, point->series)), point->bytes);
}

/* Adds a point at which the first `count` CPUs measure, each with arrays of `array_bytes`; none if
 * that is 0. */
static void add_curve_point(struct probe_task *task, unsigned series, size_t count, double x,
                            uint64_t array_bytes)
{
    const struct bandwidth_state *state = task->state;
    if (array_bytes)
        build_point(task, series, x, state->cpus, count, MEASURED)->bytes = array_bytes;
}

/* Bytes that the point's set takes of a seat's part, rounded up to huge pages. */
static size_t huge_extent_of(const struct bandwidth_state *state, const struct plan_point *point)
{
    return (size_t)((extent_of(state, point) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
}

/* Gives each seat a part of the arena that is large enough for each of its points. */
static void lay_out_parts(struct probe_task *task)
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
    plan->parts = plan->node < 0 ? state->parts : NULL; /* binding places a node's memory */
    plan->part_count = plan->node < 0 ? seats : 0;
}

/* The settings that the plans of all stages share. */
static void begin_plan(struct probe_task *task)
{
    const struct bandwidth_state *state = task->state;
    const enum page_policy pages = (enum page_policy)state->asked->pages.choice;
    struct plan *plan = probe_plan_begin(task, state->cpus[0], pages, precision);
    plan->yields = OPERATIONS_PER_SECOND;
    plan->cycles = false; /* the core clock does not decide rates beyond the caches */
    plan->batch_ns = batch_ns;
    plan->windows = true;
    plan->batches = WINDOWS;
    plan->unstable_above = unstable_above;
}

/* --- stages --- */

void bandwidth_plan_sizes(struct probe_task *task, bool first)
{
    const struct bandwidth_state *state = task->state;
    const bool all_sizes =
        first || state->asked->sets.sizes.has || state->asked->sets.per_octave.has;
    unsigned seen = 0;
    begin_plan(task);
    task->plan.share = first ? 0.4 : 0.5;
    for (enum stream_op op = 0; op < STREAM_OPS; op++) {
        const struct stream_kernel *kernel = state->kernels[op];
        if (!kernel || (seen++ == 0) != first)
            continue;
        const unsigned series =
            bandwidth_add_series(task, (struct bandwidth_curve){BANDWIDTH_BY_SIZE, op, NULL, NULL});
        for (size_t i = 0; i < state->sets.count; i += all_sizes ? 1 : EVERY_OTHER)
            add_curve_point(task, series, 1, (double)state->sets.bytes[i],
                            bytes_of_array(state, kernel, state->sets.bytes[i]));
    }
    lay_out_parts(task);
}

/* What the first screen shows of DRAM. */
static bool is_headline(enum stream_op op)
{
    return op == STREAM_READ || op == STREAM_WRITE_NT || op == STREAM_TRIAD;
}

/* What was looked at has the first series, one for each kernel. */
static bool is_measured(const struct probe_task *task, enum stream_op op, double x)
{
    const struct bandwidth_state *state = task->state;
    for (size_t i = 0; i < task->plan.series_count && i < state->looked; i++)
        for (size_t k = 0; k < task->plan.series[i].point_count; k++)
            if (state->curves[i].op == op && task->plan.series[i].points[k].x == x)
                return true;
    return false;
}

static void plan_level(struct probe_task *task, const struct chase_level *level, const char *name,
                       const size_t *counts, size_t n)
{
    const struct bandwidth_state *state = task->state;
    static const char set_factor[] = "set";
    const int depth = level->name[0] == 'L' ? level->name[1] - '0' : 0;
    for (enum stream_op op = 0; op < STREAM_OPS; op++) {
        const struct stream_kernel *kernel = state->kernels[op];
        /* A run of several probes measures only what the first screen shows. */
        const bool wanted = !state->brief || state->asked->kernel.has || op == STREAM_READ ||
                            (level->last && is_headline(op));
        int series = -1;
        if (!kernel || !wanted || (kernel->past_caches && depth))
            continue;
        for (size_t i = 0; i < n; i++) {
            const size_t sharers = depth ? sharing(task, depth, counts[i]) : counts[i];
            /* A third level's set is a third of it; those of CPUs that share it come to two thirds,
             * because what is little more than a CPU's own cache is mostly read from there. */
            const uint64_t apart = depth > 2 && sharers > 1 ? 2 : 1,
                           bytes = level->bytes / sharers * apart,
                           each = bytes_of_array(state, kernel, bytes);
            /* Skip sets that fit the previous cache, are measured already, or hold less than a step
             * of the access. */
            if ((bytes <= level->above * apart && depth) ||
                (level->last && is_measured(task, op, (double)counts[i])) || !each)
                continue;
            if (series < 0)
                series = (int)bandwidth_add_series(
                    task, (struct bandwidth_curve){BANDWIDTH_BY_THREADS, op, name, NULL});
            if (!depth && !series_factor(&task->plan.series[series], set_factor))
                build_factor_text(task, (unsigned)series, set_factor,
                                  size_text(task->pool, (double)level->bytes));
            add_curve_point(task, (unsigned)series, counts[i], (double)counts[i], each);
        }
    }
}

/* Every round touches fresh memory, for as long as one CPU needs for the first and largest part.
 * Measuring may take about as long, because longer trials then add little to the total. */
static void fill_rounds(struct probe_task *task)
{
    const struct bandwidth_state *state = task->state;
    struct plan *plan = &task->plan;
    const double touch_s = (double)state->parts[0].bytes / touched_bytes_s;
    const double batches = touch_s / (1e-9 * plan->batch_ns * (double)plan->point_count);
    if (batches > plan->batches)
        plan->batches = batches < (double)BATCHES_MOST ? (unsigned)batches : BATCHES_MOST;
}

void bandwidth_plan_threads(struct probe_task *task)
{
    const struct bandwidth_state *state = task->state;
    struct chase_level levels[CHASE_LEVELS_MAX];
    size_t *counts, n = bandwidth_counts(task, &counts);
    begin_plan(task);
    if (state->size) {
        const struct chase_level whole = {.bytes = state->size, .last = true};
        plan_level(task, &whole, "set", counts, n);
    } else {
        const size_t count = chases_levels(task, state->cpus[0], NULL, levels);
        for (size_t i = 0; i < count; i++) {
            struct chase_level *level = &levels[i];
            if (level->last)
                level->bytes = dram_set(task, counts, n, STREAM_TIMES);
            if (level->bytes)
                plan_level(task, level, pool_strdup(task->pool, level->name), counts, n);
        }
        const bool nodes = task->machine->facts.node_count > 1 && !state->brief;
        task->plan.share = nodes ? 0.7 : 1;
    }
    lay_out_parts(task);
    fill_rounds(task);
}

/* --- nodes --- */

/* Lists the usable CPUs of that node and returns their number. */
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

/* One stage for each memory node, because an arena is bound to one node. */
void bandwidth_plan_nodes(struct probe_task *task)
{
    struct bandwidth_state *state = task->state;
    const struct machine_facts *facts = &task->machine->facts;
    const size_t one = 1;
    enum stream_op op = STREAM_READ;
    int series = -1;
    while (!state->kernels[op])
        op++;
    while (state->node < facts->node_count && facts->nodes[state->node].memory_bytes == 0)
        state->node++;
    begin_plan(task);
    if (facts->node_count < 2 || state->node >= facts->node_count)
        return;
    const int to = facts->nodes[state->node++].id;
    for (size_t i = 0; i < state->curve_count; i++)
        if (state->curves[i].shape == BANDWIDTH_BY_NODE)
            series = (int)i;
    if (series < 0)
        series = (int)bandwidth_add_series(
            task, (struct bandwidth_curve){BANDWIDTH_BY_NODE, op, "DRAM", NULL});
    int *cpus = pool_alloc(task->pool, state->cpu_count, sizeof *cpus);
    const uint64_t set = dram_set(task, &one, 1, STREAM_TIMES);
    for (size_t i = 0; i < facts->node_count && set; i++) {
        const size_t count = cpus_of(task, facts->nodes[i].id, cpus);
        const uint64_t bytes = count ? bytes_of_array(state, state->kernels[op], set / count) : 0;
        if (!bytes) /* its CPUs' parts hold no step of the access, or it has no CPUs */
            continue;
        struct plan_point *point = build_point(task, (unsigned)series, 0, cpus, count, MEASURED);
        point->bytes = bytes;
        point->from = facts->nodes[i].id;
        point->to = to;
    }
    task->plan.node = to;
    task->plan.share = 1 / (double)(facts->node_count - state->node + 1);
    lay_out_parts(task);
}

/* --- STREAM --- */

/* Each array has at least four times the size of all caches together (STREAM's rules). Its memory
 * is touched once, and rounds go through all four kernels in it. */
void bandwidth_plan_stream(struct probe_task *task, size_t cpus)
{
    static const enum stream_op ops[] = {STREAM_COPY, STREAM_SCALE, STREAM_ADD, STREAM_TRIAD};
    struct bandwidth_state *state = task->state;
    struct plan *plan = &task->plan;
    begin_plan(task);
    const uint64_t set = dram_set(task, &cpus, 1, STREAM_ARRAYS * STREAM_TIMES);
    if (!set)
        pool_leave(task->pool, ERROR_USAGE,
                   "--stream: the memory that may be used is not even twice the last-level caches: "
                   "stop other programs, or leave --stream out");
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        const unsigned series =
            state->curve_count > k
                ? (unsigned)k
                : bandwidth_add_series(
                      task, (struct bandwidth_curve){BANDWIDTH_STREAM, ops[k], "DRAM", NULL});
        add_curve_point(task, series, cpus, (double)cpus,
                        set / STREAM_ARRAYS / cpus / STREAM_STEP_BYTES * STREAM_STEP_BYTES);
    }
    plan->arena_life = ARENA_WHOLE_STAGE;
    plan->batches = 1;
    plan->batch_ns = stream_batch_ns;
    plan->windows = false; /* STREAM's threads share its work, and a pass ends with the last one */
    plan->trials_min = STREAM_TRIALS;
    plan->trials_max = plan->trials_max < STREAM_TRIALS ? STREAM_TRIALS : plan->trials_max;
    if (task->stage)
        return lay_out_parts(task);
    plan->share = state->cpu_count > 1 && !state->asked->threads.has ? stream_share : 1;
    task->weight_s = stream_s + stream_touches * (double)set / touched_bytes_s;
    build_note(task, "array_bytes", (double)(set / STREAM_ARRAYS));
    lay_out_parts(task);
}

/* --- mixes --- */

/* A store through the caches is one read and one write of memory, because its line is fetched first
 * and written back later: of R reads and W writes only R - W are loads. A store past the caches is
 * only a write. The rate counts all lines moved.
 *
 * Measured by threads only, over the set that --size gives or one of DRAM, together with the
 * kernels that --kernel names. */
void bandwidth_plan_mixes(struct probe_task *task)
{
    const struct bandwidth_state *state = task->state;
    const char *level = state->size ? "set" : "DRAM";
    size_t *counts, n = bandwidth_counts(task, &counts);
    const uint64_t set = state->size ? state->size : dram_set(task, counts, n, STREAM_TIMES);
    const struct chase_level whole = {.bytes = set, .last = true};
    if (!set)
        pool_leave(task->pool, ERROR_USAGE,
                   "--mix: the memory that may be used is not even twice the last-level caches: "
                   "stop other programs, or name a set (--size)");
    begin_plan(task);
    for (size_t m = 0; m < state->mix_count; m++) {
        const struct bandwidth_mix *mix = &state->mixes[m];
        const uint64_t least = (uint64_t)(mix->loads + mix->writes) * STREAM_STEP_BYTES;
        const unsigned series = bandwidth_add_series(
            task, (struct bandwidth_curve){BANDWIDTH_BY_THREADS, STREAM_READ, level, mix});
        for (size_t i = 0; i < n; i++)
            add_curve_point(task, series, counts[i], (double)counts[i],
                            set / counts[i] / least * least);
    }
    if (state->asked->kernel.has)
        plan_level(task, &whole, level, counts, n);
    lay_out_parts(task);
    fill_rounds(task);
}

/* --- what is spread over a run --- */

/* The rates of DRAM by one CPU and by all CPUs: they show a missing memory channel. A quick run
 * only reads. */
void bandwidth_plan_spread(struct probe_task *task)
{
    static const uint32_t all[] = {0, 1, 2, 3, 4, 5};
    struct bandwidth_state *state = task->state;
    struct plan *plan = &task->plan;
    begin_plan(task);
    size_t *counts, n = bandwidth_counts(task, &counts);
    for (enum stream_op op = 0; op < STREAM_OPS; op++) {
        if (!state->kernels[op] || !is_headline(op) || (state->quick && op != STREAM_READ))
            continue;
        const unsigned series =
            state->quick && state->curve_count
                ? 0
                : bandwidth_add_series(
                      task, (struct bandwidth_curve){BANDWIDTH_BY_THREADS, op, "DRAM", NULL});
        for (size_t i = 0; i < n; i++)
            if (!is_measured(task, op, (double)counts[i]))
                add_curve_point(task, series, counts[i], (double)counts[i],
                                bytes_of_array(state, state->kernels[op],
                                               spread_set(task, counts[i]) / counts[i]));
    }
    state->looked = state->curve_count;
    plan->look = all;
    plan->look_count = plan->point_count;
    /* A rate of DRAM does not depend on which pages are used, and touching takes ten times as long
     * as reading. So trials share memory, and are spread over the run: others come and go. */
    plan->arena_life = ARENA_WHOLE_STAGE;
    if (state->quick || plan->trials_max < SPREAD_TRIALS)
        plan->trials_max = SPREAD_TRIALS;
    plan->look_trials = 1;
    if (state->looks)
        plan->share = look_share;
    if (plan->point_count)
        lay_out_parts(task);
}

/* --- measuring --- */

/* Lays the mix and the worker's state out in memory aligned to a page. `*steps` is the number of
 * repeats of one pass over all arrays. */
static kernel_function *lay_out_mix(const struct bandwidth_state *state,
                                    const struct bandwidth_mix *mix, struct worker *worker,
                                    unsigned char *memory, uint64_t bytes, uint64_t seed,
                                    uint64_t *steps)
{
    static const struct stream_access in_order = {STREAM_SEQUENTIAL, 0};
    const unsigned parts = mix->loads + mix->writes;
    const uint64_t loaded = bytes / parts * mix->loads / STREAM_STEP_BYTES * STREAM_STEP_BYTES;
    const uint64_t stored = bytes / parts * mix->writes / STREAM_STEP_BYTES * STREAM_STEP_BYTES;
    const uint64_t part = MIX_PART_BYTES / STREAM_STEP_BYTES;
    const enum stream_op store = mix->past_caches ? STREAM_WRITE_NT : STREAM_WRITE;
    struct mix *run = (struct mix *)memory;
    uint64_t load_pass = 0, store_pass = 0;
    memory += SMALL_PAGE;
    *run = (struct mix){.load_steps = mix->loads * part, .store_steps = mix->writes * part};
    if (loaded)
        run->load = stream_lay_out(&run->from, state->mixed[STREAM_READ], memory, loaded, &in_order,
                                   seed, &load_pass);
    memory += (loaded + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE + APART;
    if (stored)
        run->store = stream_lay_out(&run->to, state->mixed[store], memory, stored, &in_order, seed,
                                    &store_pass);
    *steps = (load_pass + store_pass) / (parts * part) + 1;
    worker->state = run;
    return mix_run;
}

void bandwidth_prepare(struct trial *trial)
{
    const struct bandwidth_state *state = trial->probe_state;
    const struct plan_point *point = trial->point;
    const struct stream_kernel *kernel = kernel_of(state, point->series);
    /* The parts are those of the trial's own plan, because an earlier stage may be continued. Plans
     * of nodes have no parts and use the state's. */
    const struct arena_part *parts = trial->plan->part_count ? trial->plan->parts : state->parts;
    const struct bandwidth_mix *mix = state->curves[point->series].mix;
    const uint64_t extent = extent_of(state, point);
    const uint64_t step = mix ? (uint64_t)(mix->reads + mix->writes) * MIX_PART_BYTES
                              : stream_step_bytes(kernel, &state->access);
    struct random random = {trial->seed};
    uint64_t steps = 0;
    for (size_t i = 0; i < point->seat_count; i++) {
        /* Where a set lies affects its rate, so it varies from trial to trial. */
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
            mix ? lay_out_mix(state, mix, worker, memory, point->bytes, random_next(&random),
                              &steps)
                : stream_lay_out((struct stream *)worker->room, kernel, memory, point->bytes,
                                 &state->access, random_next(&random), &steps);
    }
    trial->operations = (double)step * point->seat_count;
    /* Two passes settle any replacement policy; larger sets need only as many bytes as settle the
     * caches. Those that are spread over a run are two to four times the caches, and as many bytes
     * as these hold push out what an earlier trial left there. */
    const uint64_t moved = plan_is_spread(trial->plan) ? state->moved / 2 : state->moved,
                   settled = moved / step / point->seat_count + 1;
    trial->warm_repeats = 2 * steps < settled ? 2 * steps : settled;
}
