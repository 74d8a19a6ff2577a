/*
 * How many first-level caches a multiprocessor has. A warp brings a ring of three quarters of what
 * such a cache holds; then another warp of the same block brings one as long; then the first warp's
 * loads are timed. Where both warps' loads lead into one cache, the second ring has driven the
 * first one out; otherwise it is still there. A multiprocessor's partitions get the warps of a
 * block by turns, so of eight warps as many share the first one's cache as it has warps, on every
 * device whose caches serve 1, 2, 4 or 8 of them alike.
 *
 * The same warp with both rings shows how long a ring takes that was driven out, and a ring that
 * nobody disturbs how long one that is there. Maxwell and Pascal (5.x, 6.1) have two such caches
 * for four partitions; from Volta on there is one (NVIDIA, "Pascal Tuning Guide" and "Volta Tuning
 * Guide", 1.4.2).
 *
 * Reference: S. Grimm et al., mt4g (github.com/caps-tum/mt4g), "amount" of L1 of a multiprocessor.
 *
 * Time: nine points of six trials of three batches of 1 ms, of which passes that are not timed take
 * ten times as much: 1 s.
 */
#include "measure/probes/gpu/first_levels.h"

#include "conclude/registry/finding.h"
#include "measure/probes/gpu/findings.h"
#include "measure/probes/gpu/split.h"
#include "measure/probes/gpu/state.h"

#include <math.h>
#include <string.h>

enum { STRIDE = 128, GROUP = 16 /* loads */ };
/* Of one cache, for each ring. */
static const double part = 0.75;

static const char alone_name[] = "L1 undisturbed", beside_name[] = "L1 beside another warp";

/* --- planning --- */

/* What the first level holds: as `latency` found it, else as is declared. 0: unknown. */
static double capacity_of(const struct gpu_task *task)
{
    const struct probe_result *result = task->task->result;
    const char *name = gpu_name(task, "L1.capacity");
    for (size_t i = 0; name && i < result->finding_count; i++)
        if (strcmp(result->findings[i].name, name) == 0 && result->findings[i].value > 0)
            return result->findings[i].value;
    return (double)gpu_split_default(task->facts).l1_bytes;
}

static int add_curve(struct gpu_task *task, const char *what, struct axis x, int *index,
                     struct error *error)
{
    struct series *series = gpu_add_series(task, what, x, (struct axis){"latency", "ns"});
    *index = (int)(series - task->task->plan.series);
    return 0;
}

/* Warps count from 1, and 1 is the chase's own. */
static int add_points(struct gpu_task *task, const struct first_levels *levels, size_t ring,
                      struct error *error)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = GPU_L1;
    work.stride = STRIDE;
    work.bytes = ring;
    int code = gpu_add_point(task, (size_t)levels->alone, (double)ring, &work, error);
    work.before = GPU_RIVAL;
    work.bytes = 2 * ring;
    for (work.warp = 0; work.warp < GPU_RIVAL_WARPS && code == 0; work.warp++)
        code = gpu_add_point(task, (size_t)levels->beside, work.warp + 1, &work, error);
    return code;
}

int first_levels_plan(struct gpu_task *task, struct first_levels *levels, struct error *error)
{
    const size_t group = (size_t)STRIDE * GROUP;
    const size_t ring = (size_t)(part * capacity_of(task)) / group * group;
    struct gpu_work work = gpu_work_none;
    *levels = (struct first_levels){-1, -1};
    if (ring == 0)
        return gpu_not_measured(task, beside_name, "the size of its first level is not known",
                                error);
    work.action = GPU_CHASE;
    work.path = GPU_L1;
    work.stride = STRIDE;
    work.bytes = 2 * ring;
    work.before = GPU_RIVAL;
    if (!gpu_can(task, beside_name, &work))
        return 0;
    int code =
        add_curve(task, alone_name, (struct axis){"working set", "B"}, &levels->alone, error);
    if (code == 0)
        code = add_curve(task, beside_name, (struct axis){"warp of the block", ""}, &levels->beside,
                         error);
    return code < 0 ? code : add_points(task, levels, ring, error);
}

/* --- concluding --- */

