#include "measure/gpu/opencl/opencl.h"

#include <math.h>

enum { ELEMENT_BYTES = 16 }; /* ulong2 */

/* What a launch of a stream's kernel goes over; the kernel's parameters say the rest. */
struct flow {
    struct opencl_kernel *kernel;
    struct opencl_memory *to, *from;
    uint64_t elements, repeats;
};

static int launch(struct opencl_gpu *gpu, const struct flow *flow, struct opencl_span *span,
                  struct error *error)
{
    const struct opencl_limits *limits = &gpu->limits;
    /* Groups are dealt out to the multiprocessors in order, so with a shift by one group each pass
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
    int code =
        opencl_arguments(gpu, flow->kernel, arguments, sizeof arguments / sizeof *arguments, error);
    return code ? code
                : opencl_execute(gpu, flow->kernel, limits->items, limits->group, span, error);
}

static int go_over_once(struct opencl_gpu *gpu, const char *name, struct opencl_memory *memory,
                        size_t bytes, struct error *error)
{
    struct flow flow = {.to = memory, .from = memory, .repeats = 1};
    flow.elements = bytes / ELEMENT_BYTES;
    int code = opencl_kernel(gpu, name, &flow.kernel, error);
    if (code)
        return code;
    code = launch(gpu, &flow, NULL, error);
    if (!gpu->lost.code)
        gpu->api->clReleaseKernel(flow.kernel);
    return code;
}

int opencl_sweep(struct opencl_gpu *gpu, struct opencl_memory *memory, size_t bytes,
                 struct error *error)
{
    return go_over_once(gpu, "stream_read", memory, bytes, error);
}

/* --- streams --- */

static const char *refuses_stream(const struct opencl_gpu *gpu, const struct gpu_work *work)
{
    /* Each pass is shifted to other multiprocessors (launch()): nothing is found in a first level.
     */
    if (work->each || (work->path != GPU_L1 && work->path != GPU_L2))
        return "needs CUDA: OpenCL's streams are plain loads and stores of device memory";
    if (work->bytes < 2 * ELEMENT_BYTES)
        return "needs a working set of at least 32 bytes";
    if (work->bytes > gpu->limits.buffer_bytes)
        return "needs more memory than one OpenCL buffer may have on this device";
    return NULL;
}

/* A copy's working set is half read and half written. */
static uint64_t elements_of(const struct gpu_work *work)
{
    return work->bytes / ELEMENT_BYTES / (work->traffic == GPU_COPY ? 2 : 1);
}

static int make_stream(struct opencl_gpu *gpu, uint64_t seed, struct error *error)
{
    (void)seed; /* what streams see depends on no order */
    static const char *const kernels[] = {
        [GPU_READ] = "stream_read",
        [GPU_WRITE] = "stream_write",
        [GPU_COPY] = "stream_copy",
    };
    struct opencl_ready *ready = &gpu->ready;
    bool on_host = ready->work.home == GPU_ON_HOST;
    size_t bytes = (size_t)elements_of(&ready->work) * ELEMENT_BYTES;
    int code = opencl_allocate(gpu, on_host, bytes, &ready->memory, error);
    /* Memory that was never written may not be allocated yet. */
    if (code == 0)
        code = go_over_once(gpu, "stream_write", ready->memory, bytes, error);
    if (code == 0 && ready->work.traffic == GPU_COPY)
        code = opencl_allocate(gpu, on_host, bytes, &ready->other, error);
    if (code == 0)
        code = opencl_kernel(gpu, kernels[ready->work.traffic], &ready->kernel, error);
    ready->warm = 1;
    double ns;
    return code ? code : opencl_flow(gpu, ready->warm, &ns, error);
}

int opencl_flow(struct opencl_gpu *gpu, uint64_t repeats, double *ns, struct error *error)
{
    const struct opencl_ready *ready = &gpu->ready;
    const struct flow flow = {
        .kernel = ready->kernel,
        .to = ready->other ? ready->other : ready->memory,
        .from = ready->memory,
        .elements = elements_of(&ready->work),
        .repeats = repeats,
    };
    struct opencl_span span;
    int code = launch(gpu, &flow, &span, error);
    if (code == 0)
        *ns = (double)span.ended_ns - (double)span.began_ns;
    return code;
}

static int measure_stream(struct opencl_gpu *gpu, uint64_t repeats, uint64_t *did,
                          struct gpu_time *time, struct error *error)
{
    const struct gpu_work *work = &gpu->ready.work;
    double less_ns, more_ns;
    int code = opencl_flow(gpu, gpu->ready.warm, &less_ns, error);
    if (code == 0)
        code = opencl_flow(gpu, gpu->ready.warm + repeats, &more_ns, error);
    if (code)
        return code;
    uint64_t ways = work->traffic == GPU_COPY ? 2 : 1;
    *did = repeats * elements_of(work) * ELEMENT_BYTES * ways;
    time->ns = more_ns - less_ns;
    time->cycles = (double)NAN;
    return 0;
}

const struct opencl_action opencl_stream = {refuses_stream, make_stream, measure_stream};
