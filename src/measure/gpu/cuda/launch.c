#include "measure/gpu/cuda/cuda.h"

#include "machine/os.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A wait ends this much later than expected, so that a display's watchdog, which ends kernels after
 * 2 to 5 s, reports first. */
static const double LIMIT_NS = 5e9;
/* A wait sleeps only after this time, because a sleep takes 50 us and more. */
static const uint64_t SPIN_NS = 200000;
static const long SLEEP_NS = 50000;
/* A wait counts at most this much time between two polls. If more passed, the program was stopped
 * or the machine suspended, and perhaps the device did nothing either. */
static const uint64_t LONGEST_STEP_NS = 100000000;
/* The most dynamic shared memory that a block may have without a function attribute. */
static const size_t SHARED_FOR_ALL = 48 << 10;
/* Linking and sweeping: enough threads for the memory's bandwidth, but so few that a sweep loads a
 * ring about in its order. */
enum { HELPER_BLOCKS_PER_MULTIPROCESSOR = 2, HELPER_THREADS = 256 };
/* Every device with clusters has clusters up to this size. */
enum { CLUSTER_FOR_ALL = 8 };

bool cuda_enter(struct cuda_gpu *gpu)
{
    gpu->failure = gpu->lost;
    return CUDA_TRY(gpu, cuCtxSetCurrent, gpu->context);
}

void cuda_come_back(struct cuda_gpu *gpu)
{
    if (!gpu->stuck)
        cuda_check(gpu, "cuCtxSetCurrent", gpu->library->calls.cuCtxSetCurrent(gpu->context));
}

static void give_up(struct cuda_gpu *gpu, double waited_ns)
{
    gpu->stuck = true;
    cuda_fail(gpu,
              "a launch still runs after %.1f s: nothing more is asked of the device; look for Xid "
              "in dmesg and at nvidia-smi",
              waited_ns / 1e9);
    gpu->lost = gpu->failure;
}

/* Whether one of these streams still has work to do. */
static bool is_busy(struct cuda_gpu *gpu, void *const *streams, size_t count)
{
    for (size_t i = 0; i < count && cuda_works(gpu); i++) {
        const int result = gpu->library->calls.cuStreamQuery(streams[i]);
        if (result == CUDA_NOT_READY)
            return true;
        cuda_check(gpu, "cuStreamQuery", result);
    }
    return false;
}

static void wait_for_all(struct cuda_gpu *gpu, void *const *streams, size_t count,
                         double expected_ns)
{
    uint64_t waited = 0, last = os_raw_ns();
    while (is_busy(gpu, streams, count)) {
        if ((double)waited > expected_ns + LIMIT_NS) {
            give_up(gpu, (double)waited);
            return;
        }
        if (waited > SPIN_NS)
            nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
        uint64_t now = os_raw_ns(), step = now - last;
        waited += step < LONGEST_STEP_NS ? step : LONGEST_STEP_NS;
        last = now;
    }
}

void cuda_wait(struct cuda_gpu *gpu, double expected_ns)
{
    const struct gpu_work *work = &gpu->job.work;
    /* Only copies both ways use the second queue. Polling an idle queue would add a call of the
     * driver to a launch's time. */
    const bool both = work->action == GPU_TRANSFER && work->direction == GPU_BOTH_WAYS;
    wait_for_all(gpu, gpu->streams, both ? sizeof gpu->streams / sizeof *gpu->streams : 1,
                 expected_ns);
}

void cuda_wait_for(struct cuda_gpu *gpu, void *context, void *stream, double expected_ns)
{
    if (CUDA_TRY(gpu, cuCtxSetCurrent, context))
        wait_for_all(gpu, &stream, 1, expected_ns);
    cuda_come_back(gpu);
}

void cuda_send(struct cuda_gpu *gpu, uint64_t to, const void *from, size_t bytes)
{
    void *copy = malloc(bytes);
    if (!copy) {
        cuda_fail_memory(gpu);
        return;
    }
    memcpy(copy, from, bytes);
    if (CUDA_TRY(gpu, cuMemcpyHtoDAsync, to, copy, bytes, gpu->streams[0]))
        cuda_wait(gpu, (double)bytes * CUDA_SLOWEST_BYTE_NS);
    /* A transfer that does not end may still read the copy, so it is never freed. */
    if (!gpu->stuck)
        free(copy);
}

