/*
 * Load latency of a GPU by working-set size: one thread, one chain of dependent loads, one pointer
 * a line, in an order that nothing foresees. The first curve, through every cache, is dense and
 * gets more sizes around its knees; the others (strided order, past L1, read-only) lie beside it.
 *
 * The whole has to fit into 20 s of a device's time. On paper, at 1.7 GHz, with L1 33, L2 280 and
 * DRAM 660 cycles, L1 256 KiB and L2 50 MB: the first curve has 16 octaves of 4 sizes below 64 MiB
 * and 3 of 2 above, 70 points, and at most 3 stages of 3 sizes around 2 knees, 18. The three others
 * end at twice L2 and have 34 each. That makes 190 points of 6 trials or more:
 *   batches: 3 of 1 ms, and before each L1 is warmed again (a launch may come to another
 *     multiprocessor), up to 0.7 ms: 1128 * 4.2 ms = 4.7 s; that one point in five goes on to 25
 *     trials adds 38 * 19 * 4.2 ms = 3.0 s
 *   a fresh ring is gone round first, at most 65536 loads: 20 points beyond L2 take 25 ms each
 * time, 40 more from 4 MiB on 11 ms, those below together 150 ms: 6.5 s rings are built by the host
 * at some 25 ns a line: the sizes of the dense curve add up to 6.3 times the largest, of the others
 * to 1.7 times each: 18 million lines, 6 times: 2.7 s Together 17 s.
 */
#include "base/units.h"
#include "findings/device.h"
#include "findings/gpu_levels.h"
#include "findings/levels.h"
#include "probes/chase/knees.h"
#include "probes/chase/working_sets.h"
#include "probes/gpu/gpu.h"
#include "probes/gpu/options.h"
#include "probes/gpu/split.h"
#include "result/flag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const enum gpu_path paths[] = {GPU_L1, GPU_L2, GPU_READ_ONLY};
static const char *const order_names[] = {[GPU_RANDOM] = "random", [GPU_STRIDED] = "strided"};

enum { WORD = 8, PATHS = 3, ORDERS = 2, CURVES_MOST = GPU_SPLITS_MOST + PATHS + ORDERS };
enum { PER_OCTAVE = 4, PER_OCTAVE_BESIDE = 2, PER_OCTAVE_QUICK = 2 };
/* Device memory is read off sizes well beyond L2: from twice L2 on some loads still hit, and of a
 * second level in two halves the farther one serves sets up to L2 and somewhat beyond. AMD's
 * largest last level has 256 MiB (MI300X), and what OpenCL reaches says nothing of its size; but a
 * CPU is no unknown device, and `fathom latency` measures its caches. */
enum { L2_TIMES = 8, L2_UNKNOWN_TO = 1 << 30, CPU_TO = 256 << 20, MEMORY_UNKNOWN = 1 << 30 };
/* Where the curve is not flat at its end, it goes on by octaves, so many. */
enum { OCTAVES_MORE = 2 };

struct latency_curve {
    size_t path; /* index of `paths` */
    enum gpu_order order;
    struct gpu_split split;
    size_t series;
};

struct latency_state {
    struct latency_curve curves[CURVES_MOST];
    size_t count, dense; /* the first so many are dense and tell levels */
    size_t stride;
    bool split, sweep; /* --l1 was given; and it is a sweep */
    bool beside;       /* the others were planned */
    unsigned more;     /* octaves that were added */
};

/* --- what is asked for --- */

static void add_curve(struct latency_state *state, size_t path, enum gpu_order order,
                      struct gpu_split split)
{
    state->curves[state->count++] = (struct latency_curve){path, order, split, 0};
}

/* The first path and order for every split; then the other orders of that path, and the other paths
 * in that order. */
static void choose_curves(struct latency_state *state, uint32_t listed,
                          const struct gpu_split *splits, size_t split_count, const char *order)
{
    const bool both = strcmp(order, "both") == 0;
    const enum gpu_order first =
        strcmp(order, order_names[GPU_STRIDED]) == 0 ? GPU_STRIDED : GPU_RANDOM;
    size_t path = 0;
    while (!(listed >> path & 1))
        path++;
    for (size_t i = 0; i < split_count; i++)
        add_curve(state, path, first, splits[i]);
    state->dense = split_count;
    if (state->sweep)
        return;
    if (both)
        add_curve(state, path, GPU_STRIDED, splits[0]);
    while (++path < PATHS)
        if (listed >> path & 1)
            add_curve(state, path, first, splits[0]);
}