/* Rings that are there and rings that are not: nearer than this, they show nothing. As in
 * sharing.c.
 */
static const double apart = 1.5;
/* Of the way from one that is there to one that is not: up to where it is there, and from where on
 * it is not. */
static const double is_there = 0.25, is_gone = 0.75;

/* The cycles of the point at that x: 1, or 0 where it has none. */
static int read_at(struct gpu_task *task, int series, double from, double to,
                   struct gpu_latency_read *read, struct error *error)
{
    struct gpu_points points = {0};
    int code = gpu_points_between(&points, task, &task->task->plan.series[series], from, to, error);
    if (code == 0)
        code = gpu_points_read(&points, task, read, error);
    return code < 0 ? code : isfinite(read->cycles.value);
}

/* Rings that stay nowhere: it holds less than was taken for its size. */
static int add_unknown(struct gpu_task *task, unsigned flags, struct error *error)
{
    struct probe_task *probe = task->task;
    const char *name = gpu_name(task, "L1.count");
    struct finding *finding = name ? finding_add(probe->result, probe->pool, name, "") : NULL;
    finding->flags = flags;
    finding->text =
        "a ring takes as long undisturbed as driven out: it is larger than the cache, or the "
        "device does not keep such loads there; measuring the cache's size before it tells "
        "(--what latency,sharing)";
    return 0;
}

static int add_count(struct gpu_task *task, int sharing, unsigned flags, struct error *error)
{
    struct probe_task *probe = task->task;
    const bool even = sharing > 0 && GPU_RIVAL_WARPS % sharing == 0;
    const double count = even ? (double)GPU_RIVAL_WARPS / sharing : NAN;
    const char *name = gpu_name(task, "L1.count");
    struct finding *finding =
        !name  ? NULL
        : even ? finding_add_value(probe->result, probe->pool, name, "", count, count, count, flags)
               : finding_add(probe->result, probe->pool, name, "");
    finding->flags = flags;
    finding->text =
        sharing == 0 ? "some warps drive out a part of what another one brought: how many there "
                       "are is not known"
        : !even      ? pool_printf(probe->pool,
                                   "%d of %d warps of a block drive out what the first one brought: "
                                        "no number of like caches has it so",
                                   sharing, GPU_RIVAL_WARPS)
        : sharing == GPU_RIVAL_WARPS
            ? "every warp of a block drives out what the first one brought: one cache serves all"
            : pool_printf(probe->pool,
                          "%d of %d warps of a block drive out what the first one brought; the "
                          "others have other caches",
                          sharing, GPU_RIVAL_WARPS);
    return finding->text ? 0 : error_out_of_memory(error);
}

int first_levels_conclude(struct gpu_task *task, const struct first_levels *levels,
                          struct error *error)
{
    struct gpu_latency_read there, gone, read;
    int sharing = 0;
    if (levels->alone < 0 || levels->beside < 0)
        return 0;
    int code = read_at(task, levels->alone, 0, INFINITY, &there, error);
    if (code > 0)
        code = read_at(task, levels->beside, 1, 1, &gone, error);
    if (code <= 0)
        return code;
    unsigned flags = there.flags | gone.flags;
    if (!(gone.cycles.value >= apart * there.cycles.value))
        return add_unknown(task, flags, error);
    bool clear = true;
    for (int warp = 1; warp <= GPU_RIVAL_WARPS; warp++) {
        code = read_at(task, levels->beside, warp, warp, &read, error);
        if (code <= 0)
            return code;
        const double way =
            (read.cycles.value - there.cycles.value) / (gone.cycles.value - there.cycles.value);
        flags |= read.flags;
        sharing += way >= is_gone;
        clear = clear && (way >= is_gone || way <= is_there);
    }
    return add_count(task, clear ? sharing : 0, flags, error);
}

bool first_levels_recall(struct gpu_task *task, struct first_levels *levels)
{
    levels->alone = gpu_find_series(task, alone_name, NULL, NULL, 0);
    levels->beside = gpu_find_series(task, beside_name, NULL, NULL, 0);
    return levels->alone >= 0 && levels->beside >= 0;
}
