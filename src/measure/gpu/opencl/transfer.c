#include "measure/gpu/opencl/opencl.h"

#include "machine/os.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- copies between host and device; GPU_BOTH_WAYS: one half of the bytes in each direction --- */

static bool goes_both_ways(const struct gpu_work *work)
{
    return work->direction == GPU_BOTH_WAYS;
}

/* Bytes of one copy. */
static size_t piece_of(const struct gpu_work *work)
{
    return goes_both_ways(work) ? work->bytes / 2 : work->bytes;
}

static const char *refuses_transfer(const struct opencl_gpu *gpu, const struct gpu_work *work)
{
    if (work->direction == GPU_TO_PEER)
        return "needs CUDA: OpenCL copies between devices by way of the host";
    if (work->bytes < 2)
        return "needs at least 2 bytes to copy";
    if (work->bytes > gpu->limits.buffer_bytes)
        return "needs more memory than one OpenCL buffer may have on this device";
    return NULL;
}

/* OpenCL's pinned memory is the mapping of a buffer on the host. */
static void map_host(struct opencl_gpu *gpu, size_t bytes)
{
    struct opencl_ready *ready = &gpu->ready;
    opencl_allocate(gpu, true, bytes, &ready->pinned);
    if (!ready->pinned)
        return;
    int32_t status = OPENCL_SUCCESS;
    struct opencl_event *event = NULL;
    void *host = gpu->api->clEnqueueMapBuffer(gpu->queues[0], ready->pinned, OPENCL_NO_WAIT,
                                              OPENCL_MAP_READ | OPENCL_MAP_WRITE, 0, bytes, 0, NULL,
                                              &event, &status);
    if (!opencl_made(gpu, "map pinned memory", host, status))
        return;
    ready->host = host;
    gpu->api->clFlush(gpu->queues[0]);
    opencl_finish(gpu, event, NULL);
}

static void make_transfer(struct opencl_gpu *gpu, uint64_t seed)
{
    struct opencl_ready *ready = &gpu->ready;
    const struct gpu_work *work = &ready->work;
    size_t piece = piece_of(work);
    if (work->pinned)
        map_host(gpu, work->bytes);
    else if (!(ready->host = malloc(work->bytes)))
        error_out_of_memory(&gpu->failure);
    opencl_allocate(gpu, false, piece, &ready->memory);
    if (goes_both_ways(work))
        opencl_allocate(gpu, false, piece, &ready->other);
    if (!opencl_works(gpu))
        return;
    /* Touched on both sides, because pages are allocated at the first touch. */
    memset(ready->host, (int)(seed & 0xff), work->bytes);
    opencl_write(gpu, ready->memory, piece, ready->host);
    if (ready->other)
        opencl_write(gpu, ready->other, piece, ready->host + piece);
}

/* One queue's copies, with the events of the first and last copy; `last` is NULL if there is only
 * one. */
struct copies {
    bool to_host;
    struct opencl_queue *queue;
    struct opencl_memory *memory;
    unsigned char *host;
    struct opencl_event *first, *last;
};

static int32_t add_copy(struct opencl_gpu *gpu, struct copies *copies, bool is_first, bool is_last)
{
    struct opencl_event **event = is_first ? &copies->first : is_last ? &copies->last : NULL;
    size_t bytes = piece_of(&gpu->ready.work);
    return copies->to_host
               ? gpu->api->clEnqueueReadBuffer(copies->queue, copies->memory, OPENCL_NO_WAIT, 0,
                                               bytes, copies->host, 0, NULL, event)
               : gpu->api->clEnqueueWriteBuffer(copies->queue, copies->memory, OPENCL_NO_WAIT, 0,
                                                bytes, copies->host, 0, NULL, event);
}

/* Waits for all events even after an error, because the copies' memory may be freed next. */
static struct opencl_span run_copies(struct opencl_gpu *gpu, struct copies *queued, unsigned count,
                                     uint64_t copies)
{
    struct opencl_span whole = {UINT64_MAX, 0};
    for (uint64_t i = 0; i < copies; i++)
        for (unsigned t = 0; t < count && opencl_works(gpu); t++)
            opencl_check(gpu, "copy memory", add_copy(gpu, &queued[t], i == 0, i + 1 == copies));
    for (unsigned t = 0; t < count; t++) {
        struct opencl_event *const events[] = {queued[t].first, queued[t].last};
        gpu->api->clFlush(queued[t].queue);
        for (int i = 0; i < 2; i++) {
            struct opencl_span span = whole;
            if (events[i])
                opencl_finish(gpu, events[i], &span);
            whole.began_ns = span.began_ns < whole.began_ns ? span.began_ns : whole.began_ns;
            whole.ended_ns = span.ended_ns > whole.ended_ns ? span.ended_ns : whole.ended_ns;
        }
    }
    return whole;
}

/* The most copies queued at once: enough that no queue is idle, and few enough for every driver. */
enum { COPIES_AT_ONCE = 32 };

static double copy_some(struct opencl_gpu *gpu, uint64_t copies)
{
    struct opencl_ready *ready = &gpu->ready;
    struct copies queued[2] = {
        {
            .to_host = ready->work.direction == GPU_TO_HOST,
            .queue = gpu->queues[0],
            .memory = ready->memory,
            .host = ready->host,
        },
        {
            .to_host = true,
            .queue = gpu->queues[1],
            .memory = ready->other,
            .host = ready->host + piece_of(&ready->work),
        },
    };
    uint64_t began_ns = os_raw_ns();
    const struct opencl_span span =
        run_copies(gpu, queued, goes_both_ways(&ready->work) ? 2 : 1, copies);
    /* A transfer of pageable memory includes the driver's own copy, which no event covers, so the
     * host's clock is used. */
    return ready->work.pinned ? (double)span.ended_ns - (double)span.began_ns
                              : (double)(os_raw_ns() - began_ns);
}

static void measure_transfer(struct opencl_gpu *gpu, uint64_t repeats, uint64_t *did,
                             struct gpu_time *time)
{
    const struct gpu_work *work = &gpu->ready.work;
    double total_ns = 0;
    for (uint64_t done = 0; done < repeats && opencl_works(gpu); done += COPIES_AT_ONCE) {
        uint64_t left = repeats - done;
        total_ns += copy_some(gpu, left < COPIES_AT_ONCE ? left : COPIES_AT_ONCE);
    }
    *did = repeats * piece_of(work) * (goes_both_ways(work) ? 2 : 1);
    *time = (struct gpu_time){total_ns, (double)NAN};
}

const struct opencl_action opencl_transfer = {refuses_transfer, make_transfer, measure_transfer};

/* --- launches --- */

static void make_launch(struct opencl_gpu *gpu, uint64_t seed)
{
    opencl_kernel(gpu, "empty", &gpu->ready.kernel);
    /* The first launch loads the kernel into the device. */
    opencl_execute(gpu, gpu->ready.kernel, NULL, 0, 1, 1, NULL);
}

static void measure_launch(struct opencl_gpu *gpu, uint64_t repeats, uint64_t *did,
                           struct gpu_time *time)
{
    uint64_t began_ns = os_raw_ns();
    for (uint64_t i = 0; i < repeats; i++)
        opencl_execute(gpu, gpu->ready.kernel, NULL, 0, 1, 1, NULL);
    *did = repeats;
    *time = (struct gpu_time){(double)(os_raw_ns() - began_ns), (double)NAN};
}

const struct opencl_action opencl_launch = {NULL, make_launch, measure_launch};
