/*
 * Which first-level caches of a multiprocessor are one: a ring that plain loads have just brought
 * is followed by another way, the read-only path or texture fetches. Where that finds it, both ways
 * lead through one cache; where it waits as long as for a ring that nothing has brought, it has a
 * cache of its own. Since Volta all three are one on NVIDIA's devices; before, textures and plain
 * loads had different ones on some.
 *
 * How many first levels a multiprocessor has is asked in the same stage (first_levels.c).
 *
 * The ring is small, so that every first level holds it beside all else. Each pass is timed in a
 * launch of its own, because a launch finds the first level empty.
 *
 * References: S. Grimm et al., mt4g (github.com/caps-tum/mt4g), which asks the same by eviction;
 * Jia et al., arXiv 1804.06826, table 3.1.
 *
 * Time: six points of six trials of three batches of 1 ms, most of which launches take: 0.3 s.
 */
#include "conclude/registry/finding.h"
#include "measure/probes/gpu/findings.h"
#include "measure/probes/gpu/first_levels.h"

#include <math.h>
#include <string.h>

enum { RING_BYTES = 8 << 10, STRIDE = 128, WAYS = 2, BEFORES = 3 };

static const struct way {
    const char *what, *finding;
    enum gpu_path path;
} ways[WAYS] = {{"read-only path after other loads", "readonly.in_L1", GPU_READ_ONLY},
                {"texture after other loads", "texture.in_L1", GPU_TEXTURE}};

/* What brought the ring. */
static const char *const before_names[BEFORES] = {
    [GPU_ITSELF] = "itself", [GPU_PLAIN_LOADS] = "plain loads", [GPU_NOTHING] = "nothing"};

struct sharing_state {
    int series[WAYS][BEFORES]; /* -1: the device can't */
    struct first_levels levels;
};

static int plan_way(struct gpu_task *task, const struct way *way, enum gpu_before before,
                    int *index, struct error *error)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = way->path;
    work.before = before;
    work.bytes = RING_BYTES;
    work.stride = STRIDE;
    *index = -1;
    if (!gpu_can(task, way->what, &work))
        return 0;
    struct series *series = gpu_add_series(task, way->what, (struct axis){"working set", "B"},
                                           (struct axis){"latency", "ns"});
    *index = (int)(series - task->task->plan.series);
    int code = gpu_add_factor(task, series, "brought_by", before_names[before], 0, error);
    return code < 0 ? code : gpu_add_point(task, (size_t)*index, RING_BYTES, &work, error);
}

static int plan_sharing(struct gpu_task *task, unsigned stage, struct error *error)
{
    struct sharing_state *state;
    if (stage > 0)
        return 0;
    state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
    int code = 0;
    for (size_t way = 0; way < WAYS && code == 0; way++)
        for (unsigned before = 0; before < BEFORES && code == 0; before++)
            code = plan_way(task, &ways[way], (enum gpu_before)before, &state->series[way][before],
                            error);
    if (code == 0)
        code = first_levels_plan(task, &state->levels, error);
    return code < 0 ? code : task->task->plan.point_count > 0;
}

/* The latency of the one point; 0 where it has none. */
static int read_one(struct gpu_task *task, int index, struct gpu_latency_read *read,
                    struct error *error)
{
    struct gpu_points points = {0};
    if (index < 0)
        return 0;
    int code =
        gpu_points_between(&points, task, &task->task->plan.series[index], 0, INFINITY, error);
    if (code == 0)
        code = gpu_points_read(&points, task, read, error);
    return code < 0 ? code : isfinite(read->cycles.value);
}

/* Of the way from hits to misses, the part that is left where plain loads came before. */
static double found(double after, double hit, double miss)
{
    return (miss - after) / (miss - hit);
}

/* Hits and misses that are nearer than this show nothing: a second level takes four times as long
 * as a first one on every device of which figures are published. */
static const double apart = 1.5;
/* From where on a ring counts as found, and up to where as not found. */
static const double is_found = 0.75, is_missing = 0.25;

static int conclude_way(struct gpu_task *task, size_t way, struct error *error)
{
    const struct sharing_state *state = task->state;
    struct gpu_latency_read read[BEFORES];
    unsigned flags = 0;
    for (size_t i = 0; i < BEFORES; i++) {
        int code = read_one(task, state->series[way][i], &read[i], error);
        if (code <= 0)
            return code;
        flags |= read[i].flags;
    }
    const struct level_estimate *hit = &read[GPU_ITSELF].cycles, *miss = &read[GPU_NOTHING].cycles,
                                *after = &read[GPU_PLAIN_LOADS].cycles;
    if (!(miss->value >= apart * hit->value))
        return 0;
    struct probe_task *probe = task->task;
    const double share = found(after->value, hit->value, miss->value);
    const char *name = gpu_name(task, ways[way].finding);
    struct finding *finding =
        name ? finding_add_value(probe->result, probe->pool, name, "", share,
                                 found(after->high, hit->value, miss->value),
                                 found(after->low, hit->value, miss->value), flags)
             : NULL;
    finding->text = share >= is_found ? "finds what plain loads brought: one cache serves both"
                    : share <= is_missing
                        ? "does not find what plain loads brought: it has a cache "
                          "of its own"
                        : "finds a part of what plain loads brought: whether one "
                          "cache serves both was not found";
    return 0;
}

static int conclude_sharing(struct gpu_task *task, struct error *error)
{
    int code = 0;
    for (size_t way = 0; way < WAYS && code == 0; way++)
        code = conclude_way(task, way, error);
    const struct sharing_state *state = task->state;
    return code < 0 ? code : first_levels_conclude(task, &state->levels, error);
}

static int recall_sharing(struct gpu_task *task, struct error *error)
{
    struct sharing_state *state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
    int any = first_levels_recall(task, &state->levels);
    for (size_t way = 0; way < WAYS; way++)
        for (size_t before = 0; before < BEFORES; before++) {
            state->series[way][before] =
                gpu_find_series(task, ways[way].what, "brought_by", before_names[before], 0);
            any |= state->series[way][before] >= 0;
        }
    return any;
}

const struct gpu_experiment gpu_sharing = {
    .name = "sharing",
    .summary = "which of a multiprocessor's first-level caches are one, and how many it has",
    .weight = 1,
    .cuda_alone = true,
    .by_default = true,
    .plan = plan_sharing,
    .conclude = conclude_sharing,
    .recall = recall_sharing,
};
