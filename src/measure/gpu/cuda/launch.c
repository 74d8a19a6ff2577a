#include "measure/gpu/cuda/cuda.h"

#include "machine/os.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A launch is waited for this much longer than expected: the watchdog of a display, which ends
 * kernels after some 2 to 5 s, speaks first where there is one. */
static const double LIMIT_NS = 5e9;
/* Short launches are waited for without sleeping: a sleep costs 50 us and more. */
static const uint64_t SPIN_NS = 200000;
static const long SLEEP_NS = 50000;
/* Two looks that are further apart count as this much only: the program was stopped or the machine
 * asleep, and so perhaps was the device. */
static const uint64_t LONGEST_STEP_NS = 100000000;
/* Up to here a block may have dynamic shared memory without asking for it. */
static const size_t SHARED_FOR_ALL = 48 << 10;
/* Linking and sweeping: enough threads for the memory's bandwidth, and few enough that a sweep goes
 * through a ring about in its order. */
enum { HELPER_BLOCKS_PER_MULTIPROCESSOR = 2, HELPER_THREADS = 256 };
/* Clusters up to here can be had wherever there are any. */
enum { CLUSTER_FOR_ALL = 8 };

int cuda_enter(struct cuda_gpu *gpu, struct error *error)
{
    if (gpu->lost.code)
        return error_set(error, gpu->lost.code, "%s", gpu->lost.text);
    return CUDA_TRY(gpu, error, cuCtxSetCurrent, gpu->context);
}

static int give_up(struct cuda_gpu *gpu, double waited_ns, struct error *error)
{
    gpu->stuck = true;
    error_set(&gpu->lost, ERROR_IMPOSSIBLE,
              "gpu%u: a launch still runs after %.1f s: nothing more is asked of the device; look "
              "for Xid in dmesg and at nvidia-smi",
              gpu->index, waited_ns / 1e9);
    return error_set(error, gpu->lost.code, "%s", gpu->lost.text);
}

/* Only copies both ways use the second queue. Looking at one that is idle costs a call of the
 * driver, which a launch's time would hold. */
static size_t queues_in_use(const struct cuda_gpu *gpu)
{
    const struct gpu_work *work = &gpu->job.work;
    const bool both = work->action == GPU_TRANSFER && work->direction == GPU_BOTH_WAYS;
    return both ? sizeof gpu->streams / sizeof *gpu->streams : 1;
}

/* 1: all of these are done; 0: not yet. */
static int poll_streams(struct cuda_gpu *gpu, void *const *streams, size_t count,
                        struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        int result = gpu->library->calls.cuStreamQuery(streams[i]);
        if (result == CUDA_NOT_READY)
            return 0;
        int code = cuda_check(gpu, "cuStreamQuery", result, error);
        if (code < 0)
            return code;
    }
    return 1;
}

static int wait_for_all(struct cuda_gpu *gpu, void *const *streams, size_t count,
                        double expected_ns, struct error *error)
{
    uint64_t waited = 0, last = os_raw_ns();
    for (;;) {
        int done = poll_streams(gpu, streams, count, error);
        if (done != 0)
            return done < 0 ? done : 0;
        if ((double)waited > expected_ns + LIMIT_NS)
            return give_up(gpu, (double)waited, error);
        if (waited > SPIN_NS)
            nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
        uint64_t now = os_raw_ns(), step = now - last;
        waited += step < LONGEST_STEP_NS ? step : LONGEST_STEP_NS;
        last = now;
    }
}

int cuda_wait(struct cuda_gpu *gpu, double expected_ns, struct error *error)
{
    return wait_for_all(gpu, gpu->streams, queues_in_use(gpu), expected_ns, error);
}

int cuda_wait_for(struct cuda_gpu *gpu, void *context, void *stream, double expected_ns,
                  struct error *error)
{
    int code = CUDA_TRY(gpu, error, cuCtxSetCurrent, context);
    if (code == 0)
        code = wait_for_all(gpu, &stream, 1, expected_ns, error);
    int back =
        gpu->stuck ? 0 : CUDA_TRY(gpu, code < 0 ? NULL : error, cuCtxSetCurrent, gpu->context);
    return code < 0 ? code : back;
}

