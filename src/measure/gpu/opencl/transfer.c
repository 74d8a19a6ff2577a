#include "measure/gpu/opencl/opencl.h"

#include "machine/os.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- copies between host and device; both ways at once, one half of the bytes each --- */

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

/* The pinned memory that OpenCL has: what a buffer on the host is mapped to. */
static int map_host(struct opencl_gpu *gpu, size_t bytes, struct error *error)
{
    struct opencl_ready *ready = &gpu->ready;
    int code = opencl_allocate(gpu, true, bytes, &ready->pinned, error);
    if (code)
        return code;
    int32_t status = OPENCL_SUCCESS;
    struct opencl_event *event = NULL;
    ready->host = gpu->api->clEnqueueMapBuffer(gpu->queues[0], ready->pinned, OPENCL_NO_WAIT,
                                               OPENCL_MAP_READ | OPENCL_MAP_WRITE, 0, bytes, 0,
                                               NULL, &event, &status);
    if (!ready->host || status != OPENCL_SUCCESS) {
        ready->host = NULL;
        return opencl_failed("map pinned memory", status, error);
    }
    gpu->api->clFlush(gpu->queues[0]);
    return opencl_finish(gpu, event, NULL, error);
}

static int make_transfer(struct opencl_gpu *gpu, uint64_t seed, struct error *error)
{
    struct opencl_ready *ready = &gpu->ready;
    const struct gpu_work *work = &ready->work;
    size_t piece = piece_of(work);
    int code = 0;
    if (work->pinned)
        code = map_host(gpu, work->bytes, error);
    else if (!(ready->host = malloc(work->bytes)))
        code = error_out_of_memory(error);
    if (code == 0)
        code = opencl_allocate(gpu, false, piece, &ready->memory, error);
    if (code == 0 && goes_both_ways(work))
        code = opencl_allocate(gpu, false, piece, &ready->other, error);
    if (code)
        return code;
    /* Pages that were never touched are not allocated yet, on either side. */
    memset(ready->host, (int)(seed & 0xff), work->bytes);
    code = opencl_write(gpu, ready->memory, 0, piece, ready->host, error);
    if (code == 0 && ready->other)
        code = opencl_write(gpu, ready->other, 0, piece, ready->host + piece, error);
    return code;
}

/* One queue's part of a run of copies: its first and last event; the last is NULL where there is
 * one copy only. */
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

/* Widens the span to that of the event, which it releases. */
static int join_span(struct opencl_gpu *gpu, struct opencl_event *event, struct opencl_span *whole,
                     struct error *error)
{
    if (!event)
        return 0;
    struct opencl_span span;
    int code = opencl_finish(gpu, event, &span, error);
    if (code)
        return code;
    if (span.began_ns < whole->began_ns)
        whole->began_ns = span.began_ns;
    if (span.ended_ns > whole->ended_ns)
        whole->ended_ns = span.ended_ns;
    return 0;
}

/* All events are waited for, whatever comes: an error must not leave copies under way whose memory
 * is then freed. */
static int run_copies(struct opencl_gpu *gpu, struct copies *queued, unsigned count,
                      uint64_t copies, struct opencl_span *span, struct error *error)
{
    int32_t status = OPENCL_SUCCESS;
    for (uint64_t i = 0; i < copies; i++)
        for (unsigned t = 0; t < count && status == OPENCL_SUCCESS; t++)
            status = add_copy(gpu, &queued[t], i == 0, i + 1 == copies);
    int code = status == OPENCL_SUCCESS ? 0 : opencl_failed("copy memory", status, error);
    *span = (struct opencl_span){UINT64_MAX, 0};
    for (unsigned t = 0; t < count; t++) {
        gpu->api->clFlush(queued[t].queue);
        int first = join_span(gpu, queued[t].first, span, code ? NULL : error);
        code = code ? code : first;
        int last = join_span(gpu, queued[t].last, span, code ? NULL : error);
        code = code ? code : last;
    }
    return code;
}

/* The most copies that are under way at once: enough that no queue runs dry, and no more than any
 * driver takes. */
enum { COPIES_AT_ONCE = 32 };

static int copy_some(struct opencl_gpu *gpu, uint64_t copies, double *ns, struct error *error)
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
    struct opencl_span span;
    uint64_t began_ns = os_raw_ns();
    int code = run_copies(gpu, queued, goes_both_ways(&ready->work) ? 2 : 1, copies, &span, error);
    /* With pageable memory the driver's own copy belongs to the transfer, and no event covers it.
     */
    *ns = ready->work.pinned ? (double)span.ended_ns - (double)span.began_ns
                             : (double)(os_raw_ns() - began_ns);
    return code;
}

static int measure_transfer(struct opencl_gpu *gpu, uint64_t repeats, uint64_t *did,
                            struct gpu_time *time, struct error *error)
{
    const struct gpu_work *work = &gpu->ready.work;
    double total_ns = 0;
    for (uint64_t done = 0; done < repeats; done += COPIES_AT_ONCE) {
        uint64_t left = repeats - done;
        double ns;
        int code = copy_some(gpu, left < COPIES_AT_ONCE ? left : COPIES_AT_ONCE, &ns, error);
        if (code)
            return code;
        total_ns += ns;
    }
    *did = repeats * piece_of(work) * (goes_both_ways(work) ? 2 : 1);
    *time = (struct gpu_time){total_ns, (double)NAN};
    return 0;
}

const struct opencl_action opencl_transfer = {refuses_transfer, make_transfer, measure_transfer};

/* --- launches --- */

static const char *refuses_launch(const struct opencl_gpu *gpu, const struct gpu_work *work)
{
    (void)gpu;
    (void)work;
    return NULL;
}

static int make_launch(struct opencl_gpu *gpu, uint64_t seed, struct error *error)
{
    (void)seed;
    int code = opencl_kernel(gpu, "empty", &gpu->ready.kernel, error);
    /* The first one brings the kernel to the device. */
    return code ? code : opencl_execute(gpu, gpu->ready.kernel, 1, 1, NULL, error);
}

static int measure_launch(struct opencl_gpu *gpu, uint64_t repeats, uint64_t *did,
                          struct gpu_time *time, struct error *error)
{
    uint64_t began_ns = os_raw_ns();
    for (uint64_t i = 0; i < repeats; i++) {
        int code = opencl_execute(gpu, gpu->ready.kernel, 1, 1, NULL, error);
        if (code)
            return code;
    }
    *did = repeats;
    *time = (struct gpu_time){(double)(os_raw_ns() - began_ns), (double)NAN};
    return 0;
}

const struct opencl_action opencl_launch = {refuses_launch, make_launch, measure_launch};
