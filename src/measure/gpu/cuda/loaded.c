/*
 * A chase through device memory while all other multiprocessors make traffic. One block runs on
 * each multiprocessor, because none has room for the scratchpads of two, so the chase has its own
 * one alone and waits for nothing but what all share: the second level, its roads, and memory.
 *
 * Reference: Esmaili-Dokht et al., "A Mess of Memory System Benchmarking, Simulation and
 * Application Profiling", MICRO 2024, whose curves are of latency over traffic by its share of
 * reads.
 */
#include "measure/gpu/cuda/cuda.h"

/* WARM_GROUPS: untimed groups of loads, in which the traffic rises: 256 loads of half a microsecond
 * take longer than a round of the least traffic. THREADS: with fewer registers each than a block of
 * 1024 would leave. LOADS: a repeat's, where traffic is counted. */
enum { THREADS = 512, WARM_GROUPS = 16, LOADS = 64 };
/* See stream.c. */
static const unsigned FILL = 0x9e3779b9;

static const char *refuses_loaded(const struct cuda_gpu *gpu, const struct gpu_work *work)
{
    if (gpu->device->multiprocessors < 2)
        return "has no other multiprocessor that could make traffic";
    if (work->path != GPU_L2 || work->beside < THREADS * PTX_ROUND_BYTES || work->writes > 100)
        return "makes traffic of whole chunks of 64 KiB, beside a chase past the first level";
    return cuda_chase.refuses(gpu, work);
}

static void prepare_loaded(struct cuda_gpu *gpu, uint64_t seed)
{
    struct cuda_job *job = &gpu->job;
    cuda_chase.prepare(gpu, seed);
    const size_t blocks = gpu->device->multiprocessors;
    job->grid = (struct cuda_grid){
        .blocks = (unsigned)(blocks < gpu->result_blocks ? blocks : gpu->result_blocks),
        .threads = THREADS,
        .shared_bytes = gpu->device->shared_bytes};
    job->piece = job->work.beside;
    cuda_function(gpu, ptx_named("loaded"));
    if (cuda_works(gpu) && cuda_allocate(gpu, GPU_ON_DEVICE, 0, job->piece, &job->memory[1]))
        CUDA_TRY(gpu, cuMemsetD32Async, job->memory[1].address, FILL, job->piece / sizeof FILL,
                 gpu->streams[0]);
}

/* The traffic's bytes in the time that the chase took: each block has its own time, from the
 * beginning of a round to that of another. */
static double moved(const struct cuda_gpu *gpu, const uint64_t *seen, double ns)
{
    double bytes = 0;
    for (size_t i = 1; i < gpu->job.grid.blocks; i++) {
        const uint64_t *block = seen + i * PTX_RESULT_WORDS;
        if (block[PTX_NS])
            bytes += (double)(block[PTX_LAST] * PTX_ROUND_BYTES) / (double)block[PTX_NS] * ns;
    }
    return bytes;
}

static void run_loaded(struct cuda_gpu *gpu, uint64_t repeats, uint64_t *did, struct gpu_time *time)
{
    struct cuda_job *job = &gpu->job;
    const bool counts = job->work.action == GPU_STREAM;
    const uint64_t groups = (counts ? repeats * LOADS : repeats + PTX_LOADS - 1) / PTX_LOADS;
    const uint64_t out = gpu->results.address, to = job->memory[1].address, bytes = job->piece,
                   cycles = job->work.round_cycles, writes = job->work.writes;
    const uint64_t parameters[] = {job->place, groups, WARM_GROUPS, out,   to,
                                   to,         bytes,  cycles,      writes};
    const uint64_t *seen =
        cuda_timed(gpu, parameters, sizeof parameters / sizeof *parameters, job->grid.blocks,
                   (double)((groups + WARM_GROUPS) * PTX_LOADS) * CUDA_SLOWEST_LOAD_NS);
    if (!seen)
        return;
    job->place = seen[PTX_LAST];
    *time = (struct gpu_time){(double)seen[PTX_NS], (double)seen[PTX_CYCLES]};
    *did = counts ? (uint64_t)moved(gpu, seen, time->ns) : groups * PTX_LOADS;
}

const struct cuda_kind cuda_loaded = {refuses_loaded, prepare_loaded, run_loaded};
