/*
 * How much all multiprocessors together move: to and from device memory, the second-level cache,
 * their own first levels and their own scratchpads. A copy reads and writes, and both count, as in
 * STREAM (McCalpin 1995).
 *
 * Reads over a ladder of working sets show where the second-level cache ends. Half of that cache is
 * the working set that stands for it: a whole one does not stay in it, because hashing fills it
 * unevenly, and on devices of two partitions each may hold the other's lines too.
 *
 * Time: a batch lasts a millisecond; device memory moves a GiB in 0.3 ms (4 TB/s). Sixteen points
 * of six trials of three batches and their preparation (a GiB is written once) take half a second.
 */
#include "measure/probes/gpu/gpu.h"

/* The working set for device memory: this many times L2 or this least size, whichever is more, but
 * not more than this part of the memory. */
enum { L2_TIMES = 8, MEMORY_PART = 8 };
static const size_t memory_least = 512 << 20;
/* What a block streams in its scratchpad: several fit a multiprocessor, and every device gives a
 * block that much without being asked in a special way (48 KiB). */
static const size_t scratchpad_most = 32 << 10;
/* What each reads of its first level: the smallest of those that devices have, besides what the
 * scratchpad takes, is 16 KiB (capability 5.0); half of it stays there beside all else. */
enum { NEAR_BYTES = 8 << 10 };

/* Working sets in quarters of L2, which a ladder goes through. */
static const unsigned quarters[] = {1, 2, 4, 8, 16};
enum { L2_HALF = 2 };

/* PLAIN: reads as programs make them, which may be kept in the first level on their way; PASSING:
 * reads that ask not to be kept there; the others go past it. Published rates of L2 differ by that
 * (7.0 and 4.9 TB/s on two kinds of H100). */
enum where { MEMORY, PLAIN, PASSING, NEAR, SCRATCHPAD };
static const enum gpu_path paths[] = {[MEMORY] = GPU_L2,
                                      [PLAIN] = GPU_L1,
                                      [PASSING] = GPU_NO_ALLOCATE,
                                      [NEAR] = GPU_L1,
                                      [SCRATCHPAD] = GPU_SHARED};
/* How their findings are called. */
static const char *const suffixes[] = {
    [MEMORY] = "", [PLAIN] = ".plain", [PASSING] = ".no_allocate", [NEAR] = "", [SCRATCHPAD] = ""};

struct stream {
    const char *what, *traffic;
    enum gpu_traffic kind;
    enum where where;
    bool ladder; /* L2 too */
};

static const struct stream streams[] = {
    {"bandwidth", "read", GPU_READ, MEMORY, true},
    {"bandwidth", "write", GPU_WRITE, MEMORY, true},
    {"bandwidth", "copy", GPU_COPY, MEMORY, false},
    {"bandwidth by plain loads", "read", GPU_READ, PLAIN, true},
    {"bandwidth by loads that are not kept", "read", GPU_READ, PASSING, true},
    {"first-level bandwidth", "read", GPU_READ, NEAR, false},
    {"scratchpad bandwidth", "read", GPU_READ, SCRATCHPAD, false},
    {"scratchpad bandwidth", "write", GPU_WRITE, SCRATCHPAD, false},
};
enum { STREAMS = sizeof streams / sizeof *streams };

/* --- planning --- */

static struct gpu_work stream_of(const struct stream *stream, size_t bytes)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_STREAM;
    work.path = paths[stream->where];
    work.each = stream->where == NEAR;
    work.traffic = stream->kind;
    work.bytes = bytes;
    return work;
}

/* Rounded to what all multiprocessors can share evenly. */
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

/* The working set that its finding is of, and the only one where there is no ladder. */
static size_t bytes_of(const struct gpu_task *task, const struct stream *stream)
{
    return stream->where == SCRATCHPAD ? scratchpad_bytes(task)
           : stream->where == NEAR     ? NEAR_BYTES
                                       : memory_bytes(task);
}

static void plan_stream(struct gpu_task *task, const struct stream *stream)
{
    const size_t most = bytes_of(task, stream);
    struct gpu_work work = stream_of(stream, most);
    /* OpenCL's loads are plain ones in any case, and its streams go over all multiprocessors. */
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

static void plan_bandwidth(struct gpu_task *task, unsigned stage)
{
    (void)stage;
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
