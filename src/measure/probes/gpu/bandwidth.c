/*
 * Bandwidth of all multiprocessors together: device memory, the second-level cache, their own first
 * levels and their own scratchpads. A copy counts bytes read and bytes written, as in STREAM
 * (McCalpin 1995).
 *
 * Reads over a ladder of working sets show where the second-level cache ends. The cache's bandwidth
 * is measured with a working set of half its size: a full-size set does not stay in it, because
 * hashing fills it unevenly, and on devices with two partitions each may also hold the other's
 * lines.
 *
 * Time: a batch lasts a millisecond; device memory moves a GiB in 0.3 ms (4 TB/s). Sixteen points
 * of six trials of three batches and their preparation (a GiB is written once) take half a second.
 */
#include "measure/probes/gpu/gpu.h"

/* The working set for device memory: L2_TIMES L2 or memory_least, whichever is more, but at most 1
 * / MEMORY_PART of the memory. */
enum { L2_TIMES = 8, MEMORY_PART = 8 };
static const size_t memory_least = 512 << 20;
/* A block's working set in its scratchpad: several blocks fit a multiprocessor, and it is below the
 * 48 KiB that a block gets on every device without a function attribute. */
static const size_t scratchpad_most = 32 << 10;
/* A block's working set in the first level: half of the smallest L1 of any device, which is 16 KiB
 * without the scratchpad (capability 5.0), so that it stays there together with other data. */
enum { NEAR_BYTES = 8 << 10 };

/* Working sets of a ladder, in quarters of L2. */
static const unsigned quarters[] = {1, 2, 4, 8, 16};
enum { L2_HALF = 2 };

/* PLAIN: plain reads, which may fill the first level; PASSING: reads with no_allocate, which do not
 * fill it; MEMORY: reads past the first level. Published rates of L2 differ by that (7.0 and 4.9
 * TB/s on two kinds of H100). */
enum where { MEMORY, PLAIN, PASSING, NEAR, SCRATCHPAD };
static const enum gpu_path paths[] = {[MEMORY] = GPU_L2,
                                      [PLAIN] = GPU_L1,
                                      [PASSING] = GPU_NO_ALLOCATE,
                                      [NEAR] = GPU_L1,
                                      [SCRATCHPAD] = GPU_SHARED};
/* Suffixes of their findings' names. */
static const char *const suffixes[] = {
    [MEMORY] = "", [PLAIN] = ".plain", [PASSING] = ".no_allocate", [NEAR] = "", [SCRATCHPAD] = ""};

struct stream {
    const char *what, *traffic;
    enum gpu_traffic kind;
    enum where where;
    bool ladder; /* L2 too */
};

static const struct stream streams[] = {
#include "bandwidth.texts.h"
};
enum { STREAMS = sizeof streams / sizeof *streams };

/* --- planning --- */

/* Rounded so that all multiprocessors get equal parts. */
static size_t memory_bytes(const struct gpu_task *task)
{
    const struct gpu_facts *facts = task->facts;
    enum { EVEN = 1 << 16 };
    uint64_t bytes = L2_TIMES * facts->l2_bytes;
    if (bytes < memory_least)
        bytes = memory_least;
    if (facts->memory_bytes && bytes > facts->memory_bytes / MEMORY_PART)
        bytes = facts->memory_bytes / MEMORY_PART;
    return (size_t)(bytes > EVEN ? bytes / EVEN * EVEN : bytes);
}

static size_t scratchpad_bytes(const struct gpu_task *task)
{
    const uint64_t declared = task->facts->scratchpad_bytes;
    return declared && declared < scratchpad_most ? (size_t)declared : scratchpad_most;
}

/* The working set of the stream's finding; without a ladder the only one. */
static size_t bytes_of(const struct gpu_task *task, const struct stream *stream)
{
    return stream->where == SCRATCHPAD ? scratchpad_bytes(task)
           : stream->where == NEAR     ? NEAR_BYTES
                                       : memory_bytes(task);
}

static void plan_stream(struct gpu_task *task, const struct stream *stream)
{
    const size_t most = bytes_of(task, stream);
    struct gpu_work work = gpu_work_none;
    work.action = GPU_STREAM;
    work.path = paths[stream->where];
    work.each = stream->where == NEAR;
    work.traffic = stream->kind;
    work.bytes = most;
    /* OpenCL has only plain loads, and streams that all multiprocessors share. */
    const bool cuda_alone =
        stream->where == PLAIN || stream->where == PASSING || stream->where == NEAR;
    if (cuda_alone && task->backend == &gpu_opencl)
        return;
    if (!gpu_can(task, pool_printf(task->task->pool, "%s, %s", stream->what, stream->traffic),
                 &work))
        return;
    struct series *series = gpu_add_series(task, stream->what, gpu_by_size, gpu_rate);
    gpu_add_factor(task, series, "traffic", stream->traffic, 0);
    for (size_t i = 0; i < sizeof quarters / sizeof *quarters && stream->ladder; i++) {
        work.bytes = (size_t)task->facts->l2_bytes / 4 * quarters[i];
        if (work.bytes && work.bytes < most)
            gpu_add_point(task, series, (double)work.bytes, &work);
    }
    work.bytes = most;
    gpu_add_point(task, series, (double)most, &work);
}

static void plan_bandwidth(struct gpu_task *task)
{
    gpu_plan_rates(task);
    for (size_t i = 0; i < STREAMS; i++)
        plan_stream(task, &streams[i]);
}

/* --- concluding --- */

static void conclude_stream(struct gpu_task *task, const struct stream *stream,
                            const struct series *series)
{
    struct pool *pool = task->task->pool;
    const double bytes = (double)bytes_of(task, stream),
                 half = (double)(task->facts->l2_bytes / 4 * L2_HALF);
    const char *of = stream->where == SCRATCHPAD ? "shared." : stream->where == NEAR ? "L1." : "";
    const char *suffix = suffixes[stream->where];
    gpu_add_rate(task, pool_printf(pool, "%sbandwidth.%s%s", of, stream->traffic, suffix),
                 series_point(series, bytes),
                 stream->where == SCRATCHPAD ? "all multiprocessors' scratchpads together"
                 : stream->where == NEAR     ? "all multiprocessors' first levels together, "
                                               "each with the same 8 KiB"
                 : stream->kind == GPU_COPY  ? "device memory; what is read and what is "
                                               "written both count"
                                             : "device memory");
    if (stream->ladder && half > 0 && half < bytes)
        gpu_add_rate(task, pool_printf(pool, "L2.bandwidth.%s%s", stream->traffic, suffix),
                     series_point(series, half), "a working set of half of the second-level cache");
}

static void conclude_bandwidth(struct gpu_task *task)
{
    for (size_t i = 0; i < STREAMS; i++) {
        const struct series *series =
            gpu_find_series(task, streams[i].what, "traffic", streams[i].traffic, 0);
        if (series)
            conclude_stream(task, &streams[i], series);
    }
}

const struct gpu_experiment gpu_bandwidth = {
    .name = "bandwidth",
    .summary = "bandwidth of device memory, second-level cache and scratchpads",
    .weight = 2,
    .by_default = true,
    .plan = plan_bandwidth,
    .conclude = conclude_bandwidth,
};
