/*
 * Which paths of a multiprocessor share a first-level cache. Plain loads load a ring; then a chase
 * follows it by another path, the read-only path or texture fetches. If it hits, both paths use one
 * cache; if it takes as long as on a ring that was not loaded, its path has a separate cache. On
 * NVIDIA's devices all three paths share one cache since Volta; on some older ones textures and
 * plain loads had different caches.
 *
 * The ring is small, so that every first level holds it together with other data. Each pass is
 * timed in its own launch, because a launch finds the first level empty.
 *
 * References: S. Grimm et al., mt4g (github.com/caps-tum/mt4g), which finds the same by eviction;
 * Jia et al., arXiv 1804.06826, table 3.1.
 *
 * Time: six points of six trials of three batches of 1 ms, mostly spent in launches: 0.3 s.
 */
#include "measure/probes/gpu/gpu.h"
#include "measure/probes/gpu/options.h"

#include <math.h>

enum { STRIDE = 128 };
/* The least ratio of misses to hits for a conclusion: a second level takes four times as long as a
 * first one on every device with published figures. */
static const double apart = 1.5;
/* Position between a miss (0) and a hit (1): at least is_found counts as hits, at most is_missing
 * as misses. */
static const double is_found = 0.75, is_missing = 0.25;

/* --- which are shared --- */

enum { RING_BYTES = 8 << 10, WAYS = 2, BEFORES = 3 };

static const struct way {
    const char *what, *finding;
    enum gpu_path path;
} ways[WAYS] = {{"read-only path after other loads", "readonly.in_L1", GPU_READ_ONLY},
                {"texture after other loads", "texture.in_L1", GPU_TEXTURE}};

/* What loaded the ring. */
static const char *const before_names[BEFORES] = {
    [GPU_ITSELF] = "itself", [GPU_PLAIN_LOADS] = "plain loads", [GPU_NOTHING] = "nothing"};

static void plan_way(struct gpu_task *task, const struct way *way, enum gpu_before before)
{
    struct gpu_work work = gpu_chase(way->path, RING_BYTES, STRIDE);
    work.before = before;
    if (!gpu_can(task, way->what, &work))
        return;
    struct series *series = gpu_add_series(task, way->what, gpu_by_size, gpu_in_ns);
    gpu_add_factor(task, series, "brought_by", before_names[before], 0);
    gpu_add_point(task, series, RING_BYTES, &work);
}

/* Where the latency after plain loads lies between a miss (0) and a hit (1). */
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
    const struct interval *after = &read[GPU_PLAIN_LOADS].cycles;
    if (!(miss >= apart * hit))
        return;
    const struct interval share = {found(after->value, hit, miss), found(after->high, hit, miss),
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

/* How many first-level caches a multiprocessor has. A warp loads a ring of three quarters of such a
 * cache; another warp of the same block loads a second ring of that size; then the first warp's
 * loads from the first ring are timed. If both warps use one cache, the second ring has evicted the
 * first one; otherwise the first one is still there. A block's warps go to the multiprocessor's
 * partitions in turn, so if each cache serves 1, 2, 4 or 8 of the eight warps, the number of caches
 * is eight divided by the warps that use the first one's cache.
 *
 * One warp with both rings shows the latency of an evicted ring, and a ring alone that of a ring in
 * the cache. Maxwell and Pascal (5.x, 6.1) have two such caches for four partitions; from Volta on
 * there is one (NVIDIA, "Pascal Tuning Guide" and "Volta Tuning Guide", 1.4.2).
 *
 * Reference: S. Grimm et al., mt4g (github.com/caps-tum/mt4g), "amount" of L1 of a multiprocessor.
 *
 * Time: nine points of six trials of three batches of 1 ms; untimed passes take ten times as much:
 * 1 s. */
enum { GROUP = 16 /* loads */ };
/* Each ring's size as a share of one cache. */
static const double part = 0.75;

static const char alone_name[] = "L1 undisturbed", beside_name[] = "L1 beside another warp";

static void add_count(struct gpu_task *task, int sharing, unsigned flags)
{
    const bool even = sharing > 0 && GPU_RIVAL_WARPS % sharing == 0;
    const double count = even ? (double)GPU_RIVAL_WARPS / sharing : NAN;
    const char *some =
        pool_printf(task->task->pool, "%d of %d warps of a block evict what the first one loaded",
                    sharing, GPU_RIVAL_WARPS);
    gpu_add_finding(
        task, "L1.count", "", (struct interval){count, count, count}, flags,
        sharing == 0 ? "some warps evict a part of what another one loaded: how many caches there "
                       "are is not known"
        : !even ? pool_printf(task->task->pool, "%s: no number of equal caches explains that", some)
        : sharing == GPU_RIVAL_WARPS
            ? "every warp of a block evicts what the first one loaded: one cache serves all"
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
        /* The undisturbed ring misses too: the cache is smaller than assumed. */
        gpu_add_finding(task, "L1.count", "", (struct interval){NAN, NAN, NAN}, flags,
                        "a ring takes as long undisturbed as evicted: it is larger than the cache, "
                        "or the device does not keep such loads there; measure the cache's size "
                        "first to know (--what latency,sharing)");
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

static void plan_sharing(struct gpu_task *task)
{
    for (size_t way = 0; way < WAYS; way++)
        for (unsigned before = 0; before < BEFORES; before++)
            plan_way(task, &ways[way], (enum gpu_before)before);
    const double capacity = gpu_capacity(task, 1, (double)gpu_split_default(task->facts).l1_bytes);
    const size_t group = (size_t)STRIDE * GROUP, ring = (size_t)(part * capacity) / group * group;
    const struct gpu_work alone = gpu_chase(GPU_L1, ring, STRIDE);
    struct gpu_work beside = gpu_chase(GPU_L1, 2 * ring, STRIDE);
    beside.before = GPU_RIVAL;
    if (ring == 0)
        gpu_not_measured(task, beside_name, "the size of its first level is not known");
    if (ring == 0 || !gpu_can(task, beside_name, &beside))
        return;
    gpu_add_point(task, gpu_add_series(task, alone_name, gpu_by_size, gpu_in_ns), (double)ring,
                  &alone);
    const struct series *series =
        gpu_add_series(task, beside_name, (struct axis){"warp of the block", ""}, gpu_in_ns);
    /* x counts warps from 1; 1 is the chase's own warp. */
    for (beside.warp = 0; beside.warp < GPU_RIVAL_WARPS; beside.warp++)
        gpu_add_point(task, series, beside.warp + 1, &beside);
}

static void conclude_sharing(struct gpu_task *task)
{
    for (size_t way = 0; way < WAYS; way++)
        conclude_way(task, &ways[way]);
    conclude_count(task);
}

const struct gpu_experiment gpu_sharing = {
    .name = "sharing",
    .summary =
        "which paths share a first-level cache, and how many such caches a multiprocessor has",
    .weight = 1,
    .cuda_alone = true,
    .by_default = true,
    .plan = plan_sharing,
    .conclude = conclude_sharing,
};
