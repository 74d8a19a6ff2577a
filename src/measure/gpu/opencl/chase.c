#include "measure/gpu/opencl/opencl.h"

#include "measure/kernels/ring.h"

#include <math.h>
#include <stdlib.h>

/* --- what can be chased --- */

struct kind {
    enum gpu_path path;
    unsigned width_bits;
    const char *kernel;
    bool is_atomic, is_local;
};

/* The first entry of a path has its default width. */
static const struct kind kinds[] = {
    {GPU_L1, 64, "chase_64", false, false},
    {GPU_L1, 32, "chase_32", false, false},
    {GPU_L1, 128, "chase_128", false, false},
    {GPU_CONSTANT, 64, "chase_constant", false, false},
    {GPU_SCALAR, 64, "chase_scalar", false, false},
    {GPU_TEXTURE, 32, "chase_texture", false, false},
    {GPU_ATOMIC, 32, "chase_atomic", true, false},
    {GPU_SHARED, 64, "chase_local", false, true},
    {GPU_SHARED_ATOMIC, 32, "chase_local_atomic", true, true},
};

static const struct kind *find_kind(const struct gpu_work *work)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].path == work->path &&
            (work->width_bits == 0 || kinds[i].width_bits == work->width_bits))
            return &kinds[i];
    return NULL;
}

static size_t width_bytes(const struct kind *kind)
{
    return kind->width_bits / 8;
}

/* Bytes of the allocation. */
static size_t extent(const struct gpu_work *work)
{
    size_t end = work->offset + work->bytes;
    return work->span > end ? work->span : end;
}

static const char *refuses_chase(const struct opencl_gpu *gpu, const struct gpu_work *work)
{
    const struct kind *kind = find_kind(work);
    if (!kind) {
        switch (work->path) {
        case GPU_CLUSTER:
            return "needs CUDA: OpenCL knows no clusters of multiprocessors";
        case GPU_L2:
        case GPU_READ_ONLY:
        case GPU_UNCACHED:
            return "needs CUDA: OpenCL can't choose a load's way through the caches";
        default:
            return "needs a load width that OpenCL's kernels do not have there";
        }
    }
    if (kind->path == GPU_SCALAR && gpu->limits.is_cpu)
        return "is a CPU, where all loads are alike";
    if (work->timed)
        return "needs CUDA: OpenCL can't time a part of a ring";
    if (work->stride < sizeof(uint64_t) || work->bytes < work->stride)
        return "needs a stride of at least 8 bytes and a working set of at least one stride";
    if (work->stride % width_bytes(kind) || work->offset % width_bytes(kind))
        return "needs a stride and an offset that are multiples of the load's width";
    const size_t bytes = extent(work);
    if (bytes > gpu->limits.buffer_bytes)
        return "needs more memory than one OpenCL buffer may have on this device";
    if (kind->path == GPU_CONSTANT && bytes > gpu->limits.constant_bytes)
        return "needs more constant memory than the device has";
    if (kind->is_local && bytes > gpu->limits.local_bytes)
        return "needs more local memory than a work-group may have";
    if (kind->path == GPU_TEXTURE && bytes / width_bytes(kind) > gpu->limits.image_pixels)
        return gpu->limits.image_pixels ? "needs a larger image than the device allows"
                                        : "needs images, which the device does not offer";
    /* A texture's indices are signed. */
    if (kind->width_bits == 32 && bytes / width_bytes(kind) > INT32_MAX)
        return "needs more than 32 bits for an index";
    return NULL;
}

/* --- the ring --- */

/* Links sent at once: 16 MiB. */
enum { LINKS_AT_ONCE = 2 * 1024 * 1024 };

