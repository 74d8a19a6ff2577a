/*
 * Fetch granularity (the bytes that a miss loads) and line size (the bytes of one tag) of both
 * levels.
 *
 * Fetch: pointers in ascending order, a stride apart, over a working set larger than the level.
 * While the stride is less than the fetch granularity, loads after a miss hit, so the mean latency
 * grows with the stride until each load misses. On NVIDIA's devices a miss loads a sector of 32
 * bytes, or more if L2 is set to fetch 64 or 128 (CUDA C++ Programming Guide,
 * cudaLimitMaxL2FetchGranularity).
 *
 * Line: pointers a stride apart in random order, over one and a half times the level's capacity.
 * While the stride is at most a line, every line is touched, and they do not fit; at twice a line
 * only half of them are touched, and they fit. Without hashing such a stride uses only half of the
 * sets, and the result is larger than a line: so it is reported only if some stride fits.
 *
 * Working sets are multiples of the capacity that `latency` found on the device, else of the
 * declared one. But `latency` has a pointer every 128 bytes, so with shorter lines it finds more
 * than the capacity, and a stride of 128 looks like a line of 128. A second ladder of half the size
 * distinguishes the two: it fits if lines have 128 bytes, and does not fit if they are shorter.
 *
 * Without hashing, a stride of two lines falls on half of the sets, in which half of the lines do
 * not fit either: it looks like a line. Strides of one and a half times a power of two fall on all
 * sets. Over twice the capacity such a stride of three lines touches two thirds of a capacity,
 * which fits; if it is one and a half lines, it is four thirds, which does not.
 *
 * Time: 56 points of six trials of three batches of 1 ms; the largest rings, of twice L2 in 16 byte
 * steps, have 6 million elements on a device with 50 MiB, and take 0.5 s to build: eight seconds.
 */
#include "measure/probes/gpu/gpu.h"

#include <math.h>

enum { LADDERS = 8, STRIDES = 7, MEMORY_PART = 8 };
static const unsigned strides[STRIDES] = {16, 32, 64, 128, 256, 512, 1024};
/* The least ratio of misses to hits for which a value between them can be distinguished from both.
 */
static const double least_rise = 1.2;
/* Every load misses at a stride with at least this position between the smallest latency (0) and
 * the largest (1). */
static const double all_miss = 0.95;
/* Where the capacity is declared and not measured, two thirds or four thirds of it may be all of
 * it: up to this position loads hit, and from as far below 1 on they miss. */
static const double all_hit = 0.25;

static const struct ladder {
    const char *what, *finding;
    unsigned level;
    enum gpu_path path;
    enum gpu_order order;
    double times; /* working set in multiples of the level's capacity */
    bool odd;     /* strides of one and a half times a power of two */
} ladders[LADDERS] = {
#include "fetch.texts.h"
};
/* Bytes from one pointer to the next in `latency`. */
enum { LATENCY_STRIDE = 128 };

static unsigned stride_of(const struct ladder *ladder, size_t i)
{
    return ladder->odd ? strides[i] / 2 * 3 : strides[i];
}

static void plan_ladder(struct gpu_task *task, const struct ladder *ladder)
{
    const struct gpu_facts *facts = task->facts;
    const double holds =
        gpu_capacity(task, ladder->level,
                     (double)(ladder->level == 1 ? facts->first_level_bytes : facts->l2_bytes));
    const uint64_t memory = gpu_memory(task);
    const size_t most = stride_of(ladder, STRIDES - 1);
    struct gpu_work work = gpu_chase(ladder->path, (size_t)(ladder->times * holds) / most * most,
                                     stride_of(ladder, 0));
    work.order = ladder->order;
    if (work.bytes == 0 || (memory && work.bytes > memory / MEMORY_PART) ||
        !gpu_can(task, ladder->what, &work))
        return;
    struct series *series =
        gpu_add_series(task, ladder->what, (struct axis){"stride", "B"}, gpu_in_ns);
    gpu_add_factor(task, series, "bytes", NULL, (double)work.bytes);
    for (size_t i = 0; i < STRIDES; i++) {
        work.stride = stride_of(ladder, i);
        gpu_add_point(task, series, (double)work.stride, &work);
    }
}

static void plan_fetch(struct gpu_task *task)
{
    for (size_t i = 0; i < LADDERS; i++)
        plan_ladder(task, &ladders[i]);
}

/* --- concluding --- */

/* The smallest stride at which every load misses; 0: unknown. Latency may fall again at strides
 * beyond a line, which touch only some lines. */
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

/* False if a point is missing: then nothing is concluded. */
static bool read_latencies(const struct gpu_task *task, const struct ladder *ladder,
                           double latency[STRIDES], unsigned *flags)
{
    const struct series *series = gpu_find_series(task, ladder->what, NULL, NULL, 0);
    for (size_t i = 0; i < STRIDES; i++) {
        const struct point *point = series ? series_point(series, stride_of(ladder, i)) : NULL;
        if (!point)
            return false;
        latency[i] = gpu_latency_of(point);
        *flags |= point->flags;
    }
    return true;
}

/* The line size from the ladder or, if the line may be shorter than the stride of `latency`, from
 * the next ladder, of half the size; if two lines may look like one, from the one after that.
 * `either`: it may be twice as long. */
static unsigned read_lines(const struct gpu_task *task, const struct ladder *ladder,
                           const double latency[STRIDES], bool *either, unsigned *flags)
{
    double half[STRIDES], odd[STRIDES];
    const unsigned bytes = read_line(latency);
    if (bytes > LATENCY_STRIDE) {
        if (!read_latencies(task, ladder + 2, odd, flags))
            return 0;
        double miss = latency[0];
        size_t at = 0;
        for (size_t i = 0; i < STRIDES; i++) {
            miss = fmax(miss, latency[i]);
            at = strides[i] == bytes ? i : at;
        }
        const double hit = latency[STRIDES - 1], place = (odd[at] - hit) / (miss - hit);
        *either = place > all_hit && place < 1 - all_hit;
        return place < 1 - all_hit ? bytes / 2 : bytes;
    }
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
        bool either = false;
        if (!ladder->finding || !read_latencies(task, ladder, latency, &flags))
            continue;
        const double bytes =
            line ? read_lines(task, ladder, latency, &either, &flags) : read_fetch(latency);
        if (!(bytes > 0))
            continue;
        /* The interval goes to the next smaller and larger stride. */
        gpu_add_finding(
            task, ladder->finding, "B",
            (struct interval){bytes, either ? bytes : bytes / 2, line ? 2 * bytes : bytes}, flags,
            either ? pool_printf(task->task->pool,
                                 "%.0f or %.0f B: measure the capacity, "
                                 "too (--what latency,fetch)",
                                 bytes, 2 * bytes)
            : line ? "the largest stride at which every line is still touched, where such "
                     "a stride falls on all sets"
                   : "the smallest stride at which every load misses");
    }
}

const struct gpu_experiment gpu_fetch = {
    .name = "fetch",
    .summary = "lines of both caches, and how many bytes a miss brings",
    .weight = 5,
    .plan = plan_fetch,
    .conclude = conclude_fetch,
};
