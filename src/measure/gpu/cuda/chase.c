/*
 * Chases through global memory at any home, through textures and through the constant bank.
 */
#include "measure/gpu/cuda/cuda.h"

#include "measure/kernels/ring.h"

#include <stdlib.h>
#include <string.h>

/* A texel and an element of the constant bank or of an index chase are one word. */
enum { WORD_BYTES = sizeof(uint32_t), WARP = 32 };

/* A texture in linear memory begins at a multiple of this: no known device has a larger
 * CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT. */
enum { TEXTURE_ALIGNMENT = 512 };

/* Upper bound for linking or sweeping one element by many threads at once. */
static const double SLOWEST_ELEMENT_NS = 200;

/* Untimed loads before the timed ones in every launch: FEW_LOADS fill the multiprocessor's TLB.
 * Every launch also finds the first-level cache empty: if the path uses it, the untimed loads are
 * twice the elements that it can hold, at most MOST_LOADS. */
enum { FEW_LOADS = 256, MOST_LOADS = 1 << 16 };

/* A ring this many times larger than the first-level cache almost never hits in it, so the cache
 * need not be filled. */
enum { MANY_TIMES = 64 };

/* The hardware chooses the multiprocessor of a block. If a certain one is asked for, a launch has
 * this many blocks for each multiprocessor, and twice as many with each attempt; blocks on other
 * multiprocessors end at once. */
enum { BLOCKS_FOR_ONE = 4, ATTEMPTS = 5 };

static size_t element_bytes(const struct gpu_work *work)
{
    if (work->path == GPU_TEXTURE || work->path == GPU_CONSTANT)
        return WORD_BYTES;
    return work->width_bits ? work->width_bits / 8 : sizeof(uint64_t);
}

/* Whether the ring holds word indices. */
static bool by_index(const struct gpu_work *work)
{
    return element_bytes(work) == WORD_BYTES;
}

/* The number of rings, one after the other in the work's memory. */
static size_t rings_of(const struct gpu_work *work)
{
    return work->before == GPU_RIVAL ? 2 : 1;
}

/* Why the asked part of the ring can't be timed alone; NULL: it can. */
static const char *refuses_part(const struct gpu_work *work)
{
    const size_t count = work->bytes / work->stride;
    if (work->before != GPU_ITSELF && (work->timed || count % (rings_of(work) * PTX_LOADS) != 0))
        return "times whole passes in whole groups of loads";
    if (work->before == GPU_RIVAL && work->warp >= GPU_RIVAL_WARPS)
        return "has blocks of fewer warps";
    if (work->before == GPU_RIVAL && work->multiprocessor >= 0)
        return "has such loads on any multiprocessor";
    if (!work->timed)
        return NULL;
    if (work->timed_count == 0 || work->timed_count >= count ||
        work->timed_count % PTX_LOADS != 0 || count % PTX_LOADS != 0)
        return "times parts of a ring in whole groups of loads";
    for (size_t i = 0; i < work->timed_count; i++)
        if (work->timed[i] >= count)
            return "times elements of the ring alone";
    return NULL;
}

static const char *refuses_chase(const struct cuda_gpu *gpu, const struct gpu_work *work)
{
    const struct ptx_kernel *kernel = ptx_chase(work->path, work->width_bits, work->before);
    size_t element = element_bytes(work);
    if (work->path == GPU_SCALAR)
        return "has no cache for loads whose address a whole group shares: those are AMD's";
    if (!kernel)
        return "has no loads of that width by this path";
    if (kernel->least_capability > gpu->device->capability)
        return "needs a device of a later capability";
    if (work->stride < element || work->stride % element != 0 || work->offset % element != 0)
        return "needs a stride and an offset in whole elements";
    if (work->bytes < work->stride)
        return "needs a working set of at least one stride";
    if (work->bytes / (by_index(work) ? WORD_BYTES : work->stride) > UINT32_MAX)
        return "has no ring of that many elements";
    if (work->path == GPU_CONSTANT && work->offset + work->bytes > PTX_CONSTANT_BYTES)
        return "has no larger constant bank";
    if (work->path != GPU_TEXTURE || refuses_part(work))
        return refuses_part(work);
    if (work->offset % TEXTURE_ALIGNMENT != 0)
        return "needs textures to begin at multiples of 512 bytes";
    if (gpu->device->texels && work->bytes / WORD_BYTES > gpu->device->texels)
        return "has no texture of that size";
    return NULL;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return (p > q) - (p < q);
}

