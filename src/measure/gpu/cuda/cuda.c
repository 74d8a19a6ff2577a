#include "measure/gpu/cuda/cuda.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_CAPABILITY = 50, LOG_BYTES = 4096 };

/* Blocks of a stream on one multiprocessor: no known device runs more than 32 at once. */
enum { MOST_BLOCKS_PER_MULTIPROCESSOR = 32 };

static void load_kernels(struct cuda_gpu *gpu)
{
    char log[LOG_BYTES] = "";
    int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES, CUDA_JIT_CACHE_MODE};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1), (void *)CUDA_JIT_CACHE_ALL};
    /* Before 7.0 plain loads pass the first level by unless the compiler is asked (Pascal Tuning
     * Guide, 1.4.2). Later ones cache them in any case, and are not asked. */
    const unsigned count = gpu->device->capability < 70 ? 3 : 2;
    char *text = ptx_text(gpu->device->capability);
    if (!text)
        cuda_fail_memory(gpu);
    else if (!CUDA_TRY(gpu, cuModuleLoadDataEx, &gpu->module, text, count, options, values)) {
        gpu->module = NULL;
        char *said = log + strspn(log, " \t\r\n"); /* the first line, if there is one */
        said[strcspn(said, "\r\n")] = '\0';
        if (*said)
            cuda_fail_more(gpu, "; its compiler says: ", said);
    }
    free(text);
    text = gpu->module ? ptx_text_beside(gpu->device->capability) : NULL;
    if (text && gpu->library->calls.cuModuleLoadDataEx(&gpu->module_beside, text, count, options,
                                                       values) != 0)
        gpu->module_beside = NULL;
    free(text);
}

/* nvidia-smi numbers devices by their PCI addresses, CUDA by speed or by CUDA_VISIBLE_DEVICES, so
 * the remedy names the PCI address, which both understand. */
static int cuda_usable(const struct gpu_library *opened, size_t index, struct error *error)
{
    const struct cuda_library *library = (const struct cuda_library *)opened;
    const struct cuda_device *device = &library->devices[index];
    const unsigned number = (unsigned)index;
    char named[24];
    snprintf(named, sizeof named, "%u", number);
    if (device->capability < LEAST_CAPABILITY)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "gpu%u: its capability is %u.%u, and fathom needs 5.0: choose another "
                         "device ('fathom gpu --device')",
                         number, device->capability / 10, device->capability % 10);
    if (device->compute_mode == CUDA_MODE_PROHIBITED)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "gpu%u: computing is prohibited on it: nvidia-smi -i %s -c DEFAULT allows "
                         "it",
                         number, *device->bus ? device->bus : named);
    return 0;
}

static void cuda_stop(struct gpu *);

static int cuda_start(struct gpu_library *opened, size_t index, struct gpu **started,
                      struct error *error)
{
    struct cuda_library *library = (struct cuda_library *)opened;
    struct cuda_gpu *gpu = calloc(1, sizeof *gpu);
    *started = NULL;
    if (!gpu)
        return error_out_of_memory(error);
    gpu->library = library;
    gpu->device = &library->devices[index];
    gpu->index = (unsigned)index;
    gpu->peers = calloc(library->count, sizeof *gpu->peers);
    int code = gpu->peers ? cuda_usable(opened, index, error) : error_out_of_memory(error);
    if (code == 0) {
        const bool exclusive = gpu->device->compute_mode == CUDA_MODE_EXCLUSIVE_PROCESS;
        if (!CUDA_TRY(gpu, cuDevicePrimaryCtxRetain, &gpu->context, gpu->device->handle)) {
            gpu->context = NULL;
            if (exclusive)
                cuda_fail_more(gpu, "; it is in exclusive mode, for one program at a time", "");
        }
        CUDA_TRY(gpu, cuCtxSetCurrent, gpu->context);
        for (size_t i = 0; i < sizeof gpu->streams / sizeof *gpu->streams; i++)
            if (!CUDA_TRY(gpu, cuStreamCreate, &gpu->streams[i], CUDA_STREAM_NON_BLOCKING))
                gpu->streams[i] = NULL;
        for (size_t i = 0; i < CUDA_EVENTS; i++)
            if (!CUDA_TRY(gpu, cuEventCreate, &gpu->events[i], 0))
                gpu->events[i] = NULL;
        if (cuda_works(gpu))
            load_kernels(gpu);
        gpu->result_blocks = (size_t)gpu->device->multiprocessors * MOST_BLOCKS_PER_MULTIPROCESSOR;
        size_t bytes = gpu->result_blocks * PTX_RESULT_WORDS * sizeof(uint64_t);
        cuda_allocate(gpu, GPU_ON_DEVICE, 0, bytes, &gpu->results);
        cuda_allocate(gpu, GPU_ON_HOST, 0, bytes, &gpu->results_host);
        code = cuda_outcome(gpu, error);
    }
    if (code < 0) {
        cuda_stop((struct gpu *)gpu);
        return code;
    }
    gpu->sensor = nvml_find(library->nvml, gpu->device->bus);
    *started = (struct gpu *)gpu;
    return 0;
}

