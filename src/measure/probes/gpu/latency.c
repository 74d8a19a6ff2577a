/*
 * Load latency of a GPU by working-set size: one thread, one chain of dependent loads, one pointer
 * a line, in an order that nothing foresees. The first curve, through every cache, is dense and
 * gets more sizes around its knees; the others (strided order, past L1, read-only) lie beside it.
 *
 * The whole has to fit into 20 s of a device's time. On paper, at 1.7 GHz, with L1 33, L2 280 and
 * DRAM 660 cycles, L1 256 KiB and L2 50 MB: the first curve has 16 octaves of 4 sizes below 64 MiB
 * and 3 of 2 above, 70 points, and at most 3 stages of 3 sizes around 2 knees, 18. The three others
 * end at twice L2 and have 34 each. That makes 190 points of 6 trials or more:
 * - batches: 3 of 1 ms, and before each L1 is warmed again (a launch may come to another
 *   multiprocessor), up to 0.7 ms: 1128 * 4.2 ms = 4.7 s; that one point in five goes on to 25
 *   trials adds 38 * 19 * 4.2 ms = 3.0 s
 * - a fresh ring is gone round first, at most 65536 loads: 20 points beyond L2 take 25 ms each
 *   time, 40 more from 4 MiB on 11 ms, those below together 150 ms: 6.5 s
 * - rings are built by the host at some 25 ns a line: the sizes of the dense curve add up to 6.3
 *   times the largest, of the others to 1.7 times each: 18 million lines, 6 times: 2.7 s
 *
 * Together 17 s.
 */
#include "base/units.h"
#include "conclude/levels/gpu_levels.h"
#include "conclude/levels/levels.h"
#include "conclude/registry/device.h"
#include "document/flag.h"
#include "measure/probes/chase/knees.h"
#include "measure/probes/gpu/latency_curves.h"
#include "measure/probes/gpu/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where the curve is not flat at its end, it goes on by this many octaves. */
enum { OCTAVES_MORE = 2, PER_OCTAVE_MORE = 2 };

struct latency_state {
    struct gpu_latency_curves asked;
    bool beside;   /* the others were planned */
    unsigned more; /* octaves that were added */
};

static int check_latency(const struct gpu_task *here, struct error *error)
{
    struct gpu_latency_curves asked;
    struct working_sets sets;
    int code = gpu_latency_curves_read(here, &asked, error);
    if (code < 0)
        return code;
    const struct working_set_limits limits = gpu_latency_limits(here, &asked);
    return gpu_latency_sets(&sets, here->task, &asked, &limits, error);
}

/* --- planning --- */

/* Leaves out what the device can't do. */
static void sift(struct gpu_task *here, struct gpu_latency_curves *asked)
{
    size_t kept = 0, dense = 0;
    for (size_t i = 0; i < asked->count; i++) {
        const struct gpu_latency_curve *curve = &asked->list[i];
        const struct gpu_work work = gpu_latency_curve_work(asked, curve, 2 * asked->stride);
        char what[32];
        snprintf(what, sizeof what, "latency, path %s", gpu_path_names[curve->path]);
        if (!gpu_can(here, what, &work))
            continue;
        dense += i < asked->dense;
        asked->list[kept++] = *curve;
    }
    asked->count = kept;
    asked->dense = dense || !kept ? dense : 1;
}

static int add_series(struct gpu_task *here, const struct gpu_latency_curves *asked,
                      struct gpu_latency_curve *curve, bool headline, struct error *error)
{
    struct series *series = gpu_add_series(here, "latency", (struct axis){"working set", "B"},
                                           (struct axis){"latency", "ns"});
    curve->series = here->task->plan.series_count - 1;
    series->headline = headline;
    int code = gpu_add_factor(here, series, "path", gpu_path_names[curve->path], NAN, error);
    if (code == 0)
        code = gpu_add_factor(here, series, "order", gpu_latency_order_names[curve->order], NAN,
                              error);
    if (code == 0)
        code = gpu_add_factor(here, series, "stride", NULL, (double)asked->stride, error);
    if (code == 0 && asked->split)
        code = gpu_add_factor(here, series, "l1", NULL, (double)curve->split.l1_bytes, error);
    return code;
}

