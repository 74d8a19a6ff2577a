/*
 * Streams: all multiprocessors read, write or copy at once, in device memory (or the second-level
 * cache, if the working set fits), or each in its own scratchpad.
 *
 * A copy reads one half of the working set and writes the other, so that for any traffic `bytes` is
 * both what is moved and what the caches hold.
 */
#include "measure/gpu/cuda/cuda.h"

enum {
    WARP = 32,
    THREADS = 256,         /* of a block on device memory */
    SHARED_THREADS = 1024, /* in scratchpad: only few blocks fit on a multiprocessor */
};

/* Fills memory. An arbitrary number with mixed bits, because moving zeros may take less power than
 * moving data and so allow a higher clock. */
static const unsigned FILL = 0x9e3779b9;

static bool in_scratchpad(const struct gpu_work *work)
{
    return work->path == GPU_SHARED;
}

/* Whether every block moves all of the bytes. */
static bool by_each(const struct gpu_work *work)
{
    return work->each || in_scratchpad(work);
}

/* Bytes read, bytes written, or both if the traffic is a copy. */
static size_t half_of(const struct gpu_work *work)
{
    return work->traffic == GPU_COPY ? work->bytes / 2 : work->bytes;
}

static unsigned threads_for(const struct gpu_work *work)
{
    size_t most = in_scratchpad(work) ? SHARED_THREADS : THREADS;
    size_t can = half_of(work) / PTX_ROUND_BYTES / WARP * WARP;
    return (unsigned)(can < most ? can : most);
}

/* Stores have only one path. Copies use it too, because their loads need not stay in the first
 * level. */
static const struct ptx_kernel *kernel_of(const struct gpu_work *work)
{
    const bool read = work->traffic == GPU_READ;
    return ptx_stream(work->traffic, in_scratchpad(work) || read ? work->path : GPU_L2,
                      by_each(work));
}

static const char *refuses_stream(const struct cuda_gpu *gpu, const struct gpu_work *work)
{
    const struct ptx_kernel *kernel = kernel_of(work);
    if (!kernel)
        return "has no streams by this path";
    if (kernel->least_capability > gpu->device->capability)
        return "needs capability 7.0";
    if (kernel->least_capability == PTX_BESIDE && gpu->device->capability < 90 &&
        !gpu->module_beside)
        return "needs a driver of CUDA 11.4 or later";
    if (threads_for(work) == 0)
        return "streams at least 4 KiB, and copies at least 8 KiB";
    if (work->multiprocessor >= 0)
        return "streams on all multiprocessors at once";
    if (work->offset % (2 * sizeof(uint64_t)) != 0)
        return "needs an offset in multiples of 16 bytes";
    if (in_scratchpad(work) && work->bytes > gpu->device->shared_bytes)
        return "has less scratchpad for one block";
    return NULL;
}

/* As many blocks as run at once: more would begin only when others end. */
static void fill_device(struct cuda_gpu *gpu)
{
    struct cuda_grid *grid = &gpu->job.grid;
    int blocks = 0;
    if (!CUDA_TRY(gpu, cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, gpu->job.function,
                  (int)grid->threads, grid->shared_bytes))
        return;
    if (blocks < 1)
        cuda_fail(gpu,
                  "not one block of %u threads and %zu bytes of scratchpad fits on a "
                  "multiprocessor: ask for less",
                  grid->threads, grid->shared_bytes);
    const size_t all = (size_t)blocks * gpu->device->multiprocessors;
    grid->blocks = (unsigned)(all < gpu->result_blocks ? all : gpu->result_blocks);
}

static const uint64_t *launch(struct cuda_gpu *gpu, uint64_t repeats)
{
    const struct cuda_job *job = &gpu->job;
    bool copy = job->work.traffic == GPU_COPY;
    /* to, from, bytes, repeats, out. */
    const uint64_t parameters[] = {job->base + (copy ? job->piece : 0), job->base, job->piece,
                                   repeats, gpu->results.address};
    double bytes =
        (double)job->piece * (double)repeats * (by_each(&job->work) ? job->grid.blocks : 1);
    return cuda_timed(gpu, parameters, sizeof parameters / sizeof *parameters, job->grid.blocks,
                      bytes * CUDA_SLOWEST_BYTE_NS);
}

static void prepare_stream(struct cuda_gpu *gpu, uint64_t seed)
{
    struct cuda_job *job = &gpu->job;
    const struct gpu_work *work = &job->work;
    (void)seed; /* the order is fixed */
    job->grid.threads = threads_for(work);
    job->grid.shared_bytes = in_scratchpad(work) ? work->bytes : 0;
    size_t chunk = job->grid.threads * PTX_ROUND_BYTES;
    job->piece = half_of(work) / chunk * chunk;
    cuda_function(gpu, kernel_of(work));
    fill_device(gpu);
    if (!in_scratchpad(work) && cuda_works(gpu)) {
        cuda_place(gpu);
        CUDA_TRY(gpu, cuMemsetD32Async, job->base, FILL, work->bytes / sizeof FILL,
                 gpu->streams[0]);
    }
    /* One pass, so that the first timed pass finds caches and TLBs as every later one does. */
    if (cuda_works(gpu))
        launch(gpu, 1);
}

/* From the first block's beginning to the last block's end. Cycles are that time multiplied by the
 * mean clock of all blocks. */
static struct gpu_time time_of(const uint64_t *seen, size_t blocks)
{
    uint64_t began = UINT64_MAX, ended = 0;
    double ns = 0, cycles = 0;
    for (size_t i = 0; i < blocks; i++, seen += PTX_RESULT_WORDS) {
        began = seen[PTX_BEGAN_NS] < began ? seen[PTX_BEGAN_NS] : began;
        ended = seen[PTX_ENDED_NS] > ended ? seen[PTX_ENDED_NS] : ended;
        ns += (double)seen[PTX_NS];
        cycles += (double)seen[PTX_CYCLES];
    }
    double all = (double)(ended - began);
    return (struct gpu_time){all, all * (cycles / ns)};
}

static void run_stream(struct cuda_gpu *gpu, uint64_t repeats, uint64_t *did, struct gpu_time *time)
{
    const struct cuda_job *job = &gpu->job;
    const uint64_t *seen = launch(gpu, repeats);
    if (!seen)
        return;
    *time = time_of(seen, job->grid.blocks);
    *did = job->piece * repeats * (job->work.traffic == GPU_COPY ? 2 : 1);
    if (by_each(&job->work))
        *did *= job->grid.blocks;
}

const struct cuda_kind cuda_stream = {refuses_stream, prepare_stream, run_stream};