/* Moves the timed elements to the end of `order`; timed and untimed elements keep their relative
 * order. False: out of memory, or an element is listed twice. */
static bool move_timed_last(const struct gpu_work *work, uint32_t *order, size_t count)
{
    uint32_t *sorted = calloc(2 * work->timed_count + 1, sizeof *sorted);
    size_t kept = 0, moved = 0;
    if (!sorted)
        return false;
    uint32_t *last = sorted + work->timed_count;
    memcpy(sorted, work->timed, work->timed_count * sizeof *sorted);
    qsort(sorted, work->timed_count, sizeof *sorted, ascending);
    for (size_t i = 0; i < count; i++) {
        const uint32_t element = order[i];
        if (bsearch(&element, sorted, work->timed_count, sizeof *sorted, ascending))
            last[moved++] = element;
        else
            order[kept++] = element;
    }
    memcpy(order + kept, last, moved * sizeof *last);
    const bool each_once = moved == work->timed_count;
    free(sorted);
    return each_once;
}

static uint32_t *order_of_ring(const struct gpu_work *work, size_t count, uint64_t seed)
{
    uint32_t *order = calloc(count, sizeof *order);
    void **marks = work->order == GPU_RANDOM ? calloc(count, sizeof *marks) : NULL;
    if (!order || (work->order == GPU_RANDOM && !marks)) {
        free(order);
        free(marks);
        return NULL;
    }
    if (marks) {
        /* No ring is built in `marks`: ring_mark() needs only addresses. */
        struct ring ring = {.memory = (unsigned char *)marks,
                            .count = count,
                            .stride = sizeof *marks,
                            .order = RING_RANDOM,
                            .seed = seed};
        ring_mark(&ring, count, marks);
    }
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)(marks ? (size_t)((void **)marks[i] - marks) : i);
    free(marks);
    return order;
}

/* All rings, one after the other, in the same order. */
static uint32_t *visiting_order(const struct gpu_work *work, size_t count, uint64_t seed)
{
    const size_t ring = count / rings_of(work);
    uint32_t *order = order_of_ring(work, ring, seed);
    uint32_t *all = order && ring < count ? realloc(order, count * sizeof *order) : order;
    if (!all)
        free(order);
    for (size_t i = ring; all && i < count; i++)
        all[i] = all[i - ring] + (uint32_t)ring;
    return all;
}

/* --- making ready --- */

/* Writes the ring, then loads it once in its order, past the first level, so that the second level
 * holds what it holds after one pass of a chase, not just the lines that were written last. */
static void link_ring(struct cuda_gpu *gpu, const uint32_t *order)
{
    const struct cuda_job *job = &gpu->job;
    struct cuda_memory tables;
    const size_t count = (size_t)job->count, ring = count / rings_of(&job->work),
                 bytes = count * sizeof *order;
    if (!cuda_allocate(gpu, GPU_ON_HOST, 0, 2 * bytes, &tables))
        return;
    uint64_t values = by_index(&job->work) ? job->work.stride / WORD_BYTES : 0;
    const uint64_t link[] = {job->base, job->work.stride, tables.address + bytes, job->count,
                             values};
    const uint64_t sweep[] = {job->base, job->work.stride, job->count, tables.address};
    double expected_ns = (double)job->count * SLOWEST_ELEMENT_NS;
    /* The order, followed by the successor of each element. Both tables lie on the host: in the
     * device's memory they would occupy part of its second level, 4 bytes for every 128 of the
     * ring, and a set of 16 ways would lose its first line when the ring fills 15/16 of it. */
    uint32_t *successors = (uint32_t *)tables.host + count;
    memcpy(tables.host, order, bytes);
    for (size_t i = 0; i < count; i++)
        successors[order[i]] = order[(i + 1) % ring ? i + 1 : i + 1 - ring];
    cuda_helper(gpu, "link", link, sizeof link / sizeof *link, expected_ns);
    cuda_helper(gpu, "sweep", sweep, sizeof sweep / sizeof *sweep, expected_ns);
    cuda_free(gpu, &tables);
}

