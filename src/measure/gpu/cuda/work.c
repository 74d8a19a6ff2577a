#include "measure/gpu/cuda/cuda.h"

#include <math.h>
#include <stdlib.h>

static const struct cuda_kind *kind_of(const struct gpu_work *work)
{
    if (work->beside)
        return &cuda_loaded;
    switch (work->action) {
    case GPU_CHASE:
        return work->path == GPU_SHARED || work->path == GPU_SHARED_ATOMIC ||
                       work->path == GPU_SHARED_WARP || work->path == GPU_CLUSTER
                   ? &cuda_scratchpad
                   : &cuda_chase;
    case GPU_STREAM:
        return &cuda_stream;
    case GPU_TRANSFER:
        return work->together ? &cuda_together : &cuda_transfer;
    case GPU_LAUNCH:
        break;
    }
    return &cuda_empty;
}

/* If the driver does not answer, opening the peer reports the reason. */
static const char *refuses_home(const struct cuda_gpu *gpu, const struct gpu_work *work)
{
    const struct cuda_library *library = gpu->library;
    bool to_peer = work->action == GPU_TRANSFER && work->direction == GPU_TO_PEER;
    bool on_peer = work->action != GPU_TRANSFER && work->home == GPU_ON_PEER;
    int can = 0;
    const bool other =
        work->peer >= 0 && (size_t)work->peer < library->count && work->peer != (int)gpu->index;
    if ((to_peer || on_peer) && !other)
        return "needs another device";
    if (on_peer &&
        library->calls.cuDeviceCanAccessPeer(&can, gpu->device->handle,
                                             library->devices[work->peer].handle) == 0 &&
        !can)
        return "can't reach the memory of that device";
    return work->home > GPU_ON_PEER ? cuda_refuses_placed(gpu, work) : NULL;
}

const char *cuda_refuses(const struct gpu *started, const struct gpu_work *work)
{
    const struct cuda_gpu *gpu = (const struct cuda_gpu *)started;
    if (work->multiprocessor >= (int)gpu->device->multiprocessors)
        return "has no multiprocessor of that number";
    if (work->carve_out < -1 || work->carve_out > 100)
        return "takes a share of 0 to 100 per cent as scratchpad";
    if (work->span && (work->span < work->bytes || work->span - work->bytes < work->offset))
        return "needs a longer span for that offset";
    const char *why = refuses_home(gpu, work);
    return why || !kind_of(work)->refuses ? why : kind_of(work)->refuses(gpu, work);
}

int cuda_prepare(struct gpu *started, const struct gpu_work *work, uint64_t seed,
                 struct error *error)
{
    struct cuda_gpu *gpu = (struct cuda_gpu *)started;
    const char *why = cuda_refuses(started, work);
    if (why && !gpu->lost.code)
        return error_set(error, ERROR_IMPOSSIBLE, "gpu%u: %s", gpu->index, why);
    if (!cuda_enter(gpu))
        return cuda_outcome(gpu, error);
    cuda_drop(gpu);
    if (work->action != GPU_TRANSFER)
        cuda_part(gpu);
    /* Freeing a peer's memory changes the current context, and changing it back can fail. */
    if (!cuda_enter(gpu))
        return cuda_outcome(gpu, error);
    gpu->job = (struct cuda_job){.work = *work, .fresh = true};
    kind_of(work)->prepare(gpu, seed);
    gpu->job.ready = cuda_works(gpu);
    /* A lost device's memory is freed, if possible, when it is stopped. */
    if (!cuda_works(gpu) && !gpu->lost.code)
        cuda_drop(gpu);
    return cuda_outcome(gpu, error);
}

int cuda_run(struct gpu *started, const struct gpu_work *work, uint64_t repeats, uint64_t *did,
             struct gpu_time *time, struct error *error)
{
    struct cuda_gpu *gpu = (struct cuda_gpu *)started;
    *did = 0;
    *time = (struct gpu_time){NAN, NAN};
    if (cuda_enter(gpu) && gpu->job.ready) {
        kind_of(work)->run(gpu, repeats ? repeats : 1, did, time);
        gpu->job.fresh = false;
    } else {
        cuda_fail(gpu, "no work is prepared");
    }
    return cuda_outcome(gpu, error);
}

void cuda_drop(struct cuda_gpu *gpu)
{
    struct cuda_job *job = &gpu->job;
    if (job->texture)
        gpu->library->calls.cuTexObjectDestroy(job->texture);
    for (size_t i = 0; i < sizeof job->memory / sizeof *job->memory; i++)
        cuda_free(gpu, &job->memory[i]);
    free(job->pageable);
    *job = (struct cuda_job){0};
}

/* --- an empty kernel, by the host's clock --- */

static void launch_empty(struct cuda_gpu *gpu)
{
    cuda_launch(gpu, gpu->job.function, &gpu->job.grid, NULL, 0);
    cuda_wait(gpu, 0);
}

static void prepare_empty(struct cuda_gpu *gpu, uint64_t seed)
{
    gpu->job.grid = (struct cuda_grid){.blocks = 1, .threads = 1};
    cuda_function(gpu, ptx_named("empty"));
    /* The driver may put off loading a kernel until it is launched for the first time. */
    launch_empty(gpu);
}

static void run_empty(struct cuda_gpu *gpu, uint64_t repeats, uint64_t *did, struct gpu_time *time)
{
    uint64_t began = gpu->library->host_ns();
    for (uint64_t i = 0; i < repeats && cuda_works(gpu); i++)
        launch_empty(gpu);
    if (!cuda_works(gpu))
        return;
    time->ns = (double)(gpu->library->host_ns() - began);
    *did = repeats;
}

const struct cuda_kind cuda_empty = {NULL, prepare_empty, run_empty};
