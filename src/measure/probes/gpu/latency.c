/*
 * Load latency of a GPU by working-set size: one thread, one chain of dependent loads, one pointer
 * a line, in an order that no prefetcher predicts. The first curve, through every cache, is dense
 * and gets more sizes around its knees; the others (strided order, past L1, read-only) are coarser,
 * for comparison.
 *
 * The whole has to fit into 20 s of a device's time. On paper, at 1.7 GHz, with L1 33, L2 280 and
 * DRAM 660 cycles, L1 256 KiB and L2 50 MB: the first curve has 16 octaves of 4 sizes below 64 MiB
 * and 3 of 2 above, 70 points, and at most 3 stages of 3 sizes around 2 knees, 18. The three others
 * end at twice L2 and have 34 each. That makes 190 points of 6 trials or more:
 * - batches: 3 of 1 ms, and before each L1 is warmed again (a launch may come to another
 *   multiprocessor), up to 0.7 ms: 1128 * 4.2 ms = 4.7 s; one point in five needs 25 trials, which
 * adds 38 * 19 * 4.2 ms = 3.0 s
 * - a fresh ring is first chased untimed, at most 65536 loads: 20 points beyond L2 take 25 ms each
 *   time, 40 more from 4 MiB on 11 ms, those below together 150 ms: 6.5 s
 * - rings are built by the host at some 25 ns a line: the sizes of the dense curve add up to 6.3
 *   times the largest, of the others to 1.7 times each: 18 million lines, 6 times: 2.7 s
 *
 * Together 17 s.
 */
#include "conclude/levels/level.h"
#include "conclude/registry/device.h"
#include "document/flag.h"
#include "measure/probes/chase/knees.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/gpu/options.h"

#include <math.h>
#include <string.h>

enum { PATHS = 3, ORDERS = 2, CURVES_MOST = GPU_SPLITS_MOST + PATHS + ORDERS };
/* In the order of gpu_path_names. */
static const enum gpu_path paths[PATHS] = {GPU_L1, GPU_L2, GPU_READ_ONLY};

struct curve {
    size_t path; /* index of `paths` */
    enum gpu_order order;
    struct gpu_split split;
    size_t series; /* index in the plan */
};

/* What the options ask for. */
struct curves {
    struct curve list[CURVES_MOST];
    size_t count, dense; /* the first `dense` curves are dense and show levels */
    size_t stride;
    bool split, sweep; /* --l1 was given; --l1 is "sweep" */
};

struct latency_state {
    struct curves asked;
    bool beside;   /* the coarse curves were planned */
    unsigned more; /* octaves that were added */
};

enum { WORD = 8 };
enum { PER_OCTAVE = 4, PER_OCTAVE_BESIDE = 2, PER_OCTAVE_QUICK = 2 };
/* A curve that is not flat at its end is extended by this many octaves. */
enum { OCTAVES_MORE = 2, PER_OCTAVE_MORE = 2 };
/* Device memory's latency is found at sizes well beyond L2: at twice L2 some loads still hit, and
 * in a second level of two halves the farther one serves sets of L2's size and somewhat more.
 * OpenCL reports no size of the last level; AMD's largest has 256 MiB (MI300X). For a CPU device
 * less is enough, because `fathom latency` measures its caches. */
enum { L2_TIMES = 8, L2_UNKNOWN_TO = 1 << 30, CPU_TO = 256 << 20, MEMORY_UNKNOWN = 1 << 30 };

/* The most that a stage takes of the experiment's time. */
static const double share_dense = 0.5, share_knees = 0.4;

/* --- which curves --- */

static void add_curve(struct curves *asked, size_t path, enum gpu_order order,
                      struct gpu_split split)
{
    asked->list[asked->count++] = (struct curve){path, order, split, 0};
}

/* The curves: the first path and order for every split; then the first path in the other orders,
 * and the other paths in the first order. */
static struct curves read_options(const struct gpu_task *here)
{
    const struct gpu_options *options = here->task->options;
    const enum gpu_order first = options->order.choice == GPU_STRIDED ? GPU_STRIDED : GPU_RANDOM;
    const uint32_t listed = gpu_options_names(here->task, &options->path, gpu_path_names);
    struct gpu_split splits[GPU_SPLITS_MOST] = {gpu_split_default(here->facts)};
    struct curves asked = {.stride = (size_t)options->stride.bytes, .dense = 1};
    const char *l1 = options->l1.text;
    if (l1) {
        asked.split = true;
        asked.sweep = strcmp(l1, "sweep") == 0;
        asked.dense = gpu_splits_parse(l1, here->facts, splits, here->task->pool);
    }
    size_t path = 0;
    while (!(listed >> path & 1))
        path++;
    for (size_t i = 0; i < asked.dense; i++)
        add_curve(&asked, path, first, splits[i]);
    if (asked.sweep)
        return asked;
    if (options->order.choice == GPU_BOTH_ORDERS)
        add_curve(&asked, path, GPU_STRIDED, splits[0]);
    while (++path < PATHS)
        if (listed >> path & 1)
            add_curve(&asked, path, first, splits[0]);
    return asked;
}