/* Each of these calls waits until the device is idle. */
static void give_back(struct cuda_gpu *gpu)
{
    const struct cuda_calls *calls = &gpu->library->calls;
    calls->cuCtxSetCurrent(gpu->context);
    cuda_drop(gpu);
    cuda_part(gpu);
    cuda_free_spans(gpu);
    cuda_free(gpu, &gpu->results);
    cuda_free(gpu, &gpu->results_host);
    cuda_free_pinned(gpu);
    for (size_t i = 0; i < CUDA_EVENTS; i++)
        if (gpu->events[i])
            calls->cuEventDestroy(gpu->events[i]);
    for (size_t i = 0; i < sizeof gpu->streams / sizeof *gpu->streams; i++)
        if (gpu->streams[i])
            calls->cuStreamDestroy(gpu->streams[i]);
    if (gpu->module)
        calls->cuModuleUnload(gpu->module);
    if (gpu->module_beside)
        calls->cuModuleUnload(gpu->module_beside);
    cuda_close_peers(gpu);
    calls->cuCtxSetCurrent(NULL);
    calls->cuDevicePrimaryCtxRelease(gpu->device->handle);
}

static void cuda_stop(struct gpu *started)
{
    struct cuda_gpu *gpu = (struct cuda_gpu *)started;
    if (!gpu)
        return;
    if (gpu->stuck) {
        /* The device may still read or write its memory, so nothing is freed; the system frees it
         * when the process ends. */
        gpu->library->in_use = true;
        cuda_part(gpu);
        cuda_free_spans(gpu);
    } else if (gpu->context) {
        give_back(gpu);
    }
    free(gpu->peers);
    free(gpu);
}

static void cuda_read_sensors(struct gpu *started, struct gpu_sensors *sensors)
{
    const struct cuda_gpu *gpu = (const struct cuda_gpu *)started;
    nvml_read_sensors(gpu->library->nvml, gpu->sensor, sensors);
}

static void cuda_read_facts(struct gpu *started, struct pool *pool, struct gpu_facts *facts)
{
    const struct cuda_gpu *gpu = (const struct cuda_gpu *)started;
    nvml_read_facts(gpu->library->nvml, gpu->sensor, true, pool, facts);
}

static uint64_t cuda_free_bytes(struct gpu *started)
{
    struct cuda_gpu *gpu = (struct cuda_gpu *)started;
    size_t free_bytes = 0, total;
    if (!cuda_enter(gpu) || gpu->library->calls.cuMemGetInfo(&free_bytes, &total) != 0)
        return 0;
    return free_bytes;
}

const struct gpu_backend gpu_cuda = {
    .name = "cuda",
    .title = "the NVIDIA driver",
    .open = cuda_open,
    .close = cuda_close,
    .usable = cuda_usable,
    .start = cuda_start,
    .stop = cuda_stop,
    .refuses = cuda_refuses,
    .prepare = cuda_prepare,
    .run = cuda_run,
    .read_sensors = cuda_read_sensors,
    .read_facts = cuda_read_facts,
    .free_bytes = cuda_free_bytes,
};