/* The ring holds offsets in the bank, because constant memory has its own address space. */
static void fill_bank(struct cuda_gpu *gpu, const uint32_t *order)
{
    const struct cuda_job *job = &gpu->job;
    size_t step = job->work.stride / WORD_BYTES, first = (size_t)job->base / WORD_BYTES, bytes;
    uint64_t address;
    if (!CUDA_TRY(gpu, cuModuleGetGlobal, &address, &bytes, gpu->module, PTX_CONSTANT_BANK))
        return;
    uint32_t *bank = calloc(PTX_CONSTANT_BYTES, 1);
    if (!bank) {
        cuda_fail_memory(gpu);
        return;
    }
    for (size_t i = 0; i < job->count; i++) {
        uint32_t next = order[i + 1 < job->count ? i + 1 : 0];
        bank[first + order[i] * step] = (uint32_t)((first + next * step) * WORD_BYTES);
    }
    cuda_send(gpu, address, bank, PTX_CONSTANT_BYTES);
    free(bank);
}

static void lay_out(struct cuda_gpu *gpu, const uint32_t *order)
{
    struct cuda_job *job = &gpu->job;
    if (job->work.path == GPU_CONSTANT) {
        job->base = job->work.offset;
        job->place = job->base + order[0] * job->work.stride;
        fill_bank(gpu, order);
        return;
    }
    cuda_place(gpu);
    link_ring(gpu, order);
    if (job->work.path == GPU_TEXTURE) {
        const struct cuda_resource resource = {
            .type = CUDA_RESOURCE_LINEAR,
            .linear = {job->base, CUDA_FORMAT_UNSIGNED_32, 1, job->work.bytes},
        };
        const struct cuda_texture texture = {.flags = CUDA_TEXTURE_READ_AS_INTEGER};
        if (!CUDA_TRY(gpu, cuTexObjectCreate, &job->texture, &resource, &texture, NULL))
            job->texture = 0;
    }
    job->place = by_index(&job->work) ? order[0] * (job->work.stride / WORD_BYTES)
                                      : job->base + order[0] * job->work.stride;
}

static void prepare_chase(struct cuda_gpu *gpu, uint64_t seed)
{
    struct cuda_job *job = &gpu->job;
    const struct gpu_work *work = &job->work;
    job->grid = (struct cuda_grid){
        .blocks = 1, .threads = work->before == GPU_RIVAL ? WARP * GPU_RIVAL_WARPS : WARP};
    job->count = work->bytes / work->stride;
    cuda_function(gpu, ptx_chase(work->path, work->width_bits, work->before));
    if (!cuda_works(gpu))
        return;
    uint32_t *order = visiting_order(work, (size_t)job->count, seed);
    if (!order || (work->timed && !move_timed_last(work, order, (size_t)job->count)))
        cuda_fail_memory(gpu);
    else
        lay_out(gpu, order);
    free(order);
}

/* --- running --- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Groups of loads that come before the timed ones. */
static uint64_t warm_groups(const struct cuda_gpu *gpu)
{
    const struct cuda_job *job = &gpu->job;
    enum gpu_path path = job->work.path;
    bool first_level = path == GPU_L1 || path == GPU_READ_ONLY || path == GPU_TEXTURE;
    size_t first_level_bytes = gpu->device->first_level_bytes;
    uint64_t loads = FEW_LOADS;
    if (path == GPU_CONSTANT || job->fresh)
        loads = 2 * job->count;
    else if (first_level && job->work.bytes / MANY_TIMES <= first_level_bytes)
        loads = 2 * least(job->count, first_level_bytes / job->work.stride + 1);
    loads = least(loads, MOST_LOADS);
    return (loads + PTX_LOADS - 1) / PTX_LOADS;
}

