/*
 * Transfers: copies by the device's copy engines, between the host and a device, or from one device
 * to another, timed by events on the device.
 *
 * Both ways at once moves one half of `bytes` in each direction, on a queue of its own each. That
 * takes pinned memory: a call that copies from the device to pageable memory returns when it has
 * done so, whatever its queue (CUDA Driver API, "API synchronization behavior"), so the one host
 * thread would wait for one copy before it asks for the next.
 */
#include "measure/gpu/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

/* The driver blocks when too many copies wait; and a wait has to end in a second or so. */
static const uint64_t MOST_QUEUED = 64;
static const uint64_t MOST_QUEUED_BYTES = (uint64_t)1 << 30;

enum { BEGIN, JOIN, END }; /* gpu->events */

static const char *refuses_transfer(const struct cuda_gpu *gpu, const struct gpu_work *work)
{
    (void)gpu;
    if (work->bytes < 2)
        return "needs at least 2 bytes to copy";
    if (work->direction == GPU_BOTH_WAYS && !work->pinned)
        return "needs pinned memory: a copy to pageable memory ends before the call for it "
               "returns, so none goes beside it";
    return NULL;
}

/* Touched, so that pages are there; not zero, or they would all be one. */
static int make_pageable(struct cuda_job *job, struct error *error)
{
    job->pageable = malloc(job->work.bytes);
    if (!job->pageable)
        return error_out_of_memory(error);
    memset(job->pageable, 1, job->work.bytes);
    return 0;
}

static int prepare_transfer(struct cuda_gpu *gpu, uint64_t seed, struct error *error)
{
    struct cuda_job *job = &gpu->job;
    const struct gpu_work *work = &job->work;
    (void)seed;
    job->piece = work->direction == GPU_BOTH_WAYS ? work->bytes / 2 : work->bytes;
    int code = cuda_allocate(gpu, GPU_ON_DEVICE, 0, work->bytes, &job->memory[0], error);
    if (code < 0)
        return code;
    if (work->direction == GPU_TO_PEER)
        return cuda_allocate(gpu, GPU_ON_PEER, work->peer, work->bytes, &job->memory[1], error);
    if (!work->pinned)
        return make_pageable(job, error);
    code = cuda_allocate(gpu, GPU_ON_HOST, 0, work->bytes, &job->memory[1], error);
    if (code == 0)
        memset(job->memory[1].host, 1, work->bytes);
    return code;
}

static int queue_copy(struct cuda_gpu *gpu, struct error *error)
{
    const struct cuda_job *job = &gpu->job;
    const struct gpu_work *work = &job->work;
    unsigned char *host = job->pageable ? job->pageable : job->memory[1].host;
    uint64_t device = job->memory[0].address;
    size_t piece = job->piece;
    if (work->direction == GPU_TO_PEER)
        return CUDA_TRY(gpu, error, cuMemcpyPeerAsync, job->memory[1].address,
                        gpu->peers[work->peer], device, gpu->context, piece, gpu->streams[0]);
    int code = 0;
    if (work->direction != GPU_TO_HOST)
        code = CUDA_TRY(gpu, error, cuMemcpyHtoDAsync, device, host, piece, gpu->streams[0]);
    /* The other half, on the other queue; or all, on the only one. */
    bool both = work->direction == GPU_BOTH_WAYS;
    if (code == 0 && work->direction != GPU_TO_DEVICE)
        code = CUDA_TRY(gpu, error, cuMemcpyDtoHAsync, host + (both ? piece : 0),
                        device + (both ? piece : 0), piece, gpu->streams[both]);
    return code;
}

/* The second queue begins with the first and the first ends with the second. */
static int queue_copies(struct cuda_gpu *gpu, uint64_t copies, struct error *error)
{
    bool both = gpu->job.work.direction == GPU_BOTH_WAYS;
    int code = CUDA_TRY(gpu, error, cuEventRecord, gpu->events[BEGIN], gpu->streams[0]);
    if (code == 0 && both)
        code = CUDA_TRY(gpu, error, cuStreamWaitEvent, gpu->streams[1], gpu->events[BEGIN], 0);
    for (uint64_t i = 0; code == 0 && i < copies; i++)
        code = queue_copy(gpu, error);
    if (code == 0 && both)
        code = CUDA_TRY(gpu, error, cuEventRecord, gpu->events[JOIN], gpu->streams[1]);
    if (code == 0 && both)
        code = CUDA_TRY(gpu, error, cuStreamWaitEvent, gpu->streams[0], gpu->events[JOIN], 0);
    if (code == 0)
        code = CUDA_TRY(gpu, error, cuEventRecord, gpu->events[END], gpu->streams[0]);
    return code;
}

static int run_transfer(struct cuda_gpu *gpu, uint64_t repeats, uint64_t *did,
                        struct gpu_time *time, struct error *error)
{
    size_t moved = gpu->job.piece * (gpu->job.work.direction == GPU_BOTH_WAYS ? 2 : 1);
    uint64_t most = MOST_QUEUED_BYTES / moved;
    most = most < 1 ? 1 : most > MOST_QUEUED ? MOST_QUEUED : most;
    double ns = 0;
    for (uint64_t left = repeats; left;) {
        uint64_t copies = left < most ? left : most;
        float ms = 0;
        int code = queue_copies(gpu, copies, error);
        if (code == 0)
            code = cuda_wait(gpu, (double)(copies * moved) * CUDA_SLOWEST_BYTE_NS, error);
        if (code == 0)
            code =
                CUDA_TRY(gpu, error, cuEventElapsedTime, &ms, gpu->events[BEGIN], gpu->events[END]);
        if (code < 0)
            return code;
        ns += (double)ms * 1e6;
        left -= copies;
    }
    time->ns = ns;
    *did = moved * repeats;
    return 0;
}

const struct cuda_kind cuda_transfer = {refuses_transfer, prepare_transfer, run_transfer};
