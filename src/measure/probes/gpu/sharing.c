/*
 * Which first-level caches of a multiprocessor are one: a ring that plain loads have just brought
 * is followed by another way, the read-only path or texture fetches. Where that finds it, both ways
 * lead through one cache; where it waits as long as for a ring that nothing has brought, it has a
 * cache of its own. Since Volta all three are one on NVIDIA's devices; before, textures and plain
 * loads had different ones on some.
 *
 * The ring is small, so that every first level holds it beside all else. Each pass is timed in a
 * launch of its own, because a launch finds the first level empty.
 *
 * References: S. Grimm et al., mt4g (github.com/caps-tum/mt4g), which asks the same by eviction;
 * Jia et al., arXiv 1804.06826, table 3.1.
 *
 * Time: six points of six trials of three batches of 1 ms, most of which launches take: 0.3 s.
 */
#include "measure/probes/gpu/gpu.h"
#include "measure/probes/gpu/split.h"

#include <math.h>

enum { STRIDE = 128 };
/* If hits and misses are nearer to each other than this, nothing can be concluded: a second level
 * takes four times as long as a first one on every device with published figures. */
static const double apart = 1.5;
/* Shares of the way from a miss to a hit: at least this counts as found, at most this as not found.
 */
static const double is_found = 0.75, is_missing = 0.25;

/* --- which are one --- */

enum { RING_BYTES = 8 << 10, WAYS = 2, BEFORES = 3 };

static const struct way {
    const char *what, *finding;
    enum gpu_path path;
} ways[WAYS] = {{"read-only path after other loads", "readonly.in_L1", GPU_READ_ONLY},
                {"texture after other loads", "texture.in_L1", GPU_TEXTURE}};

/* What brought the ring. */
static const char *const before_names[BEFORES] = {
    [GPU_ITSELF] = "itself", [GPU_PLAIN_LOADS] = "plain loads", [GPU_NOTHING] = "nothing"};

static void plan_way(struct gpu_task *task, const struct way *way, enum gpu_before before)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = way->path;
    work.before = before;
    work.bytes = RING_BYTES;
    work.stride = STRIDE;
    if (!gpu_can(task, way->what, &work))
        return;
    struct series *series = gpu_add_series(task, way->what, gpu_by_size, gpu_in_ns);
    gpu_add_factor(task, series, "brought_by", before_names[before], 0);
    gpu_add_point(task, series, RING_BYTES, &work);
}

/* Of the way from hits to misses, the part that is left where plain loads came before. */
static double found(double after, double hit, double miss)
{
    return (miss - after) / (miss - hit);
}

static void conclude_way(struct gpu_task *task, const struct way *way)
{
    struct gpu_latency_read read[BEFORES];
    unsigned flags = 0;
    for (size_t i = 0; i < BEFORES; i++) {
        read[i] = gpu_read_between(
            task, gpu_find_series(task, way->what, "brought_by", before_names[i], 0), 0, INFINITY);
        if (!isfinite(read[i].cycles.value))
            return;
        flags |= read[i].flags;
    }
    const double hit = read[GPU_ITSELF].cycles.value, miss = read[GPU_NOTHING].cycles.value;
    const struct level_estimate *after = &read[GPU_PLAIN_LOADS].cycles;
    if (!(miss >= apart * hit))
        return;
    const struct level_estimate share = {found(after->value, hit, miss),
                                         found(after->high, hit, miss),
                                         found(after->low, hit, miss)};
    gpu_add_finding(task, way->finding, "", share, flags,
                    share.value >= is_found
                        ? "finds what plain loads brought: one cache serves both"
                    : share.value <= is_missing
                        ? "does not find what plain loads brought: it has a cache of its own"
                        : "finds a part of what plain loads brought: whether one cache serves "
                          "both was not found");
}

/* --- how many there are --- */

/* How many first-level caches a multiprocessor has. A warp brings a ring of three quarters of what
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
 * ten times as much: 1 s. */
enum { GROUP = 16 /* loads */ };
/* Share of one cache that each ring takes. */
static const double part = 0.75;

static const char alone_name[] = "L1 undisturbed", beside_name[] = "L1 beside another warp";

