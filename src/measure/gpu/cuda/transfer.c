/*
 * Transfers: copies by the device's copy engines, between the host and a device, or from one device
 * to another, timed by events on the device.
 *
 * GPU_BOTH_WAYS moves one half of `bytes` in each direction, on two queues. It needs pinned memory:
 * a call that copies from the device to pageable memory returns only when the copy is done, on any
 * queue (CUDA Driver API, "API synchronization behavior"), so the host's only thread could not
 * start a second copy meanwhile.
 */
#include "measure/gpu/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

/* The driver blocks if too many copies are queued, and a wait has to end within about a second. */
static const uint64_t MOST_QUEUED = 64;
static const uint64_t MOST_QUEUED_BYTES = (uint64_t)1 << 30;

enum { BEGIN, JOIN, END }; /* gpu->events */

static const char *refuses_transfer(const struct cuda_gpu *gpu, const struct gpu_work *work)
{
    if (work->bytes < 2)
        return "needs at least 2 bytes to copy";
    if (work->direction == GPU_BOTH_WAYS && !work->pinned)
        return "needs pinned memory: a copy to pageable memory ends before the call for it "
               "returns, so no other copy can overlap it";
    return NULL;
}

static void prepare_transfer(struct cuda_gpu *gpu, uint64_t seed)
{
    struct cuda_job *job = &gpu->job;
    const struct gpu_work *work = &job->work;
    void *host = NULL;
    job->piece = work->direction == GPU_BOTH_WAYS ? work->bytes / 2 : work->bytes;
    if (!cuda_allocate(gpu, GPU_ON_DEVICE, 0, work->bytes, &job->memory[0]))
        return;
    if (work->direction == GPU_TO_PEER)
        cuda_allocate(gpu, GPU_ON_PEER, work->peer, work->bytes, &job->memory[1]);
    else if (work->pinned && cuda_allocate(gpu, GPU_ON_HOST, 0, work->bytes, &job->memory[1]))
        host = job->memory[1].host;
    else if (!work->pinned && !(host = job->pageable = malloc(work->bytes)))
        cuda_fail_memory(gpu);
    if (host) /* touched, so that pages are allocated; not with zeros, which could share one page */
        memset(host, 1, work->bytes);
}

static void queue_copy(struct cuda_gpu *gpu)
{
    const struct cuda_job *job = &gpu->job;
    const struct gpu_work *work = &job->work;
    unsigned char *host = job->pageable ? job->pageable : job->memory[1].host;
    uint64_t device = job->memory[0].address;
    size_t piece = job->piece;
    if (work->direction == GPU_TO_PEER) {
        CUDA_TRY(gpu, cuMemcpyPeerAsync, job->memory[1].address, gpu->peers[work->peer], device,
                 gpu->context, piece, gpu->streams[0]);
        return;
    }
    if (work->direction != GPU_TO_HOST)
        CUDA_TRY(gpu, cuMemcpyHtoDAsync, device, host, piece, gpu->streams[0]);
    /* If copies go both ways, the device's second half goes to the host on the second queue;
     * otherwise all copies use the first queue. */
    bool both = work->direction == GPU_BOTH_WAYS;
    if (work->direction != GPU_TO_DEVICE)
        CUDA_TRY(gpu, cuMemcpyDtoHAsync, host + (both ? piece : 0), device + (both ? piece : 0),
                 piece, gpu->streams[both]);
}

static void run_transfer(struct cuda_gpu *gpu, uint64_t repeats, uint64_t *did,
                         struct gpu_time *time)
{
    size_t moved = gpu->job.piece * (gpu->job.work.direction == GPU_BOTH_WAYS ? 2 : 1);
    uint64_t most = MOST_QUEUED_BYTES / moved;
    most = most < 1 ? 1 : most > MOST_QUEUED ? MOST_QUEUED : most;
    double ns = 0;
    for (uint64_t left = repeats, copies; left && cuda_works(gpu); left -= copies) {
        float ms = 0;
        copies = left < most ? left : most;
        /* The second queue waits for the first one's begin, and the first one's end for the second.
         */
        const bool both = gpu->job.work.direction == GPU_BOTH_WAYS;
        CUDA_TRY(gpu, cuEventRecord, gpu->events[BEGIN], gpu->streams[0]);
        if (both)
            CUDA_TRY(gpu, cuStreamWaitEvent, gpu->streams[1], gpu->events[BEGIN], 0);
        for (uint64_t i = 0; i < copies; i++)
            queue_copy(gpu);
        if (both) {
            CUDA_TRY(gpu, cuEventRecord, gpu->events[JOIN], gpu->streams[1]);
            CUDA_TRY(gpu, cuStreamWaitEvent, gpu->streams[0], gpu->events[JOIN], 0);
        }
        CUDA_TRY(gpu, cuEventRecord, gpu->events[END], gpu->streams[0]);
        cuda_wait(gpu, (double)(copies * moved) * CUDA_SLOWEST_BYTE_NS);
        CUDA_TRY(gpu, cuEventElapsedTime, &ms, gpu->events[BEGIN], gpu->events[END]);
        ns += (double)ms * 1e6;
    }
    if (!cuda_works(gpu))
        return;
    time->ns = ns;
    *did = moved * repeats;
}

const struct cuda_kind cuda_transfer = {refuses_transfer, prepare_transfer, run_transfer};
