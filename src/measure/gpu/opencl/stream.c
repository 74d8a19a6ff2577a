#include "measure/gpu/opencl/opencl.h"

#include <math.h>

enum { ELEMENT_BYTES = 16 }; /* ulong2 */

/* What a launch of a stream's kernel moves. */
struct flow {
    struct opencl_kernel *kernel;
    struct opencl_memory *to, *from;
    uint64_t elements, repeats;
};

static void launch(struct opencl_gpu *gpu, const struct flow *flow, struct opencl_span *span)
{
    const struct opencl_limits *limits = &gpu->limits;
    /* Groups are assigned to multiprocessors in order. Each pass is shifted by one group, so it
     * reads what another multiprocessor read before. */
    uint64_t step = limits->is_cpu ? 1 : limits->items, turn = limits->is_cpu ? 0 : limits->group;
    const struct opencl_argument arguments[] = {
        {sizeof flow->to, &flow->to},
        {sizeof flow->from, &flow->from},
        {sizeof flow->elements, &flow->elements},
        {sizeof flow->repeats, &flow->repeats},
        {sizeof step, &step},
        {sizeof turn, &turn},
        {sizeof gpu->out, &gpu->out},
    };
    opencl_execute(gpu, flow->kernel, arguments, sizeof arguments / sizeof *arguments,
                   limits->items, limits->group, span);
}

static void go_over_once(struct opencl_gpu *gpu, const char *name, struct opencl_memory *memory,
                         size_t bytes)
{
    struct flow flow = {.to = memory, .from = memory, .repeats = 1};
    flow.elements = bytes / ELEMENT_BYTES;
    opencl_kernel(gpu, name, &flow.kernel);
    launch(gpu, &flow, NULL);
    if (flow.kernel && !gpu->lost.code)
        gpu->api->clReleaseKernel(flow.kernel);
}

void opencl_sweep(struct opencl_gpu *gpu, struct opencl_memory *memory, size_t bytes)
{
    go_over_once(gpu, "stream_read", memory, bytes);
}

/* --- streams --- */

static const char *refuses_stream(const struct opencl_gpu *gpu, const struct gpu_work *work)
{
    /* Each pass is shifted to other multiprocessors, so no load hits in a first level. */
    if (work->each || (work->path != GPU_L1 && work->path != GPU_L2))
        return "needs CUDA: OpenCL's streams are plain loads and stores of device memory";
    if (work->bytes < 2 * ELEMENT_BYTES)
        return "needs a working set of at least 32 bytes";
    if (work->bytes > gpu->limits.buffer_bytes)
        return "needs more memory than one OpenCL buffer may have on this device";
    return NULL;
}

/* A copy reads one half of its working set and writes the other. */
static uint64_t elements_of(const struct gpu_work *work)
{
    return work->bytes / ELEMENT_BYTES / (work->traffic == GPU_COPY ? 2 : 1);
}

static void make_stream(struct opencl_gpu *gpu, uint64_t seed)
{
    (void)seed; /* a stream has no random order */
    static const char *const kernels[] = {
        [GPU_READ] = "stream_read",
        [GPU_WRITE] = "stream_write",
        [GPU_COPY] = "stream_copy",
    };
    struct opencl_ready *ready = &gpu->ready;
    bool on_host = ready->work.home == GPU_ON_HOST;
    size_t bytes = (size_t)elements_of(&ready->work) * ELEMENT_BYTES;
    opencl_allocate(gpu, on_host, bytes, &ready->memory);
    /* Written once, because memory may be allocated only at the first write. */
    go_over_once(gpu, "stream_write", ready->memory, bytes);
    if (ready->work.traffic == GPU_COPY)
        opencl_allocate(gpu, on_host, bytes, &ready->other);
    opencl_kernel(gpu, kernels[ready->work.traffic], &ready->kernel);
    ready->warm = 1;
    opencl_flow(gpu, ready->warm);
}

double opencl_flow(struct opencl_gpu *gpu, uint64_t repeats)
{
    const struct opencl_ready *ready = &gpu->ready;
    const struct flow flow = {
        .kernel = ready->kernel,
        .to = ready->other ? ready->other : ready->memory,
        .from = ready->memory,
        .elements = elements_of(&ready->work),
        .repeats = repeats,
    };
    struct opencl_span span = {0, 0};
    launch(gpu, &flow, &span);
    return (double)span.ended_ns - (double)span.began_ns;
}

static void measure_stream(struct opencl_gpu *gpu, uint64_t repeats, uint64_t *did,
                           struct gpu_time *time)
{
    const struct gpu_work *work = &gpu->ready.work;
    const double less_ns = opencl_flow(gpu, gpu->ready.warm);
    const double more_ns = opencl_flow(gpu, gpu->ready.warm + repeats);
    uint64_t ways = work->traffic == GPU_COPY ? 2 : 1;
    *did = repeats * elements_of(work) * ELEMENT_BYTES * ways;
    time->ns = more_ns - less_ns;
    time->cycles = (double)NAN;
}

const struct opencl_action opencl_stream = {refuses_stream, make_stream, measure_stream};