static int read_options(const struct gpu_task *here, struct latency_state *state,
                        struct error *error)
{
    const struct settings *settings = here->task->settings;
    struct gpu_split splits[GPU_SPLITS_MOST] = {gpu_split_default(here->facts)};
    uint32_t listed;
    int count = 1;
    *state = (struct latency_state){.stride = (size_t)settings_size(settings, "stride")};
    int code = gpu_options_names(settings, "path", gpu_path_names, &listed, error);
    if (code == 0 && settings_has(settings, "l1")) {
        const char *text = settings_text(settings, "l1");
        state->split = true;
        state->sweep = strcmp(text, "sweep") == 0;
        count = gpu_splits_parse(text, here->facts, splits, error);
        code = count < 0 ? count : 0;
    }
    if (code == 0)
        choose_curves(state, listed, splits, (size_t)count, settings_text(settings, "order"));
    return code;
}

static struct working_set_limits limits_of(const struct gpu_task *here,
                                           const struct latency_state *state)
{
    const struct gpu_facts *facts = here->facts;
    const bool is_cpu = gpu_is_cpu(facts);
    const bool quick = settings_has(here->task->settings, "quick") || is_cpu;
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
    if (state->sweep) /* beyond L1 all splits are alike */
        limits.largest = 4 * facts->first_level_bytes;
    if (limits.largest > limits.most)
        limits.largest = limits.most;
    return limits;
}

/* Sets smaller than a stride lie within a line, and their elements side by side; the others are
 * whole strides. */
static int choose_sets(struct working_sets *sets, struct probe_task *task,
                       const struct latency_state *state, const struct working_set_limits *limits,
                       struct error *error)
{
    const bool small = gpu_options_below_stride(task->settings, state->stride);
    int code = working_sets_within(sets, task, small ? WORD : state->stride, limits, error);
    size_t kept = 0;
    for (size_t i = 0; code == 0 && i < sets->count; i++) {
        const uint64_t bytes = sets->bytes[i] < state->stride
                                   ? sets->bytes[i]
                                   : sets->bytes[i] / state->stride * state->stride;
        if (!kept || sets->bytes[kept - 1] != bytes)
            sets->bytes[kept++] = bytes;
    }
    sets->count = code == 0 ? kept : 0;
    return code;
}

static int check_latency(const struct gpu_task *here, struct error *error)
{
    struct latency_state state;
    struct working_sets sets;
    int code = read_options(here, &state, error);
    if (code < 0)
        return code;
    const struct working_set_limits limits = limits_of(here, &state);
    return choose_sets(&sets, here->task, &state, &limits, error);
}

/* --- planning --- */

static struct gpu_work work_of(const struct latency_state *state, const struct latency_curve *curve,
                               uint64_t bytes)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = paths[curve->path];
    work.order = curve->order;
    work.bytes = (size_t)bytes;
    work.stride = bytes < state->stride ? (size_t)WORD : state->stride;
    work.carve_out = state->split ? curve->split.carve_out : -1;
    return work;
}

/* Leaves out what the device can't do. */
static void sift(struct gpu_task *here, struct latency_state *state)
{
    size_t kept = 0, dense = 0;
    for (size_t i = 0; i < state->count; i++) {
        const struct latency_curve *curve = &state->curves[i];
        const struct gpu_work work = work_of(state, curve, 2 * state->stride);
        char what[32];
        snprintf(what, sizeof what, "latency, path %s", gpu_path_names[curve->path]);
        if (!gpu_can(here, what, &work))
            continue;
        dense += i < state->dense;
        state->curves[kept++] = *curve;
    }
    state->count = kept;
    state->dense = dense || !kept ? dense : 1;
}