static struct gpu_work chase_of(const struct curves *asked, const struct curve *curve,
                                uint64_t bytes)
{
    struct gpu_work work = gpu_chase(paths[curve->path], (size_t)bytes,
                                     bytes < asked->stride ? (size_t)WORD : asked->stride);
    work.order = curve->order;
    work.carve_out = asked->split ? curve->split.carve_out : -1;
    return work;
}

/* --- over which working sets --- */

/* For the dense curves. */
static struct working_set_limits limits_dense(const struct gpu_task *here,
                                              const struct curves *asked)
{
    const struct gpu_facts *facts = here->facts;
    const bool is_cpu = gpu_is_cpu(facts);
    const bool quick = here->task->common.quick.has || is_cpu;
    const uint64_t memory = gpu_memory(here);
    struct working_set_limits limits = {
        .largest = facts->l2_bytes ? L2_TIMES * facts->l2_bytes
                   : is_cpu        ? CPU_TO
                                   : L2_UNKNOWN_TO,
        .most = (memory ? memory : MEMORY_UNKNOWN) / 4,
        .most_is = here->gpu ? "a quarter of the device's memory that is free"
                             : "a quarter of the device's memory",
        .per_octave = quick ? PER_OCTAVE_QUICK : PER_OCTAVE,
    };
    if (asked->sweep) /* beyond L1 all splits have the same latency */
        limits.largest = 4 * facts->first_level_bytes;
    if (limits.largest > limits.most)
        limits.largest = limits.most;
    return limits;
}

/* The working sets that the options ask for, within the limits; leaves with ERROR_USAGE if there
 * are none. A set smaller than a stride lies within one line, with adjacent elements; other sets
 * are whole strides. */
static struct working_sets choose_sets(const struct gpu_task *here, const struct curves *asked,
                                       const struct working_set_limits *limits)
{
    const struct gpu_options *options = here->task->options;
    const size_t unit = gpu_options_below_stride(options) ? WORD : asked->stride;
    struct working_sets sets = working_sets_within(here->task, &options->sets, unit, limits);
    size_t kept = 0;
    for (size_t i = 0; i < sets.count; i++) {
        const uint64_t bytes = sets.bytes[i] < asked->stride
                                   ? sets.bytes[i]
                                   : sets.bytes[i] / asked->stride * asked->stride;
        if (!kept || sets.bytes[kept - 1] != bytes)
            sets.bytes[kept++] = bytes;
    }
    sets.count = kept;
    return sets;
}

/* Additional sizes for the first curve between half of L2 and somewhat more than L2, which make
 * eight an octave instead of four: an A100 has a plateau of hardly an octave there. Returns their
 * number; 0 if the options name sizes or ask for few. */
enum { OUTER_MOST = 6 };
static size_t outer_sets(const struct gpu_task *here, const struct curves *asked,
                         const struct working_set_limits *limits, uint64_t bytes[OUTER_MOST])
{
    const struct working_set_options *sets =
        &((const struct gpu_options *)here->task->options)->sets;
    const double half = (double)here->facts->l2_bytes / 2;
    size_t count = 0;
    if (!(half > 0) || asked->sweep || sets->sizes.has || here->task->common.quick.has ||
        sets->per_octave.has)
        return 0;
    const double from = (double)sets->from.bytes,
                 to = (double)(sets->to.has ? sets->to.bytes : limits->largest);
    for (int i = 0; i < OUTER_MOST; i++) {
        const double size = half * exp2((2 * i + 1) / (2.0 * (double)PER_OCTAVE));
        if (size >= from && size <= to)
            bytes[count++] = (uint64_t)size / asked->stride * asked->stride;
    }
    return count;
}

static void check_latency(const struct gpu_task *here)
{
    const struct curves asked = read_options(here);
    const struct working_set_limits limits = limits_dense(here, &asked);
    choose_sets(here, &asked, &limits);
}

/* --- planning --- */

static void add_points(struct gpu_task *here, const struct curves *asked, const struct curve *curve,
                       const uint64_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct gpu_work work = chase_of(asked, curve, bytes[i]);
        gpu_add_point(here, &here->task->plan.series[curve->series], (double)bytes[i], &work);
    }
}

struct choosing {
    const struct gpu_task *here;
    const struct curves *asked;
    const struct working_set_limits *limits;
    struct working_sets sets;
};

