/*
 * Between host and device: copies of pinned and of pageable memory, in one direction and both at
 * once; loads and stores of mapped pinned memory by all multiprocessors; the latency of a device's
 * load from host memory (zero copy); and a launch, from the call to the empty kernel's end as the
 * host sees it.
 *
 * Small copies are bound by their launch, large ones by the link; the curve of pinned copies shows
 * where that changes. Copies of pageable memory go through a staging buffer of the driver, which
 * the host's processor fills.
 *
 * The load is uncached (ld.global.cv), the only operator that is guaranteed to fetch host memory
 * again: PTX ISA, 9.7.9.1, "Cache Operators".
 *
 * Time: copies at 25 to 50 GB/s of pinned and 5 to 10 GB/s of pageable memory; 64 MiB take 1.3 to
 * 13 ms. Thirty-three points of six trials of three batches: two seconds, most of which the nine
 * large ones take. A load over PCIe takes 1 to 2 us, a launch 5 to 10 us: another 100 ms.
 */
#include "base/units.h"
#include "measure/probes/gpu/gpu.h"

#include <math.h>

static const uint64_t pinned_least = 4 << 10, pageable_least = 64 << 10, largest = 64 << 20;
/* From one size to the next. */
enum { PINNED_FACTOR = 4, PAGEABLE_FACTOR = 32 };
enum { BATCHES = 3 };
/* The least time of a batch: many small copies or one large one. */
static const double batch_ns = 500e3;
/* The ring in host memory: more lines than the device has loads in flight, but so few pages that
 * its TLBs hold them. */
enum { RING_BYTES = 1 << 20, RING_STRIDE = 128 };

/* MAPPED: pinned, and read or written by the multiprocessors. */
enum memory { PINNED, PAGEABLE, MAPPED };
static const char *const memory_names[] = {"pinned", "pageable", "mapped"};

struct copy {
    enum gpu_direction direction;
    enum memory memory;
    const char *name;
};

static const struct copy copies[] = {
    {GPU_TO_DEVICE, PINNED, "to_device"}, {GPU_TO_HOST, PINNED, "to_host"},
    {GPU_BOTH_WAYS, PINNED, "both_ways"}, {GPU_TO_DEVICE, PAGEABLE, "to_device"},
    {GPU_TO_HOST, PAGEABLE, "to_host"},   {GPU_BOTH_WAYS, PAGEABLE, "both_ways"},
    {GPU_TO_DEVICE, MAPPED, "to_device"}, {GPU_TO_HOST, MAPPED, "to_host"},
};
enum { COPIES = sizeof copies / sizeof *copies };

/* The largest copy: both ways need two on the device, and other programs may use its memory. */
static uint64_t copy_most(const struct gpu_task *task)
{
    enum { MEMORY_PART = 8 };
    uint64_t most = largest;
    while (task->facts->memory_bytes && most > task->facts->memory_bytes / MEMORY_PART &&
           most > pageable_least)
        most /= 2;
    return most;
}

/* --- planning --- */

/* `bytes` is the size of one copy; GPU_BOTH_WAYS makes two. */
static struct gpu_work copy_of(const struct copy *copy, uint64_t bytes)
{
    struct gpu_work work = gpu_work_none;
    if (copy->memory == MAPPED) {
        work.action = GPU_STREAM;
        work.path = GPU_L2;
        work.home = GPU_ON_HOST;
        work.traffic = copy->direction == GPU_TO_DEVICE ? GPU_READ : GPU_WRITE;
        work.bytes = (size_t)bytes;
        return work;
    }
    work.action = GPU_TRANSFER;
    work.direction = copy->direction;
    work.pinned = copy->memory == PINNED;
    work.bytes = (size_t)bytes * (copy->direction == GPU_BOTH_WAYS ? 2 : 1);
    return work;
}

static void plan_single(struct gpu_task *task, const char *what, const struct gpu_work *work,
                        struct axis axis, double x)
{
    if (gpu_can(task, what, work))
        gpu_add_point(task, gpu_add_series(task, what, axis, gpu_in_ns), x, work);
}

