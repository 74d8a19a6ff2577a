/*
 * Between host and device: copies of pinned and of pageable memory, one way and both at once; what
 * all multiprocessors load from pinned memory and store there themselves (mapped); a load from host
 * memory by the device (zero copy); and a launch, from the call to the empty
 * kernel's end as the host sees it.
 *
 * Small copies are bound by their launch, large ones by the link; the curve of pinned copies shows
 * from which size on. Pageable memory goes through a staging buffer of the driver, which the host's
 * processor fills.
 *
 * The load takes the uncached way (ld.global.cv), which alone is promised to fetch host memory
 * anew: PTX ISA, 9.7.9.1, "Cache Operators".
 *
 * Time: copies at 25 to 50 GB/s of pinned and 5 to 10 GB/s of pageable memory; 64 MiB take 1.3 to
 * 13 ms. Thirty-three points of six trials of three batches: two seconds, most of which the nine
 * large ones take. A load over PCIe takes 1 to 2 us, a launch 5 to 10 us: another 100 ms.
 */
#include "base/units.h"
#include "conclude/registry/device.h"
#include "measure/probes/gpu/findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint64_t pinned_least = 4 << 10, pageable_least = 64 << 10, largest = 64 << 20;
/* From one size to the next. */
enum { PINNED_FACTOR = 4, PAGEABLE_FACTOR = 32 };
enum { BATCHES = 3 };
/* What a batch of copies lasts at least: many small ones, one large one. */
static const double batch_ns = 500e3;
/* The ring that the device follows in host memory: more lines than it has loads under way, and few
 * enough pages for its translation. */
enum { RING_BYTES = 1 << 20, RING_STRIDE = 128 };

/* MAPPED: pinned, and moved by the multiprocessors themselves. */
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

/* Each is a stage, for all points of a plan yield the same. */
enum step { LATENCIES, RATES, STEPS };

struct host_state {
    unsigned planned;   /* steps */
    int copies[COPIES]; /* series; -1: the device can't */
    int read, launch;
};

/* The largest copy: the device holds two at once (both ways), and others may use it. */
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

/* `bytes` are those of one copy: both ways there are two. */
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

static int plan_copy(struct gpu_task *task, const struct copy *copy, int *index,
                     struct error *error)
{
    const uint64_t most = copy_most(task);
    const struct gpu_work largest_copy = copy_of(copy, most);
    char what[64];
    snprintf(what, sizeof what, "copies %s, %s", copy->name, memory_names[copy->memory]);
    *index = -1;
    if (!gpu_can(task, what, &largest_copy))
        return 0;
    struct series *series = gpu_add_series(task, "host copies", (struct axis){"size", "B"},
                                           (struct axis){"bandwidth", "B/s"});
    *index = (int)(series - task->task->plan.series);
    int code = gpu_add_factor(task, series, "direction", copy->name, 0, error);
    if (code == 0)
        code = gpu_add_factor(task, series, "memory", memory_names[copy->memory], 0, error);
    const bool pinned = copy->memory == PINNED;
    const unsigned factor = pinned ? PINNED_FACTOR : PAGEABLE_FACTOR;
    const uint64_t least = pinned ? pinned_least : pageable_least;
    for (uint64_t bytes = most; bytes >= least && code == 0; bytes /= factor) {
        const struct gpu_work work = copy_of(copy, bytes);
        code = gpu_add_point(task, (size_t)*index, (double)bytes, &work, error);
    }
    return code;
}

static int plan_copies(struct gpu_task *task, struct host_state *state, struct error *error)
{
    struct plan *plan = &task->task->plan;
    plan->yields = OPERATIONS_PER_SECOND;
    plan->cycles = false;
    plan->batches = BATCHES;
    plan->batch_ns = batch_ns;
    int code = 0;
    for (size_t i = 0; i < COPIES && code == 0; i++)
        code = plan_copy(task, &copies[i], &state->copies[i], error);
    return code < 0 ? code : plan->point_count > 0;
}

static int plan_single(struct gpu_task *task, const char *what, const struct gpu_work *work,
                       const char *axis, double x, int *index, struct error *error)
{
    *index = -1;
    if (!gpu_can(task, what, work))
        return 0;
    struct series *series = gpu_add_series(task, what, (struct axis){axis, work->bytes ? "B" : ""},
                                           (struct axis){"latency", "ns"});
    *index = (int)(series - task->task->plan.series);
    return gpu_add_point(task, (size_t)*index, x, work, error);
}