bool cuda_follow(struct cuda_gpu *gpu, const uint64_t *parameters, size_t count, double expected_ns,
                 struct gpu_time *time)
{
    struct cuda_job *job = &gpu->job;
    int wanted = job->work.multiprocessor;
    unsigned cluster = job->grid.cluster ? job->grid.cluster : 1;
    unsigned blocks = wanted < 0 ? 1 : gpu->device->multiprocessors * BLOCKS_FOR_ONE;
    for (int attempt = 0; attempt < (wanted < 0 ? 1 : ATTEMPTS); attempt++) {
        job->grid.blocks = cluster * blocks;
        const uint64_t *seen = cuda_timed(gpu, parameters, count, 1, expected_ns);
        if (!seen)
            return false;
        if (seen[PTX_DONE]) {
            job->place = seen[PTX_LAST];
            *time = (struct gpu_time){(double)seen[PTX_NS], (double)seen[PTX_CYCLES]};
            return true;
        }
        blocks *= 2;
    }
    if (wanted < 0)
        return cuda_fail(gpu, "the kernel left no result: try again");
    return cuda_fail(gpu,
                     "no block came to multiprocessor %d in %d attempts: it may belong to another "
                     "partition of the device",
                     wanted, ATTEMPTS);
}

/* Times `groups` groups after `warm` untimed ones, from where the chase stopped. */
static bool follow_groups(struct cuda_gpu *gpu, uint64_t groups, uint64_t warm,
                          struct gpu_time *time)
{
    struct cuda_job *job = &gpu->job;
    /* start, groups, warm, out, sm; then base, or texture and base, if the kernel has them. */
    const uint64_t parameters[] = {
        job->place,
        groups,
        warm,
        gpu->results.address,
        (uint64_t)(int64_t)job->work.multiprocessor,
        job->work.path == GPU_TEXTURE ? job->texture : job->base,
        job->base,
    };
    const uint64_t beside[] = {
        job->place,     groups, warm, gpu->results.address, job->base + job->work.bytes / 2,
        job->work.warp,
    };
    const bool rival = job->work.before == GPU_RIVAL;
    double loads = (double)(groups + (rival ? 2 : 1) * warm) * (double)PTX_LOADS;
    return cuda_follow(gpu, rival ? beside : parameters,
                       rival ? sizeof beside / sizeof *beside
                             : sizeof parameters / sizeof *parameters,
                       loads * CUDA_SLOWEST_LOAD_NS, time);
}

/* Untimed groups of loads before a pass's timed ones. */
static uint64_t groups_before(const struct cuda_job *job, uint64_t timed, uint64_t all)
{
    switch (job->work.before) {
    case GPU_PLAIN_LOADS:
    case GPU_RIVAL:
        return all;
    case GPU_NOTHING:
        return 0;
    default:
        return (job->fresh ? all : 0) + all - timed;
    }
}

/* Whole passes over the ring, one launch each, which begin with the untimed loads. The first launch
 * makes one more untimed pass; otherwise misses caused by the sweep would be timed. */
static void run_part(struct cuda_gpu *gpu, uint64_t repeats, uint64_t *did, struct gpu_time *time)
{
    struct cuda_job *job = &gpu->job;
    const uint64_t all = job->count / rings_of(&job->work) / PTX_LOADS;
    const uint64_t timed = job->work.timed ? job->work.timed_count / PTX_LOADS : all;
    struct gpu_time sum = {0, 0};
    for (*did = 0; *did < repeats; *did += timed * PTX_LOADS) {
        if (!follow_groups(gpu, timed, groups_before(job, timed, all), time))
            return;
        job->fresh = false;
        sum.ns += time->ns;
        sum.cycles += time->cycles;
    }
    *time = sum;
}

static void run_chase(struct cuda_gpu *gpu, uint64_t repeats, uint64_t *did, struct gpu_time *time)
{
    const uint64_t groups = (repeats + PTX_LOADS - 1) / PTX_LOADS;
    if (gpu->job.work.timed || gpu->job.work.before != GPU_ITSELF)
        run_part(gpu, repeats, did, time);
    else if (follow_groups(gpu, groups, warm_groups(gpu), time))
        *did = groups * PTX_LOADS;
}

const struct cuda_kind cuda_chase = {refuses_chase, prepare_chase, run_chase};