int cuda_send(struct cuda_gpu *gpu, uint64_t to, const void *from, size_t bytes,
              struct error *error)
{
    void *copy = malloc(bytes);
    if (!copy)
        return error_out_of_memory(error);
    memcpy(copy, from, bytes);
    int code = CUDA_TRY(gpu, error, cuMemcpyHtoDAsync, to, copy, bytes, gpu->streams[0]);
    if (code == 0)
        code = cuda_wait(gpu, (double)bytes * CUDA_SLOWEST_BYTE_NS, error);
    /* A transfer that does not end may still read it, for as long as the process lives. */
    if (!gpu->stuck)
        free(copy);
    return code;
}

int cuda_function(struct cuda_gpu *gpu, const struct ptx_kernel *kernel, struct error *error)
{
    struct cuda_job *job = &gpu->job;
    const struct cuda_grid *grid = &job->grid;
    int code = CUDA_TRY(gpu, error, cuModuleGetFunction, &job->function, gpu->module, kernel->name);
    /* A function keeps its attributes: what the work before asked for must not stay. */
    if (code == 0)
        code = CUDA_TRY(gpu, error, cuFuncSetAttribute, job->function,
                        CUDA_FUNCTION_SHARED_CARVE_OUT, job->work.carve_out);
    if (code == 0 && grid->shared_bytes > SHARED_FOR_ALL)
        code = CUDA_TRY(gpu, error, cuFuncSetAttribute, job->function,
                        CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES, (int)grid->shared_bytes);
    if (code == 0 && grid->cluster > CLUSTER_FOR_ALL)
        code = CUDA_TRY(gpu, error, cuFuncSetAttribute, job->function, CUDA_FUNCTION_LARGE_CLUSTERS,
                        1);
    return code;
}

/* A launch of clusters as the driver wants it described; `attribute` has to live as long. */
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

static int launch_clusters(struct cuda_gpu *gpu, void *function, const struct cuda_grid *grid,
                           void **parameters, struct error *error)
{
    struct cuda_launch_attribute attribute;
    const struct cuda_launch launch = describe(gpu, grid, &attribute);
    return CUDA_TRY(gpu, error, cuLaunchKernelEx, &launch, function, parameters, NULL);
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

int cuda_launch(struct cuda_gpu *gpu, void *function, const struct cuda_grid *grid,
                const uint64_t *parameters, size_t count, struct error *error)
{
    uint64_t values[CUDA_PARAMETERS] = {0};
    void *addresses[CUDA_PARAMETERS];
    if (count)
        memcpy(values, parameters, count * sizeof *values);
    for (size_t i = 0; i < CUDA_PARAMETERS; i++)
        addresses[i] = &values[i];
    if (grid->cluster)
        return launch_clusters(gpu, function, grid, addresses, error);
    return CUDA_TRY(gpu, error, cuLaunchKernel, function, grid->blocks, 1, 1, grid->threads, 1, 1,
                    (unsigned)grid->shared_bytes, gpu->streams[0], addresses, NULL);
}

int cuda_helper(struct cuda_gpu *gpu, const char *name, const uint64_t *parameters, size_t count,
                double expected_ns, struct error *error)
{
    const struct cuda_grid grid = {
        .blocks = gpu->device->multiprocessors * HELPER_BLOCKS_PER_MULTIPROCESSOR,
        .threads = HELPER_THREADS,
    };
    void *function;
    int code = CUDA_TRY(gpu, error, cuModuleGetFunction, &function, gpu->module, name);
    if (code == 0)
        code = cuda_launch(gpu, function, &grid, parameters, count, error);
    return code < 0 ? code : cuda_wait(gpu, expected_ns, error);
}

int cuda_timed(struct cuda_gpu *gpu, const uint64_t *parameters, size_t count, size_t blocks,
               double expected_ns, const uint64_t **seen, struct error *error)
{
    size_t words = blocks * PTX_RESULT_WORDS;
    void *stream = gpu->streams[0];
    *seen = gpu->results_host.host;
    /* A driver memset counts words of 32 bits. */
    int code = CUDA_TRY(gpu, error, cuMemsetD32Async, gpu->results.address, 0, 2 * words, stream);
    if (code == 0)
        code = cuda_launch(gpu, gpu->job.function, &gpu->job.grid, parameters, count, error);
    /* Queued behind the kernel; nothing blocks, since the host's memory is pinned. */
    if (code == 0)
        code = CUDA_TRY(gpu, error, cuMemcpyDtoHAsync, gpu->results_host.host, gpu->results.address,
                        words * sizeof(uint64_t), stream);
    return code < 0 ? code : cuda_wait(gpu, expected_ns, error);
}