static int plan_latencies(struct gpu_task *task, struct host_state *state, struct error *error)
{
    struct gpu_work read = gpu_work_none, launch = gpu_work_none;
    read.action = GPU_CHASE;
    read.path = GPU_UNCACHED;
    read.home = GPU_ON_HOST;
    read.bytes = RING_BYTES;
    read.stride = RING_STRIDE;
    launch.action = GPU_LAUNCH;
    int code =
        plan_single(task, "host reads", &read, "working set", RING_BYTES, &state->read, error);
    if (code == 0)
        code = plan_single(task, "launches", &launch, "blocks", 1, &state->launch, error);
    return code < 0 ? code : task->task->plan.point_count > 0;
}

static int plan_host(struct gpu_task *task, unsigned stage, struct error *error)
{
    if (stage == 0)
        task->state = pool_alloc(task->task->pool, 1, sizeof(struct host_state));
    struct host_state *state = task->state;
    int more = 0;
    while (more == 0 && state->planned < STEPS)
        more = state->planned++ == LATENCIES ? plan_latencies(task, state, error)
                                             : plan_copies(task, state, error);
    return more;
}

/* --- concluding --- */

static int conclude_copy(struct gpu_task *task, const struct copy *copy,
                         const struct series *series, struct error *error)
{
    struct pool *pool = task->task->pool;
    const char *name = pool_printf(pool, "host.%s.%s", copy->name, memory_names[copy->memory]);
    const uint64_t most = copy_most(task);
    char size[UNIT_TEXT];
    size_format((double)most, size);
    const char *text =
        copy->direction == GPU_BOTH_WAYS
            ? pool_printf(pool,
                          "copies of %s to the device and as many to the host at "
                          "the same time: their sum",
                          size)
        : copy->memory == MAPPED
            ? pool_printf(pool,
                          "%s of the host's pinned memory, %s by all "
                          "multiprocessors",
                          size, copy->direction == GPU_TO_DEVICE ? "loaded" : "stored")
            : pool_printf(pool, "copies of %s", size);
    const struct point *last = gpu_last_point(series);
    return last && last->x == (double)most ? gpu_add_rate(task, name, last, text, error) : 0;
}

static int conclude_single(struct gpu_task *task, int index, const char *finding, const char *text,
                           struct error *error)
{
    struct gpu_points points = {0};
    if (index < 0)
        return 0;
    int code =
        gpu_points_between(&points, task, &task->task->plan.series[index], 0, INFINITY, error);
    return code < 0 ? code : gpu_add_latency(task, finding, &points, text, error);
}

static int conclude_host(struct gpu_task *task, struct error *error)
{
    const struct host_state *state = task->state;
    int code = 0;
    for (size_t i = 0; i < COPIES && code == 0; i++)
        if (state->copies[i] >= 0)
            code =
                conclude_copy(task, &copies[i], &task->task->plan.series[state->copies[i]], error);
    if (code == 0)
        code =
            conclude_single(task, state->read, "host.read",
                            "a load by the device from the host's memory, past its caches", error);
    if (code == 0)
        code = conclude_single(task, state->launch, "host.launch",
                               "from the call to the end of a kernel that does nothing, as the "
                               "host sees it",
                               error);
    return code;
}

/* The series of those copies; -1: none. */
static int find_copies(const struct gpu_task *task, const struct copy *copy)
{
    const struct plan *plan = &task->task->plan;
    for (size_t i = 0; i < plan->series_count; i++) {
        const struct factor *direction = series_factor(&plan->series[i], "direction"),
                            *memory = series_factor(&plan->series[i], "memory");
        const char *rest;
        if (device_of_name(plan->series[i].name, &rest) == task->facts->id &&
            strcmp(rest, "host copies") == 0 && direction && direction->text && memory &&
            memory->text && strcmp(direction->text, copy->name) == 0 &&
            strcmp(memory->text, memory_names[copy->memory]) == 0)
            return (int)i;
    }
    return -1;
}

static int recall_host(struct gpu_task *task, struct error *error)
{
    struct host_state *state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
    state->read = gpu_find_series(task, "host reads", NULL, NULL, 0);
    state->launch = gpu_find_series(task, "launches", NULL, NULL, 0);
    int any = state->read >= 0 || state->launch >= 0;
    for (size_t i = 0; i < COPIES; i++) {
        state->copies[i] = find_copies(task, &copies[i]);
        any |= state->copies[i] >= 0;
    }
    return any;
}

const struct gpu_experiment gpu_host = {
    .name = "host",
    .summary = "copies from and to the host, its memory read by the device, launches",
    .weight = 3,
    .by_default = true,
    .plan = plan_host,
    .conclude = conclude_host,
    .recall = recall_host,
};