static int add_series(struct gpu_task *here, const struct latency_state *state,
                      struct latency_curve *curve, bool headline, struct error *error)
{
    struct series *series = gpu_add_series(here, "latency", (struct axis){"working set", "B"},
                                           (struct axis){"latency", "ns"});
    if (!series)
        return error_out_of_memory(error);
    curve->series = here->task->plan.series_count - 1;
    series->headline = headline;
    int code = gpu_add_factor(here, series, "path", gpu_path_names[curve->path], NAN, error);
    if (code == 0)
        code = gpu_add_factor(here, series, "order", order_names[curve->order], NAN, error);
    if (code == 0)
        code = gpu_add_factor(here, series, "stride", NULL, (double)state->stride, error);
    if (code == 0 && state->split)
        code = gpu_add_factor(here, series, "l1", NULL, (double)curve->split.l1_bytes, error);
    return code;
}

static int add_curve_points(struct gpu_task *here, const struct latency_state *state,
                            const struct latency_curve *curve, const uint64_t *bytes, size_t count,
                            struct error *error)
{
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++) {
        const struct gpu_work work = work_of(state, curve, bytes[i]);
        code = gpu_add_point(here, curve->series, (double)bytes[i], &work, error);
    }
    return code;
}

/* Curves [first, end) with their series, over the sizes asked for. Returns 1. */
static int plan_curves(struct gpu_task *here, struct latency_state *state, size_t first, size_t end,
                       const struct working_set_limits *limits, struct error *error)
{
    struct working_sets sets;
    int code = choose_sets(&sets, here->task, state, limits, error);
    for (size_t i = first; i < end && code == 0; i++) {
        code = add_series(here, state, &state->curves[i], first == 0, error);
        if (code == 0)
            code = add_curve_points(here, state, &state->curves[i], sets.bytes, sets.count, error);
    }
    return code == 0 ? 1 : code;
}

/* Between half of L2 and somewhat more than all of it, where an A100 has a plateau of its own of
 * hardly an octave, the first curve gets eight sizes an octave and not four. */
enum { OUTER_SIZES = 6 };

static int add_outer(struct gpu_task *here, const struct latency_state *state,
                     const struct working_set_limits *limits, struct error *error)
{
    const struct settings *settings = here->task->settings;
    const double half = (double)here->facts->l2_bytes / 2;
    uint64_t sizes[OUTER_SIZES];
    size_t count = 0;
    if (!(half > 0) || state->sweep || settings_has(settings, "sizes") ||
        settings_has(settings, "quick") || settings_has(settings, "per-octave"))
        return 0;
    const double from =
        settings_has(settings, "from") ? (double)settings_size(settings, "from") : 0;
    const double to = settings_has(settings, "to") ? (double)settings_size(settings, "to")
                                                   : (double)limits->largest;
    for (int i = 0; i < OUTER_SIZES; i++) {
        const double bytes = half * exp2((2 * i + 1) / (2.0 * PER_OCTAVE));
        if (bytes >= from && bytes <= to)
            sizes[count++] = (uint64_t)bytes / state->stride * state->stride;
    }
    return add_curve_points(here, state, &state->curves[0], sizes, count, error);
}

/* More sizes around the knees of the dense curves: 1, or 0 where they are known. */
static int refine(struct gpu_task *here, const struct latency_state *state, struct error *error)
{
    const struct plan *plan = &here->task->plan;
    int code = 0;
    for (size_t i = 0; i < state->dense && code >= 0; i++) {
        const struct latency_curve *curve = &state->curves[i];
        uint64_t sizes[KNEES_SIZES_MOST];
        code = knees_choose(here->task, &plan->series[curve->series], NULL, 0, state->stride, sizes,
                            error);
        if (code > 0)
            code = add_curve_points(here, state, curve, sizes, (size_t)code, error);
    }
    return code < 0 ? code : plan->point_count > 0;
}

/* The largest size of a curve that was planned. */
static double end_of(const struct series *series)
{
    double end = 0;
    for (size_t i = 0; i < series->point_count; i++)
        end = fmax(end, series->points[i].x);
    return end;
}