static void link_part(struct opencl_gpu *gpu, struct opencl_kernel *kernel,
                      struct opencl_memory *part, uint64_t first, uint64_t count)
{
    const struct gpu_work *work = &gpu->ready.work;
    uint64_t stride = work->stride, offset = work->offset;
    uint32_t width = (uint32_t)width_bytes(find_kind(work));
    const struct opencl_argument arguments[] = {
        {sizeof gpu->ready.memory, &gpu->ready.memory},
        {sizeof part, &part},
        {sizeof stride, &stride},
        {sizeof first, &first},
        {sizeof count, &count},
        {sizeof offset, &offset},
        {sizeof width, &width},
    };
    size_t group = gpu->limits.group, items = ((size_t)count + group - 1) / group * group;
    opencl_execute(gpu, kernel, arguments, sizeof arguments / sizeof *arguments, items, group,
                   NULL);
}

/* The host computes the order and sends it packed; the device writes the elements at their stride,
 * so that gaps between them are not transferred. */
static void build_ring(struct opencl_gpu *gpu, uint64_t seed)
{
    const struct gpu_work *work = &gpu->ready.work;
    size_t count = work->bytes / work->stride, most = count < LINKS_AT_ONCE ? count : LINKS_AT_ONCE;
    struct opencl_memory *part = NULL;
    struct opencl_kernel *kernel = NULL;
    uint64_t *next = malloc(count * sizeof *next);
    if (!next) {
        if (opencl_works(gpu))
            error_out_of_memory(&gpu->failure);
        return;
    }
    ring_build(&(struct ring){
        .memory = (unsigned char *)next,
        .count = count,
        .stride = sizeof *next,
        .order = work->order == GPU_RANDOM ? RING_RANDOM : RING_FORWARD,
        .seed = seed,
        .link = RING_INDEXES,
    });
    opencl_allocate(gpu, false, most * sizeof *next, &part);
    opencl_kernel(gpu, "link", &kernel);
    for (size_t first = 0; opencl_works(gpu) && first < count; first += most) {
        size_t now = count - first < most ? count - first : most;
        opencl_write(gpu, part, now * sizeof *next, next + first);
        link_part(gpu, kernel, part, first, now);
    }
    if (gpu->lost.code) /* a lost device may still use them */
        return;
    opencl_free(gpu, &part);
    if (kernel)
        gpu->api->clReleaseKernel(kernel);
    free(next);
}

/* Works with the same span share an allocation, so that an offset always means the same line. */
static void get_memory(struct opencl_gpu *gpu)
{
    struct opencl_ready *ready = &gpu->ready;
    bool on_host = ready->work.home == GPU_ON_HOST;
    size_t span = extent(&ready->work);
    if (ready->work.span == 0) {
        opencl_allocate(gpu, on_host, span, &ready->memory);
        return;
    }
    if (!gpu->kept || gpu->kept_span != span || gpu->kept_home != ready->work.home) {
        opencl_free(gpu, &gpu->kept);
        opencl_allocate(gpu, on_host, span, &gpu->kept);
        gpu->kept_span = span;
        gpu->kept_home = ready->work.home;
    }
    ready->memory = gpu->kept;
}

static void make_image(struct opencl_gpu *gpu)
{
    const struct opencl_image_format format = {OPENCL_ONE_CHANNEL, OPENCL_UINT32};
    const struct opencl_image_shape shape = {
        .type = OPENCL_IMAGE_BUFFER,
        .width = extent(&gpu->ready.work) / sizeof(uint32_t),
        .buffer = gpu->ready.memory,
    };
    int32_t status = OPENCL_SUCCESS;
    if (!opencl_works(gpu))
        return;
    struct opencl_memory *made = gpu->api->clCreateImage(gpu->context, OPENCL_MEMORY_READ_ONLY,
                                                         &format, &shape, NULL, &status);
    if (opencl_made(gpu, "make an image of a buffer", made, status))
        gpu->ready.other = made;
}

/* --- following it --- */