static int choosing_step(void *with)
{
    struct choosing *choosing = with;
    choosing->sets = choose_sets(choosing->here, choosing->asked, choosing->limits);
    return 0;
}

/* Plans curves [first, end) over the sizes asked for. If the memory for them is no longer free
 * since the options were checked, records the curves as not measured. */
static void plan_curves(struct gpu_task *here, struct curves *asked, size_t first, size_t end,
                        const struct working_set_limits *limits)
{
    struct choosing choosing = {here, asked, limits, {0}};
    const struct working_sets *sets = &choosing.sets;
    struct error why = {0};
    if (pool_enter(here->task->pool, choosing_step, &choosing, &why) < 0) {
        gpu_not_measured(here, "latency", why.text);
        return;
    }
    for (size_t i = first; i < end; i++) {
        struct curve *curve = &asked->list[i];
        struct series *series = gpu_add_series(here, "latency", gpu_by_size, gpu_in_ns);
        curve->series = here->task->plan.series_count - 1;
        series->headline = first == 0;
        gpu_add_factor(here, series, "path", gpu_path_names[curve->path], NAN);
        gpu_add_factor(here, series, "order", gpu_order_names[curve->order], NAN);
        gpu_add_factor(here, series, "stride", NULL, (double)asked->stride);
        if (asked->split)
            gpu_add_factor(here, series, "l1", NULL, (double)curve->split.l1_bytes);
        add_points(here, asked, curve, sets->bytes, sets->count);
    }
}

static void plan_first(struct gpu_task *here)
{
    struct latency_state *state = here->state = pool_alloc(here->task->pool, 1, sizeof *state);
    struct curves *asked = &state->asked;
    uint64_t outer[OUTER_MOST];
    *asked = read_options(here);
    /* Drops curves that the device can't do. */
    size_t kept = 0, dense = 0;
    for (size_t i = 0; i < asked->count; i++) {
        const struct curve *curve = &asked->list[i];
        const struct gpu_work work = chase_of(asked, curve, 2 * asked->stride);
        const char *what =
            pool_printf(here->task->pool, "latency, path %s", gpu_path_names[curve->path]);
        if (!gpu_can(here, what, &work))
            continue;
        dense += i < asked->dense;
        asked->list[kept++] = *curve;
    }
    asked->count = kept;
    asked->dense = dense || !kept ? dense : 1;
    if (asked->count == 0)
        return;
    const struct working_set_limits limits = limits_dense(here, asked);
    here->task->plan.share = asked->count > asked->dense ? share_dense : 1 - share_knees;
    plan_curves(here, asked, 0, asked->dense, &limits);
    if (here->task->plan.point_count == 0)
        asked->count = 0;
    else
        add_points(here, asked, &asked->list[0], outer, outer_sets(here, asked, &limits, outer));
}

/* Whether the curve stays on its last plateau: over an octave, or up to twice the last capacity. */
static bool is_flat(const struct gpu_task *here, const struct series *series)
{
    struct levels levels;
    levels_of_series(here->task->pool, LEVEL_PAGES_KNOWN, series, NULL, 0, &levels);
    const struct level *last = levels.list + levels.count - 1;
    const double half = levels.count ? series->points[series->point_count - 1].x / 2 : 0;
    return levels.count && !levels.rising &&
           (last->from <= half || (levels.count > 1 && last[-1].capacity.value <= half));
}

/* Extends the first curve by an octave, unless it ends flat, memory is too small, or an option
 * gives the end. */
static void extend(struct gpu_task *here, struct latency_state *state)
{
    const struct gpu_options *options = here->task->options;
    const struct curves *asked = &state->asked;
    const struct series *series = &here->task->plan.series[asked->list[0].series];
    const uint64_t most = limits_dense(here, asked).most;
    uint64_t sizes[PER_OCTAVE_MORE];
    double end = 0;
    if (asked->sweep || state->more == OCTAVES_MORE || options->sets.to.has ||
        here->task->common.quick.has || series->point_count == 0)
        return;
    for (size_t i = 0; i < series->point_count; i++)
        end = fmax(end, series->points[i].x);
    for (size_t i = 0; i < PER_OCTAVE_MORE; i++)
        sizes[i] = (uint64_t)(end * exp2((double)(i + 1) / (double)PER_OCTAVE_MORE)) /
                   asked->stride * asked->stride;
    if (sizes[PER_OCTAVE_MORE - 1] > most || is_flat(here, series))
        return;
    state->more++;
    add_points(here, asked, &asked->list[0], sizes, PER_OCTAVE_MORE);
}