void cuda_function(struct cuda_gpu *gpu, const struct ptx_kernel *kernel)
{
    struct cuda_job *job = &gpu->job;
    const struct cuda_grid *grid = &job->grid;
    const bool beside = gpu->module_beside && kernel->least_capability == PTX_BESIDE;
    CUDA_TRY(gpu, cuModuleGetFunction, &job->function, beside ? gpu->module_beside : gpu->module,
             kernel->name);
    /* Set even if -1, because a function keeps the attributes that an earlier work set. */
    CUDA_TRY(gpu, cuFuncSetAttribute, job->function, CUDA_FUNCTION_SHARED_CARVE_OUT,
             job->work.carve_out);
    if (grid->shared_bytes > SHARED_FOR_ALL)
        CUDA_TRY(gpu, cuFuncSetAttribute, job->function, CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES,
                 (int)grid->shared_bytes);
    if (grid->cluster > CLUSTER_FOR_ALL)
        CUDA_TRY(gpu, cuFuncSetAttribute, job->function, CUDA_FUNCTION_LARGE_CLUSTERS, 1);
}

/* The driver's description of a launch with clusters, which points to `attribute`. */
static struct cuda_launch describe(const struct cuda_gpu *gpu, const struct cuda_grid *grid,
                                   struct cuda_launch_attribute *attribute)
{
    *attribute =
        (struct cuda_launch_attribute){.id = CUDA_LAUNCH_CLUSTER, .cluster = {grid->cluster, 1, 1}};
    return (struct cuda_launch){
        .grid = {grid->blocks, 1, 1},
        .block = {grid->threads, 1, 1},
        .shared_bytes = (unsigned)grid->shared_bytes,
        .stream = gpu->streams[0],
        .attributes = attribute,
        .attribute_count = 1,
    };
}

bool cuda_has_room_for_cluster(const struct cuda_gpu *gpu, const struct ptx_kernel *kernel,
                               const struct cuda_grid *grid)
{
    const struct cuda_calls *calls = &gpu->library->calls;
    struct cuda_launch_attribute attribute;
    const struct cuda_launch launch = describe(gpu, grid, &attribute);
    void *function;
    int clusters = 0;
    if (gpu->lost.code || gpu->stuck || !calls->cuOccupancyMaxActiveClusters ||
        calls->cuCtxSetCurrent(gpu->context) != 0 ||
        calls->cuModuleGetFunction(&function, gpu->module, kernel->name) != 0)
        return true;
    if (grid->cluster > CLUSTER_FOR_ALL)
        calls->cuFuncSetAttribute(function, CUDA_FUNCTION_LARGE_CLUSTERS, 1);
    const int result = calls->cuOccupancyMaxActiveClusters(&clusters, function, &launch);
    return result == 0 ? clusters > 0 : result != CUDA_INVALID_CLUSTER_SIZE;
}

void cuda_launch(struct cuda_gpu *gpu, void *function, const struct cuda_grid *grid,
                 const uint64_t *parameters, size_t count)
{
    uint64_t values[CUDA_PARAMETERS] = {0};
    void *addresses[CUDA_PARAMETERS];
    if (count)
        memcpy(values, parameters, count * sizeof *values);
    for (size_t i = 0; i < CUDA_PARAMETERS; i++)
        addresses[i] = &values[i];
    if (grid->cluster) {
        struct cuda_launch_attribute attribute;
        const struct cuda_launch launch = describe(gpu, grid, &attribute);
        CUDA_TRY(gpu, cuLaunchKernelEx, &launch, function, addresses, NULL);
    } else {
        CUDA_TRY(gpu, cuLaunchKernel, function, grid->blocks, 1, 1, grid->threads, 1, 1,
                 (unsigned)grid->shared_bytes, gpu->streams[0], addresses, NULL);
    }
}

void cuda_helper(struct cuda_gpu *gpu, const char *name, const uint64_t *parameters, size_t count,
                 double expected_ns)
{
    const struct cuda_grid grid = {
        .blocks = gpu->device->multiprocessors * HELPER_BLOCKS_PER_MULTIPROCESSOR,
        .threads = HELPER_THREADS,
    };
    void *function = NULL;
    CUDA_TRY(gpu, cuModuleGetFunction, &function, gpu->module, name);
    cuda_launch(gpu, function, &grid, parameters, count);
    cuda_wait(gpu, expected_ns);
}

const uint64_t *cuda_timed(struct cuda_gpu *gpu, const uint64_t *parameters, size_t count,
                           size_t blocks, double expected_ns)
{
    size_t words = blocks * PTX_RESULT_WORDS;
    void *stream = gpu->streams[0];
    /* cuMemsetD32Async counts 32-bit words. */
    CUDA_TRY(gpu, cuMemsetD32Async, gpu->results.address, 0, 2 * words, stream);
    cuda_launch(gpu, gpu->job.function, &gpu->job.grid, parameters, count);
    /* Queued after the kernel; the call does not block, because the host's memory is pinned. */
    CUDA_TRY(gpu, cuMemcpyDtoHAsync, gpu->results_host.host, gpu->results.address,
             words * sizeof(uint64_t), stream);
    cuda_wait(gpu, expected_ns);
    return cuda_works(gpu) ? gpu->results_host.host : NULL;
}