/* All points of a stage have one unit: first latencies, then rates. */
static void plan_host(struct gpu_task *task)
{
    struct gpu_work read = gpu_chase(GPU_UNCACHED, RING_BYTES, RING_STRIDE), launch = gpu_work_none;
    if (task->stage > 0) {
        gpu_plan_rates(task);
        task->task->plan.batches = BATCHES;
        task->task->plan.batch_ns = batch_ns;
        for (size_t i = 0; i < COPIES; i++) {
            const bool pinned = copies[i].memory == PINNED;
            const unsigned factor = pinned ? PINNED_FACTOR : PAGEABLE_FACTOR;
            const uint64_t least = pinned ? pinned_least : pageable_least;
            uint64_t bytes = copy_most(task);
            struct gpu_work work = copy_of(&copies[i], bytes);
            if (!gpu_can(task,
                         pool_printf(task->task->pool, "copies %s, %s", copies[i].name,
                                     memory_names[copies[i].memory]),
                         &work))
                continue;
            struct series *series =
                gpu_add_series(task, "host copies", (struct axis){"size", "B"}, gpu_rate);
            gpu_add_factor(task, series, "direction", copies[i].name, 0);
            gpu_add_factor(task, series, "memory", memory_names[copies[i].memory], 0);
            for (; bytes >= least; bytes /= factor) {
                work = copy_of(&copies[i], bytes);
                gpu_add_point(task, series, (double)bytes, &work);
            }
        }
        return;
    }
    read.home = GPU_ON_HOST;
    launch.action = GPU_LAUNCH;
    plan_single(task, "host reads", &read, gpu_by_size, RING_BYTES);
    plan_single(task, "launches", &launch, (struct axis){"blocks", ""}, 1);
}

/* --- concluding --- */

/* The series of those copies; NULL: none. */
static const struct series *find_copies(const struct gpu_task *task, const struct copy *copy)
{
    const struct factor with[] = {{"direction", copy->name, NAN},
                                  {"memory", memory_names[copy->memory], NAN},
                                  {.name = NULL}};
    return gpu_find_series_with(task, "host copies", with);
}

static void conclude_copy(struct gpu_task *task, const struct copy *copy)
{
    struct pool *pool = task->task->pool;
    const uint64_t most = copy_most(task);
    const struct point *last = gpu_last_point(find_copies(task, copy));
    const char *size = size_text(pool, (double)most);
    const char *text =
        copy->direction == GPU_BOTH_WAYS
            ? pool_printf(pool,
                          "copies of %s to the device and as many to the host at the same time: "
                          "their sum",
                          size)
        : copy->memory == MAPPED
            ? pool_printf(pool, "%s of the host's pinned memory, %s by all multiprocessors", size,
                          copy->direction == GPU_TO_DEVICE ? "loaded" : "stored")
            : pool_printf(pool, "copies of %s", size);
    if (last && last->x == (double)most)
        gpu_add_rate(task, pool_printf(pool, "host.%s.%s", copy->name, memory_names[copy->memory]),
                     last, text);
}

static void conclude_host(struct gpu_task *task)
{
    for (size_t i = 0; i < COPIES; i++)
        conclude_copy(task, &copies[i]);
    gpu_add_latency(task, "host.read",
                    gpu_points_of(task, gpu_find_series(task, "host reads", NULL, NULL, 0)),
                    "a load by the device from the host's memory, past its caches");
    gpu_add_latency(task, "host.launch",
                    gpu_points_of(task, gpu_find_series(task, "launches", NULL, NULL, 0)),
                    "from the call to the end of a kernel that does nothing, as the host sees it");
}

const struct gpu_experiment gpu_host = {
    .name = "host",
    .summary = "copies from and to the host, its memory read by the device, launches",
    .weight = 3,
    .by_default = true,
    .stages = 2,
    .plan = plan_host,
    .conclude = conclude_host,
};