void opencl_follow(struct opencl_gpu *gpu, uint64_t groups, struct gpu_time *time)
{
    struct opencl_ready *ready = &gpu->ready;
    const struct kind *kind = find_kind(&ready->work);
    struct opencl_memory *base = ready->other ? ready->other : ready->memory;
    uint32_t zero = 0;
    uint64_t words = extent(&ready->work) / width_bytes(kind);
    struct opencl_span span = {0, 0};
    struct opencl_argument arguments[7] = {
        {sizeof base, &base},
        {sizeof ready->at, &ready->at},
        {sizeof groups, &groups},
        {sizeof gpu->out, &gpu->out},
    };
    unsigned count = 4;
    if (kind->is_atomic)
        arguments[count++] = (struct opencl_argument){sizeof zero, &zero};
    if (kind->is_local) {
        arguments[count++] = (struct opencl_argument){sizeof words, &words};
        arguments[count++] = (struct opencl_argument){extent(&ready->work), NULL};
    }
    opencl_execute(gpu, ready->kernel, arguments, count, 1, 1, &span);
    opencl_read(gpu, gpu->out, sizeof gpu->said, gpu->said);
    if (!opencl_works(gpu))
        return;
    ready->at = gpu->said[0];
    time->ns = (double)span.ended_ns - (double)span.began_ns;
    time->cycles = gpu->limits.has_clock ? (double)gpu->said[1] : (double)NAN;
}

/* The first level does not keep its lines from launch to launch, so each launch fills it with
 * untimed loads: twice the largest first level, in sectors, the smallest unit that a miss loads. */
enum { FIRST_LEVEL_BYTES = 512 * 1024, SECTOR_BYTES = 32 };
/* A CPU's first level keeps its lines; these loads only bring back evicted ones. */
enum { CPU_FIRST_LEVEL_BYTES = 64 * 1024, CPU_LINE_BYTES = 64 };
/* Later levels and the TLBs outlive a launch, so they are filled once, when a ring is prepared;
 * 65536 loads of device memory take some 40 ms. */
enum { SETTLE_LOADS = 65536 };

static uint64_t groups_of(uint64_t loads)
{
    return (loads + OPENCL_LOADS - 1) / OPENCL_LOADS;
}

static void make_chase(struct opencl_gpu *gpu, uint64_t seed)
{
    const struct kind *kind = find_kind(&gpu->ready.work);
    get_memory(gpu);
    build_ring(gpu, seed);
    opencl_kernel(gpu, kind->kernel, &gpu->ready.kernel);
    if (kind->path == GPU_TEXTURE)
        make_image(gpu);
    const struct gpu_work *work = &gpu->ready.work;
    size_t count = work->bytes / work->stride;
    size_t least = gpu->limits.is_cpu ? CPU_LINE_BYTES : SECTOR_BYTES;
    size_t step = work->stride < least ? work->stride : least;
    size_t warm = (gpu->limits.is_cpu ? CPU_FIRST_LEVEL_BYTES : FIRST_LEVEL_BYTES) / step;
    gpu->ready.warm = groups_of(count < warm ? count : warm);
    gpu->ready.at = work->offset / width_bytes(find_kind(work));
    struct gpu_time time;
    if (!find_kind(work)->is_local)
        opencl_sweep(gpu, gpu->ready.memory, extent(work));
    opencl_follow(gpu, groups_of(count < SETTLE_LOADS ? count : SETTLE_LOADS), &time);
}

double opencl_cycles(const struct opencl_limits *limits, double ticks, double ns)
{
    double share = ticks / ns * 1e9 / limits->clock_hz;
    return !limits->is_cpu && share >= 0.25 && share <= 1.25 ? ticks : (double)NAN;
}

static void measure_chase(struct opencl_gpu *gpu, uint64_t repeats, uint64_t *did,
                          struct gpu_time *time)
{
    struct gpu_time less = {NAN, NAN}, more = less;
    uint64_t groups = groups_of(repeats);
    opencl_follow(gpu, gpu->ready.warm, &less);
    opencl_follow(gpu, gpu->ready.warm + groups, &more);
    *did = groups * OPENCL_LOADS;
    time->ns = more.ns - less.ns;
    time->cycles = opencl_cycles(&gpu->limits, more.cycles - less.cycles, time->ns);
}

const struct opencl_action opencl_chase = {refuses_chase, make_chase, measure_chase};
