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
#include "base/units.h"
#include "conclude/registry/finding.h"
#include "measure/probes/gpu/findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LADDERS = 6, STRIDES = 7, MEMORY_PART = 8 };
static const unsigned strides[STRIDES] = {16, 32, 64, 128, 256, 512, 1024};
/* Less of a difference between hits and misses is none that can be halved. */
static const double least_rise = 1.2;
/* A stride whose loads take this much of the way from the smallest to the largest misses always. */
static const double all_miss = 0.95;

static const struct ladder {
    const char *what, *finding;
    unsigned level;
    enum gpu_path path;
    enum gpu_order order;
    double times; /* the set, of what the level holds */
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

struct fetch_state {
    int series[LADDERS]; /* -1: it was not measured */
};

/* --- planning --- */

/* What a level holds: as measured, else as declared; 0 unknown. */
static double holds(const struct gpu_task *task, unsigned level)
{
    const struct probe_result *result = task->task->result;
    char name[32];
    snprintf(name, sizeof name, "gpu%d.L%u.capacity", task->facts->id, level);
    for (size_t i = 0; i < result->finding_count; i++)
        if (strcmp(result->findings[i].name, name) == 0 && result->findings[i].value > 0)
            return result->findings[i].value;
    return level == 1 ? (double)task->facts->first_level_bytes : (double)task->facts->l2_bytes;
}

static int plan_ladder(struct gpu_task *task, const struct ladder *ladder, int *index,
                       struct error *error)
{
    const uint64_t memory = gpu_memory(task);
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = ladder->path;
    work.order = ladder->order;
    work.stride = strides[0];
    work.bytes = (size_t)(ladder->times * holds(task, ladder->level)) / strides[STRIDES - 1] *
                 strides[STRIDES - 1];
    *index = -1;
    if (work.bytes == 0 || (memory && work.bytes > memory / MEMORY_PART) ||
        !gpu_can(task, ladder->what, &work))
        return 0;
    struct series *series = gpu_add_series(task, ladder->what, (struct axis){"stride", "B"},
                                           (struct axis){"latency", "ns"});
    *index = (int)(series - task->task->plan.series);
    int code = gpu_add_factor(task, series, "bytes", NULL, (double)work.bytes, error);
    for (size_t i = 0; i < STRIDES && code == 0; i++) {
        work.stride = strides[i];
        code = gpu_add_point(task, (size_t)*index, strides[i], &work, error);
    }
    return code;
}

static int plan_fetch(struct gpu_task *task, unsigned stage, struct error *error)
{
    if (stage > 0)
        return 0;
    struct fetch_state *state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
    int code = 0;
    for (size_t i = 0; i < LADDERS && code == 0; i++)
        code = plan_ladder(task, &ladders[i], &state->series[i], error);
    return code < 0 ? code : task->task->plan.point_count > 0;
}

/* --- concluding --- */

static double latency_at(const struct series *series, unsigned stride, unsigned *flags)
{
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (point->x == (double)stride && point->y.n) {
            *flags |= point->flags;
            return (double)(isfinite(point->cycles.median) ? point->cycles.median
                                                           : point->y.median);
        }
    }
    return NAN;
}

/* The smallest stride at which every load misses; 0: it can't be known. Of strides beyond a line
 * only some lines are touched, and those may fit. */
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
static bool read_latencies(const struct series *series, double latency[STRIDES], unsigned *flags)
{
    for (size_t i = 0; i < STRIDES; i++) {
        latency[i] = latency_at(series, strides[i], flags);
        if (isnan(latency[i]))
            return false;
    }
    return true;
}

/* A line as the ladder has it or, where it may be shorter, as the one of half the size has it. */
static unsigned read_lines(const struct gpu_task *task, size_t which, unsigned *flags)
{
    const struct fetch_state *state = task->state;
    const struct series *series = task->task->plan.series;
    double latency[STRIDES], half[STRIDES];
    if (!read_latencies(&series[state->series[which]], latency, flags))
        return 0;
    const unsigned bytes = read_line(latency);
    if (bytes != LATENCY_STRIDE)
        return bytes;
    if (state->series[which + 1] < 0 ||
        !read_latencies(&series[state->series[which + 1]], half, flags))
        return 0;
    const unsigned shorter = read_line(half);
    return shorter && shorter < bytes ? shorter : bytes;
}

static int conclude_ladder(struct gpu_task *task, size_t which, struct error *error)
{
    const struct fetch_state *state = task->state;
    const struct ladder *ladder = &ladders[which];
    const bool line = ladder->order == GPU_RANDOM;
    double latency[STRIDES];
    unsigned flags = 0, bytes = 0;
    if (!ladder->finding)
        return 0;
    if (line)
        bytes = read_lines(task, which, &flags);
    else if (read_latencies(&task->task->plan.series[state->series[which]], latency, &flags))
        bytes = read_fetch(latency);
    const char *name = gpu_name(task, ladder->finding);
    if (bytes == 0)
        return name ? 0 : error_out_of_memory(error);
    /* The next smaller and larger stride bound it; a line may be half of what it seems (above). */
    struct finding *finding =
        name ? finding_add_value(task->task->result, task->task->pool, name, "B", bytes,
                                 bytes / 2.0, line ? 2.0 * bytes : bytes, flags)
             : NULL;
    finding->text =
        line ? "the largest stride at which every line is still touched; half of it where "
               "such a stride falls on half of the sets"
             : "the smallest stride at which every load misses";
    return 0;
}

static int conclude_fetch(struct gpu_task *task, struct error *error)
{
    const struct fetch_state *state = task->state;
    int code = 0;
    for (size_t i = 0; i < LADDERS && code == 0; i++)
        if (state->series[i] >= 0)
            code = conclude_ladder(task, i, error);
    return code;
}

static int recall_fetch(struct gpu_task *task, struct error *error)
{
    struct fetch_state *state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
    int any = 0;
    for (size_t i = 0; i < LADDERS; i++) {
        state->series[i] = gpu_find_series(task, ladders[i].what, NULL, NULL, 0);
        any |= state->series[i] >= 0;
    }
    return any;
}

const struct gpu_experiment gpu_fetch = {
    .name = "fetch",
    .summary = "lines of both caches, and how many bytes a miss brings",
    .weight = 5,
    .by_default = false,
    .plan = plan_fetch,
    .conclude = conclude_fetch,
    .recall = recall_fetch,
};