static void plan_count(struct gpu_task *task)
{
    const double capacity = gpu_capacity(task, 1, (double)gpu_split_default(task->facts).l1_bytes);
    const size_t group = (size_t)STRIDE * GROUP, ring = (size_t)(part * capacity) / group * group;
    struct gpu_work alone = gpu_work_none;
    alone.action = GPU_CHASE;
    alone.path = GPU_L1;
    alone.stride = STRIDE;
    alone.bytes = ring;
    struct gpu_work beside = alone;
    beside.before = GPU_RIVAL;
    beside.bytes = 2 * ring;
    if (ring == 0)
        gpu_not_measured(task, beside_name, "the size of its first level is not known");
    if (ring == 0 || !gpu_can(task, beside_name, &beside))
        return;
    gpu_add_point(task, gpu_add_series(task, alone_name, gpu_by_size, gpu_in_ns), (double)ring,
                  &alone);
    const struct series *series =
        gpu_add_series(task, beside_name, (struct axis){"warp of the block", ""}, gpu_in_ns);
    /* They count from 1, and 1 is the chase's own. */
    for (beside.warp = 0; beside.warp < GPU_RIVAL_WARPS; beside.warp++)
        gpu_add_point(task, series, beside.warp + 1, &beside);
}

static void add_count(struct gpu_task *task, int sharing, unsigned flags)
{
    const bool even = sharing > 0 && GPU_RIVAL_WARPS % sharing == 0;
    const double count = even ? (double)GPU_RIVAL_WARPS / sharing : NAN;
    const char *some = pool_printf(task->task->pool,
                                   "%d of %d warps of a block drive out what the first one brought",
                                   sharing, GPU_RIVAL_WARPS);
    gpu_add_finding(
        task, "L1.count", "", (struct level_estimate){count, count, count}, flags,
        sharing == 0 ? "some warps drive out a part of what another one brought: how many there "
                       "are is not known"
        : !even      ? pool_printf(task->task->pool, "%s: no number of like caches has it so", some)
        : sharing == GPU_RIVAL_WARPS
            ? "every warp of a block drives out what the first one brought: one cache serves all"
            : pool_printf(task->task->pool, "%s; the others have other caches", some));
}

static void conclude_count(struct gpu_task *task)
{
    const struct series *alone = gpu_find_series(task, alone_name, NULL, NULL, 0),
                        *beside = gpu_find_series(task, beside_name, NULL, NULL, 0);
    const struct gpu_latency_read there = gpu_read_between(task, alone, 0, INFINITY),
                                  gone = gpu_read_between(task, beside, 1, 1);
    const double hit = there.cycles.value, miss = gone.cycles.value;
    unsigned flags = there.flags | gone.flags;
    int sharing = 0;
    bool clear = true;
    if (!isfinite(hit) || !isfinite(miss))
        return;
    if (!(miss >= apart * hit)) {
        /* Rings that stay nowhere: it holds less than was taken for its size. */
        gpu_add_finding(
            task, "L1.count", "", (struct level_estimate){NAN, NAN, NAN}, flags,
            "a ring takes as long undisturbed as driven out: it is larger than the cache, or the "
            "device does not keep such loads there; measuring the cache's size before it tells "
            "(--what latency,sharing)");
        return;
    }
    for (int warp = 1; warp <= GPU_RIVAL_WARPS; warp++) {
        const struct gpu_latency_read read = gpu_read_between(task, beside, warp, warp);
        const double left = found(read.cycles.value, hit, miss);
        if (!isfinite(left))
            return;
        flags |= read.flags;
        sharing += left <= is_missing;
        clear = clear && (left <= is_missing || left >= is_found);
    }
    add_count(task, clear ? sharing : 0, flags);
}

/* --- both --- */

static void plan_sharing(struct gpu_task *task, unsigned stage)
{
    (void)stage;
    for (size_t way = 0; way < WAYS; way++)
        for (unsigned before = 0; before < BEFORES; before++)
            plan_way(task, &ways[way], (enum gpu_before)before);
    plan_count(task);
}

static void conclude_sharing(struct gpu_task *task)
{
    for (size_t way = 0; way < WAYS; way++)
        conclude_way(task, &ways[way]);
    conclude_count(task);
}

const struct gpu_experiment gpu_sharing = {
    .name = "sharing",
    .summary = "which of a multiprocessor's first-level caches are one, and how many it has",
    .weight = 1,
    .cuda_alone = true,
    .by_default = true,
    .plan = plan_sharing,
    .conclude = conclude_sharing,
};
