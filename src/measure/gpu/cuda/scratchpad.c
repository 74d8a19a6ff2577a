/* Chases through scratchpads: the multiprocessor's own, or that of another multiprocessor in its
 * cluster. Only the kernel itself can link these rings. */
#include "measure/gpu/cuda/cuda.h"

/* Elements of a ring: addresses in the block's own scratchpad have 32 bits, in another block's 64.
 */
enum { NEAR_BYTES = sizeof(uint32_t), FAR_BYTES = sizeof(uint64_t), WARP = 32 };

/* The largest cluster of any device (16 if it allows large clusters, else 8). */
enum { LARGEST_CLUSTER = 16 };

static struct cuda_grid grid_of(const struct gpu_work *work)
{
    const bool clusters = work->path == GPU_CLUSTER;
    return (struct cuda_grid){.blocks = clusters ? work->cluster_size : 1,
                              .threads = WARP,
                              .cluster = clusters ? work->cluster_size : 0,
                              .shared_bytes = work->bytes};
}

/* The largest cluster depends on the device and on how much of it other programs occupy. */
static const char *refuses_cluster(const struct cuda_gpu *gpu, const struct gpu_work *work,
                                   const struct ptx_kernel *kernel)
{
    const struct cuda_grid grid = grid_of(work);
    if (!gpu->library->calls.cuLaunchKernelEx)
        return "needs a driver of CUDA 11.8 or later";
    if (work->cluster_size < 1 || work->cluster_size > LARGEST_CLUSTER)
        return "has clusters of 1 to 16 multiprocessors";
    if (work->rank >= work->cluster_size)
        return "needs a rank within the cluster";
    if (!cuda_has_room_for_cluster(gpu, kernel, &grid))
        return "has no clusters of that size here";
    return NULL;
}

static const char *refuses_scratchpad(const struct cuda_gpu *gpu, const struct gpu_work *work)
{
    const struct ptx_kernel *kernel = ptx_chase(work->path, work->width_bits, work->before);
    size_t element = work->path == GPU_CLUSTER ? FAR_BYTES : NEAR_BYTES;
    if (!kernel || work->before != GPU_ITSELF)
        return "has no loads of that width by this path";
    if (kernel->least_capability > gpu->device->capability)
        return "needs capability 9.0";
    if (work->stride < element || work->stride % element != 0)
        return "needs a stride in whole elements";
    if (work->path == GPU_SHARED_WARP && work->multiprocessor >= 0)
        return "has such loads on any multiprocessor";
    if (work->path == GPU_SHARED_WARP && work->bytes / WARP < work->stride)
        return "needs a stride for each of 32 threads";
    if (work->bytes < work->stride)
        return "needs a working set of at least one stride";
    if (work->offset || work->span)
        return "has no offsets in the scratchpad";
    if (work->bytes > gpu->device->shared_bytes)
        return "has less scratchpad for one block";
    return work->path == GPU_CLUSTER ? refuses_cluster(gpu, work, kernel) : NULL;
}

static void prepare_scratchpad(struct cuda_gpu *gpu, uint64_t seed)
{
    struct cuda_job *job = &gpu->job;
    job->grid = grid_of(&job->work);
    /* The kernel's seed has 32 bits, and 0 would mean the strided order. */
    job->seed = job->work.order == GPU_RANDOM ? (uint32_t)seed | 1 : 0;
    cuda_function(gpu, ptx_chase(job->work.path, job->work.width_bits, GPU_ITSELF));
}

static void run_scratchpad(struct cuda_gpu *gpu, uint64_t repeats, uint64_t *did,
                           struct gpu_time *time)
{
    struct cuda_job *job = &gpu->job;
    const bool warp = job->work.path == GPU_SHARED_WARP;
    uint64_t groups = (repeats + PTX_LOADS - 1) / PTX_LOADS;
    const uint64_t of_warp[] = {groups, 1, gpu->results.address, job->work.stride};
    /* start, groups, warm, out, sm, bytes, stride, seed; for clusters also rank. */
    const uint64_t parameters[] = {
        job->place,
        groups,
        1,
        gpu->results.address,
        (uint64_t)(int64_t)job->work.multiprocessor,
        job->work.bytes,
        job->work.stride,
        job->seed,
        job->work.rank,
    };
    /* The kernel also links the ring, with a few accesses for each element. */
    double loads =
        (double)groups * (double)PTX_LOADS + 8 * (double)(job->work.bytes / job->work.stride);
    if (cuda_follow(gpu, warp ? of_warp : parameters,
                    warp ? sizeof of_warp / sizeof *of_warp
                         : sizeof parameters / sizeof *parameters,
                    loads * CUDA_SLOWEST_LOAD_NS, time))
        *did = groups * PTX_LOADS;
}

const struct cuda_kind cuda_scratchpad = {refuses_scratchpad, prepare_scratchpad, run_scratchpad};