static bool is_flat(const struct gpu_task *here, const struct series *series, bool *flat)
{
    double clock;
    struct found_levels levels;
    struct level_sample *samples =
        findings_level_samples(series, LEVEL_VALUES_QUIET, here->task->pool, &clock);
    if (!samples || levels_find(samples, series->point_count, NULL, 0, &levels) < 0)
        return false;
    *flat = levels.stays && !levels.rising;
    return true;
}

/* One octave more of the first curve, where that does not end flat: 1, or 0 where it does, or
 * where the memory ends, or a person chose the end. */
static int extend(struct gpu_task *here, struct latency_state *state, struct error *error)
{
    const struct settings *settings = here->task->settings;
    const struct latency_curve *curve = &state->curves[0];
    const struct series *series = &here->task->plan.series[curve->series];
    const uint64_t most = limits_of(here, state).most;
    uint64_t sizes[PER_OCTAVE_BESIDE];
    bool flat = false;
    if (state->sweep || state->more == OCTAVES_MORE || settings_has(settings, "to") ||
        settings_has(settings, "quick") || series->point_count == 0)
        return 0;
    if (!is_flat(here, series, &flat))
        return error_out_of_memory(error);
    for (size_t i = 0; i < PER_OCTAVE_BESIDE; i++)
        sizes[i] = (uint64_t)(end_of(series) * exp2((double)(i + 1) / PER_OCTAVE_BESIDE)) /
                   state->stride * state->stride;
    if (flat || sizes[PER_OCTAVE_BESIDE - 1] > most)
        return 0;
    state->more++;
    int code = add_curve_points(here, state, curve, sizes, PER_OCTAVE_BESIDE, error);
    return code == 0 ? 1 : code;
}

/* What a stage takes of the experiment's time, at most. */
static const double share_dense = 0.5, share_knees = 0.4;

static int plan_first(struct gpu_task *here, struct error *error)
{
    struct latency_state *state = pool_alloc(here->task->pool, 1, sizeof *state);
    if (!state)
        return error_out_of_memory(error);
    here->state = state;
    int code = read_options(here, state, error);
    if (code < 0)
        return code;
    sift(here, state);
    if (state->count == 0)
        return 0;
    const struct working_set_limits limits = limits_of(here, state);
    here->task->plan.share = state->count > state->dense ? share_dense : 1 - share_knees;
    code = plan_curves(here, state, 0, state->dense, &limits, error);
    const int more = code < 0 ? code : add_outer(here, state, &limits, error);
    return more < 0 ? more : code;
}

/* The coarse curves beside the dense ones: once. */
static int plan_beside(struct gpu_task *here, struct error *error)
{
    const struct settings *settings = here->task->settings;
    struct latency_state *state = here->state;
    struct working_set_limits limits = limits_of(here, state);
    if (state->beside || state->count == state->dense)
        return 0;
    state->beside = true;
    limits.per_octave = PER_OCTAVE_BESIDE;
    /* Twice L2 shows its end; larger sets take longest. */
    const uint64_t l2 = here->facts->l2_bytes;
    const uint64_t twice = l2 && 2 * l2 < limits.largest ? 2 * l2
                           : l2                          ? limits.largest
                                                         : 2 * limits.largest / L2_TIMES;
    if (!(settings_has(settings, "from") && settings_size(settings, "from") > twice))
        limits.largest = twice;
    here->task->plan.share = 1;
    return plan_curves(here, state, state->dense, state->count, &limits, error);
}

static int plan_latency(struct gpu_task *here, unsigned stage, struct error *error)
{
    if (stage == 0)
        return plan_first(here, error);
    struct latency_state *state = here->state;
    const bool named = settings_has(here->task->settings, "sizes");
    int more = 0;
    if (!state || !state->count)
        return 0;
    if (!named && !state->beside) {
        here->task->plan.share = share_knees;
        more = extend(here, state, error);
        if (more == 0 && stage <= KNEES_STAGES + state->more)
            more = refine(here, state, error);
    }
    return more == 0 ? plan_beside(here, error) : more;
}

/* --- concluding --- */