static void plan_latency(struct gpu_task *here)
{
    const struct gpu_options *options = here->task->options;
    struct latency_state *state = here->state;
    struct plan *plan = &here->task->plan;
    if (here->stage == 0) {
        plan_first(here);
        return;
    }
    struct curves *asked = &state->asked;
    if (!asked->count || state->beside)
        return;
    plan->share = share_knees;
    if (!options->sets.sizes.has) {
        extend(here, state);
        if (!plan->point_count && here->stage <= KNEES_STAGES + state->more) {
            /* More sizes around the dense curves' knees that are not precise yet. */
            struct probe_task *task = here->task;
            for (size_t i = 0; i < asked->dense; i++) {
                const struct series *series = &task->plan.series[asked->list[i].series];
                uint64_t sizes[KNEES_SIZES_MOST];
                add_points(here, asked, &asked->list[i], sizes,
                           knees_choose(task->pool, LEVEL_PAGES_KNOWN, series, NULL, 0,
                                        asked->stride, sizes));
            }
        }
    }
    if (!plan->point_count && asked->count > asked->dense) { /* the coarse curves, once */
        /* For the other curves. */
        const struct setting *from = &((const struct gpu_options *)here->task->options)->sets.from;
        struct working_set_limits limits = limits_dense(here, asked);
        limits.per_octave = PER_OCTAVE_BESIDE;
        /* Twice L2 is enough to show its end; larger sets would take the most time. */
        const uint64_t l2 = here->facts->l2_bytes;
        const uint64_t twice = l2 && 2 * l2 < limits.largest ? 2 * l2
                               : l2                          ? limits.largest
                                                             : 2 * limits.largest / L2_TIMES;
        if (!(from->has && from->bytes > twice))
            limits.largest = twice;
        state->beside = true;
        plan->share = 1;
        plan_curves(here, asked, asked->dense, asked->count, &limits);
    }
}

/* --- concluding --- */

/* The index of the series' path; PATHS: unknown. */
static size_t path_of(const struct series *series)
{
    const struct factor *path = series_factor(series, "path");
    size_t i = 0;
    while (i < PATHS && !(path && path->text && strcmp(gpu_path_names[i], path->text) == 0))
        i++;
    return i;
}

/* Levels are found in the dense curves, which are also the headlines. */
static void conclude_latency(struct gpu_task *here)
{
    const struct plan *plan = &here->task->plan;
    const struct factor *l1_asked = probe_parameter(here->task->result, "l1");
    const bool sweep = l1_asked && l1_asked->text && strcmp(l1_asked->text, "sweep") == 0;
    const struct series *first = NULL;
    const char *rest;
    size_t count = 0;
    for (size_t i = 0; i < plan->series_count && count < CURVES_MOST; i++) {
        const struct series *series = &plan->series[i];
        if (device_of_name(series->name, &rest) != here->facts->id || !series->headline ||
            strcmp(rest, "latency") != 0 || path_of(series) == PATHS)
            continue;
        struct probe_task *task = here->task;
        const struct factor *l1 = series_factor(series, "l1");
        const struct gpu_declared declared = {.l1_bytes =
                                                  l1 && l1->number > 0 && l1->number < 0x1p62
                                                      ? (uint64_t)l1->number
                                                      : gpu_split_default(here->facts).l1_bytes,
                                              .l2_bytes = here->facts->l2_bytes,
                                              .past_l1 = paths[path_of(series)] == GPU_L2};
        const char *split = sweep ? pool_printf(task->pool, "split.%lluK.",
                                                (unsigned long long)declared.l1_bytes / 1024)
                                  : "";
        findings_gpu_levels(task->result, task->pool, gpu_name(here, split), series, &declared);
        first = first ? first : series;
        count++;
    }
    if (first) {
        /* The clock rate during the points. */
        double *clocks = pool_alloc(here->task->pool, first->point_count + 1, sizeof *clocks);
        struct summary summary;
        unsigned flags = 0;
        size_t n = 0;
        for (size_t i = 0; i < first->point_count; i++) {
            const struct point *point = &first->points[i];
            const double hz = (double)point->cycles.median / (double)point->y.median * 1e9;
            if (hz > 0 && isfinite(hz)) {
                clocks[n++] = hz;
                flags |= point->flags & (FLAG_BIT(FLAG_THROTTLED) | FLAG_BIT(FLAG_MODELLED));
            }
        }
        if (n == 0)
            return;
        summarize(clocks, n, clocks, &summary);
        finding_add_summary(here->task->result, here->task->pool, gpu_name(here, "clock"), "Hz",
                            &summary, flags);
    }
}

const struct gpu_experiment gpu_latency = {
    .name = "latency",
    .summary = "latency by working-set size, and the levels that it shows",
    .weight = 20,
    .by_default = true,
    .stages = 2 + KNEES_STAGES + OCTAVES_MORE,
    .check = check_latency,
    .plan = plan_latency,
    .conclude = conclude_latency,
};