static int add_curve_points(struct gpu_task *here, const struct gpu_latency_curves *asked,
                            const struct gpu_latency_curve *curve, const uint64_t *bytes,
                            size_t count, struct error *error)
{
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++) {
        const struct gpu_work work = gpu_latency_curve_work(asked, curve, bytes[i]);
        code = gpu_add_point(here, curve->series, (double)bytes[i], &work, error);
    }
    return code;
}

/* Curves [first, end) with their series, over the sizes asked for. Returns 1. */
static int plan_curves(struct gpu_task *here, struct gpu_latency_curves *asked, size_t first,
                       size_t end, const struct working_set_limits *limits, struct error *error)
{
    struct working_sets sets;
    int code = gpu_latency_sets(&sets, here->task, asked, limits, error);
    for (size_t i = first; i < end && code == 0; i++) {
        code = add_series(here, asked, &asked->list[i], first == 0, error);
        if (code == 0)
            code = add_curve_points(here, asked, &asked->list[i], sets.bytes, sets.count, error);
    }
    return code == 0 ? 1 : code;
}

/* More sizes around the knees of the dense curves: 1, or 0 where they are known. */
static int refine(struct gpu_task *here, const struct gpu_latency_curves *asked,
                  struct error *error)
{
    const struct plan *plan = &here->task->plan;
    int code = 0;
    for (size_t i = 0; i < asked->dense && code >= 0; i++) {
        const struct gpu_latency_curve *curve = &asked->list[i];
        uint64_t sizes[KNEES_SIZES_MOST];
        code = knees_choose(here->task, &plan->series[curve->series], NULL, 0, asked->stride, sizes,
                            error);
        if (code > 0)
            code = add_curve_points(here, asked, curve, sizes, (size_t)code, error);
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
    const struct gpu_latency_curves *asked = &state->asked;
    const struct gpu_latency_curve *curve = &asked->list[0];
    const struct series *series = &here->task->plan.series[curve->series];
    const uint64_t most = gpu_latency_limits(here, asked).most;
    uint64_t sizes[PER_OCTAVE_MORE];
    bool flat = false;
    if (asked->sweep || state->more == OCTAVES_MORE || settings_has(settings, "to") ||
        settings_has(settings, "quick") || series->point_count == 0)
        return 0;
    if (!is_flat(here, series, &flat))
        return error_out_of_memory(error);
    for (size_t i = 0; i < PER_OCTAVE_MORE; i++)
        sizes[i] = (uint64_t)(end_of(series) * exp2((double)(i + 1) / (double)PER_OCTAVE_MORE)) /
                   asked->stride * asked->stride;
    if (flat || sizes[PER_OCTAVE_MORE - 1] > most)
        return 0;
    state->more++;
    int code = add_curve_points(here, asked, curve, sizes, PER_OCTAVE_MORE, error);
    return code == 0 ? 1 : code;
}

/* What a stage takes of the experiment's time, at most. */
static const double share_dense = 0.5, share_knees = 0.4;

static int plan_first(struct gpu_task *here, struct error *error)
{
    struct latency_state *state = pool_alloc(here->task->pool, 1, sizeof *state);
    uint64_t outer[GPU_LATENCY_OUTER_MOST];
    here->state = state;
    struct gpu_latency_curves *asked = &state->asked;
    int code = gpu_latency_curves_read(here, asked, error);
    if (code < 0)
        return code;
    sift(here, asked);
    if (asked->count == 0)
        return 0;
    const struct working_set_limits limits = gpu_latency_limits(here, asked);
    here->task->plan.share = asked->count > asked->dense ? share_dense : 1 - share_knees;
    code = plan_curves(here, asked, 0, asked->dense, &limits, error);
    if (code < 0)
        return code;
    const size_t count = gpu_latency_outer_sets(here, asked, &limits, outer);
    const int more = add_curve_points(here, asked, &asked->list[0], outer, count, error);
    return more < 0 ? more : code;
}

/* The coarse curves beside the dense ones: once. */
static int plan_beside(struct gpu_task *here, struct error *error)
{
    struct latency_state *state = here->state;
    struct gpu_latency_curves *asked = &state->asked;
    if (state->beside || asked->count == asked->dense)
        return 0;
    state->beside = true;
    const struct working_set_limits limits = gpu_latency_limits_beside(here, asked);
    here->task->plan.share = 1;
    return plan_curves(here, asked, asked->dense, asked->count, &limits, error);
}

static int plan_latency(struct gpu_task *here, unsigned stage, struct error *error)
{
    if (stage == 0)
        return plan_first(here, error);
    struct latency_state *state = here->state;
    const bool named = settings_has(here->task->settings, "sizes");
    int more = 0;
    if (!state || !state->asked.count)
        return 0;
    if (!named && !state->beside) {
        here->task->plan.share = share_knees;
        more = extend(here, state, error);
        if (more == 0 && stage <= KNEES_STAGES + state->more)
            more = refine(here, &state->asked, error);
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

static int conclude_curve(struct gpu_task *here, const struct gpu_latency_curves *asked,
                          const struct gpu_latency_curve *curve, struct error *error)
{
    struct probe_task *task = here->task;
    const struct gpu_declared declared = {.l1_bytes = curve->split.l1_bytes,
                                          .l2_bytes = here->facts->l2_bytes,
                                          .past_l1 = gpu_latency_paths[curve->path] == GPU_L2};
    char split[UNIT_TEXT + 8] = "";
    if (asked->sweep)
        snprintf(split, sizeof split, "split.%lluK.",
                 (unsigned long long)curve->split.l1_bytes / 1024);
    const char *prefix = gpu_name(here, split);
    return findings_gpu_levels(task->result, task->pool, prefix, &task->plan.series[curve->series],
                               &declared, NULL, 0, error);
}

static int conclude_latency(struct gpu_task *here, struct error *error)
{
    const struct latency_state *state = here->state;
    int code = 0;
    for (size_t i = 0; state && i < state->asked.dense && code == 0; i++)
        code = conclude_curve(here, &state->asked, &state->asked.list[i], error);
    if (state && state->asked.dense && code == 0)
        code = conclude_clock(here, &here->task->plan.series[state->asked.list[0].series], error);
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
    while (path < GPU_LATENCY_PATHS && strcmp(gpu_path_names[path], text) != 0)
        path++;
    return path;
}

/* The dense curves are those that have a place on the first screen. */
static int recall_latency(struct gpu_task *here, struct error *error)
{
    const struct plan *plan = &here->task->plan;
    struct latency_state *state = pool_alloc(here->task->pool, 1, sizeof *state);
    const char *rest;
    here->state = state;
    struct gpu_latency_curves *asked = &state->asked;
    asked->sweep = swept_splits(here->task->result);
    for (size_t i = 0; i < plan->series_count && asked->dense < GPU_LATENCY_CURVES_MOST; i++) {
        const struct series *series = &plan->series[i];
        const struct factor *path = series_factor(series, "path"),
                            *l1 = series_factor(series, "l1");
        if (device_of_name(series->name, &rest) != here->facts->id || !series->headline ||
            strcmp(rest, "latency") != 0 || !path || !path->text)
            continue;
        struct gpu_latency_curve *curve = &asked->list[asked->dense];
        *curve = (struct gpu_latency_curve){.path = path_named(path->text), .series = i};
        curve->split.l1_bytes = l1 && l1->number > 0 && l1->number < 0x1p62
                                    ? (uint64_t)l1->number
                                    : gpu_split_default(here->facts).l1_bytes;
        asked->dense += curve->path < GPU_LATENCY_PATHS;
    }
    return asked->dense > 0;
}

const struct gpu_experiment gpu_latency = {
    .name = "latency",
    .summary = "latency by working-set size, and the levels that it shows",
    .weight = 20,
    .by_default = true,
    .check = check_latency,
    .plan = plan_latency,
    .conclude = conclude_latency,
    .recall = recall_latency,
};
