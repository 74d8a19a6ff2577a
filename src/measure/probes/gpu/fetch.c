/*
 * What a miss brings, and what a cache has one tag for: fetch granularity and line of both levels.
 *
 * Fetched: pointers follow one another in memory, a stride apart, over a set that the level does
 * not hold. As long as the stride is less than what a miss brings, the loads after it hit, so the
 * mean grows with the stride until each load misses. On NVIDIA's devices that is a sector of 32
 * bytes, or more where L2 is set to fetch 64 or 128 (CUDA C++ Programming Guide,
 * cudaLimitMaxL2FetchGranularity).
 *
 * Line: pointers a stride apart in random order, over one and a half of what the level holds. As
 * long as the stride is no more than a line, every line is touched, and they do not fit; at twice a
 * line half of them fits. Where sets are not hashed such a stride uses half of the sets, and what
 * comes out is more than a line: so it is reported only where some stride fits.
 *
 * The sets come from what `latency` found on the device, else from what is declared. But `latency`
 * has a pointer each 128 bytes, so where a line is shorter, what it found is more than the level
 * holds, and a stride of 128 fills it as a line of 128 would. A second ladder of half the size then
 * tells the two apart: it fits where lines are as long, and does not where they are shorter.
 *
 * Time: 42 points of six trials of three batches of 1 ms; the largest rings, of twice L2 in 16 byte
 * steps, have 6 million elements on a device with 50 MiB, and take 0.5 s to build: six seconds.
 */
#include "measure/probes/gpu/gpu.h"

#include <math.h>

enum { LADDERS = 6, STRIDES = 7, MEMORY_PART = 8 };
static const unsigned strides[STRIDES] = {16, 32, 64, 128, 256, 512, 1024};
/* Less of a difference between hits and misses is none that can be halved. */
static const double least_rise = 1.2;
/* A stride whose latency is this far of the way from the smallest to the largest misses always. */
static const double all_miss = 0.95;

static const struct ladder {
    const char *what, *finding;
    unsigned level;
    enum gpu_path path;
    enum gpu_order order;
    double times; /* the set, as a share of the level's capacity */
} ladders[LADDERS] = {
    {"L1 fetched by stride", "L1.fetch", 1, GPU_L1, GPU_STRIDED, 2},
    {"L1 lines by stride", "L1.line", 1, GPU_L1, GPU_RANDOM, 1.5},
    {"L1 short lines by stride", NULL, 1, GPU_L1, GPU_RANDOM, 0.75},
    {"L2 fetched by stride", "L2.fetch", 2, GPU_L2, GPU_STRIDED, 2},
    {"L2 lines by stride", "L2.line", 2, GPU_L2, GPU_RANDOM, 1.5},
    {"L2 short lines by stride", NULL, 2, GPU_L2, GPU_RANDOM, 0.75},
};
/* From one pointer to the next, in `latency`. */
enum { LATENCY_STRIDE = 128 };

static void plan_ladder(struct gpu_task *task, const struct ladder *ladder)
{
    const struct gpu_facts *facts = task->facts;
    const double holds =
        gpu_capacity(task, ladder->level,
                     (double)(ladder->level == 1 ? facts->first_level_bytes : facts->l2_bytes));
    const uint64_t memory = gpu_memory(task);
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = ladder->path;
    work.order = ladder->order;
    work.stride = strides[0];
    work.bytes = (size_t)(ladder->times * holds) / strides[STRIDES - 1] * strides[STRIDES - 1];
    if (work.bytes == 0 || (memory && work.bytes > memory / MEMORY_PART) ||
        !gpu_can(task, ladder->what, &work))
        return;
    struct series *series =
        gpu_add_series(task, ladder->what, (struct axis){"stride", "B"}, gpu_in_ns);
    gpu_add_factor(task, series, "bytes", NULL, (double)work.bytes);
    for (size_t i = 0; i < STRIDES; i++) {
        work.stride = strides[i];
        gpu_add_point(task, series, strides[i], &work);
    }
}

static void plan_fetch(struct gpu_task *task, unsigned stage)
{
    (void)stage;
    for (size_t i = 0; i < LADDERS; i++)
        plan_ladder(task, &ladders[i]);
}

/* --- concluding --- */

/* The smallest stride at which every load misses; 0: unknown. Strides beyond a line touch only some
 * lines, and those may fit. */
static unsigned read_fetch(const double latency[STRIDES])
{
    const double least = latency[0];
    double most = least;
    for (size_t i = 1; i < STRIDES; i++)
        most = fmax(most, latency[i]);
    if (!(most > least_rise * least))
        return 0;
    for (size_t i = 1; i < STRIDES; i++)
        if (latency[i] >= least + all_miss * (most - least))
            return strides[i];
    return 0;
}

/* The largest stride at which every line is still touched; 0: none fits. */
static unsigned read_line(const double latency[STRIDES])
{
    const double hit = latency[STRIDES - 1];
    double miss = hit;
    for (size_t i = 0; i + 1 < STRIDES; i++)
        miss = fmax(miss, latency[i]);
    if (!(miss > least_rise * hit))
        return 0;
    for (size_t i = STRIDES - 1; i > 0; i--)
        if (latency[i - 1] > (hit + miss) / 2)
            return strides[i - 1];
    return 0;
}

/* False where a part of them is missing: that is no conclusion. */
static bool read_latencies(const struct gpu_task *task, const struct ladder *ladder,
                           double latency[STRIDES], unsigned *flags)
{
    const struct series *series = gpu_find_series(task, ladder->what, NULL, NULL, 0);
    for (size_t i = 0; i < STRIDES; i++) {
        const struct point *point = series ? series_point(series, strides[i]) : NULL;
        if (!point)
            return false;
        latency[i] = gpu_latency_of(point);
        *flags |= point->flags;
    }
    return true;
}

/* A line as the ladder has it or, where it may be shorter, as the one of half the size has it,
 * which is the next. */
static unsigned read_lines(const struct gpu_task *task, const struct ladder *ladder,
                           const double latency[STRIDES], unsigned *flags)
{
    double half[STRIDES];
    const unsigned bytes = read_line(latency);
    if (bytes != LATENCY_STRIDE)
        return bytes;
    if (!read_latencies(task, ladder + 1, half, flags))
        return 0;
    const unsigned shorter = read_line(half);
    return shorter && shorter < bytes ? shorter : bytes;
}

static void conclude_fetch(struct gpu_task *task)
{
    for (const struct ladder *ladder = ladders; ladder < ladders + LADDERS; ladder++) {
        const bool line = ladder->order == GPU_RANDOM;
        double latency[STRIDES];
        unsigned flags = 0;
        if (!ladder->finding || !read_latencies(task, ladder, latency, &flags))
            continue;
        const double bytes = line ? read_lines(task, ladder, latency, &flags) : read_fetch(latency);
        if (!(bytes > 0))
            continue;
        /* The next smaller and larger stride bound it; a line may be half of what it seems. */
        gpu_add_finding(task, ladder->finding, "B",
                        (struct level_estimate){bytes, bytes / 2, line ? 2 * bytes : bytes}, flags,
                        line ? "the largest stride at which every line is still touched; half of "
                               "it where such a stride falls on half of the sets"
                             : "the smallest stride at which every load misses");
    }
}

const struct gpu_experiment gpu_fetch = {
    .name = "fetch",
    .summary = "lines of both caches, and how many bytes a miss brings",
    .weight = 5,
    .by_default = false,
    .plan = plan_fetch,
    .conclude = conclude_fetch,
};