/* The clock that the points saw. */
static int conclude_clock(struct gpu_task *here, const struct series *series, struct error *error)
{
    struct probe_task *task = here->task;
    double *clocks = pool_alloc(task->pool, series->point_count + 1, sizeof *clocks);
    const char *name = gpu_name(here, "clock");
    struct summary summary;
    unsigned flags = 0;
    size_t n = 0;
    if (!clocks || !name)
        return error_out_of_memory(error);
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const double hz = (double)point->cycles.median / (double)point->y.median * 1e9;
        if (hz > 0 && isfinite(hz)) {
            clocks[n++] = hz;
            flags |= point->flags & (FLAG_BIT(FLAG_THROTTLED) | FLAG_BIT(FLAG_MODELLED));
        }
    }
    if (n == 0)
        return 0;
    summarize(clocks, n, clocks, &summary);
    return probe_add_summary(task, name, "Hz", &summary, flags) ? 0 : error_out_of_memory(error);
}

static int conclude_curve(struct gpu_task *here, const struct latency_state *state,
                          const struct latency_curve *curve, struct error *error)
{
    struct probe_task *task = here->task;
    const struct gpu_declared declared = {.l1_bytes = curve->split.l1_bytes,
                                          .l2_bytes = here->facts->l2_bytes,
                                          .past_l1 = paths[curve->path] == GPU_L2};
    char split[UNIT_TEXT + 8] = "";
    if (state->sweep)
        snprintf(split, sizeof split, "split.%lluK.",
                 (unsigned long long)curve->split.l1_bytes / 1024);
    const char *prefix = gpu_name(here, split);
    if (!prefix)
        return error_out_of_memory(error);
    return findings_gpu_levels(task->result, task->pool, prefix, &task->plan.series[curve->series],
                               &declared, NULL, 0, error);
}

static int conclude_latency(struct gpu_task *here, struct error *error)
{
    const struct latency_state *state = here->state;
    int code = 0;
    for (size_t i = 0; state && i < state->dense && code == 0; i++)
        code = conclude_curve(here, state, &state->curves[i], error);
    if (state && state->dense && code == 0)
        code = conclude_clock(here, &here->task->plan.series[state->curves[0].series], error);
    return code;
}

static bool swept_splits(const struct probe_result *result)
{
    for (size_t i = 0; i < result->parameter_count; i++)
        if (strcmp(result->parameters[i].name, "l1") == 0)
            return result->parameters[i].text && strcmp(result->parameters[i].text, "sweep") == 0;
    return false;
}

static size_t path_named(const char *text)
{
    size_t path = 0;
    while (path < PATHS && strcmp(gpu_path_names[path], text) != 0)
        path++;
    return path;
}

/* The dense curves are those that have a place on the first screen. */
static int recall_latency(struct gpu_task *here, struct error *error)
{
    const struct plan *plan = &here->task->plan;
    struct latency_state *state = pool_alloc(here->task->pool, 1, sizeof *state);
    const char *rest;
    if (!state)
        return error_out_of_memory(error);
    here->state = state;
    state->sweep = swept_splits(here->task->result);
    for (size_t i = 0; i < plan->series_count && state->dense < CURVES_MOST; i++) {
        const struct series *series = &plan->series[i];
        const struct factor *path = series_factor(series, "path"),
                            *l1 = series_factor(series, "l1");
        if (device_of_name(series->name, &rest) != here->facts->id || !series->headline ||
            strcmp(rest, "latency") != 0 || !path || !path->text)
            continue;
        struct latency_curve *curve = &state->curves[state->dense];
        *curve = (struct latency_curve){.path = path_named(path->text), .series = i};
        curve->split.l1_bytes = l1 && l1->number > 0 && l1->number < 0x1p62
                                    ? (uint64_t)l1->number
                                    : gpu_split_default(here->facts).l1_bytes;
        state->dense += curve->path < PATHS;
    }
    return state->dense > 0;
}

const struct gpu_experiment gpu_latency = {
    .name = "latency",
    .summary = "latency by working-set size, and the levels that it tells",
    .weight = 20,
    .by_default = true,
    .check = check_latency,
    .plan = plan_latency,
    .conclude = conclude_latency,
    .recall = recall_latency,
};
