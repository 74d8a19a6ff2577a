/*
 * Copies between the host and all measured devices at once, in one direction and in both: a
 * device's rate while the others copy too. If it is lower than alone, the devices share a link, a
 * switch or the host's memory bandwidth. Each device uses host memory near to it.
 *
 * A curve of two points for each direction: this device alone, and with all others. Both are
 * measured in the same way, so that they can be compared; `host` also measures the device alone,
 * but with memory that the driver allocates.
 *
 * Reference: NVIDIA, nvbandwidth (github.com/NVIDIA/nvbandwidth), all_to_host and host_to_all.
 *
 * Time: 32 MiB take 0.6 to 3 ms alone, and that times the number of devices if all share one link;
 * a trial is three batches of 5 ms, in which the others copy twice as much, and each point has six
 * of them. Before them 32 MiB are pinned for each device and way. Eight devices: 3 s each.
 */
#include "base/units.h"
#include "measure/probes/gpu/state.h"

#include <math.h>

/* Bytes of each copy; less if that is more than 1 / MEMORY_PART of a device's memory. */
static const uint64_t copy_bytes = UINT64_C(32) << 20;
enum { MEMORY_PART = 8, BATCHES = 3, WAYS_MOST = 2 };
static const double batch_ns = 5e6;

static const char what[] = "copies at once";

static const struct direction {
    enum gpu_direction direction;
    const char *name;
} directions[] = {
    {GPU_TO_DEVICE, "to_device"}, {GPU_TO_HOST, "to_host"}, {GPU_BOTH_WAYS, "both_ways"}};
enum { DIRECTIONS = sizeof directions / sizeof *directions };

/* The measured devices, as bits; without devices whose index has no bit. */
static uint64_t measured(const struct gpu_task *task)
{
    const struct gpu_state *state = task->task->state;
    uint64_t devices = 0;
    for (size_t i = 0; i < state->device_count; i++)
        if (state->devices[i] < GPU_TOGETHER_MOST)
            devices |= UINT64_C(1) << state->devices[i];
    return devices;
}

static int count_of(uint64_t devices)
{
    int count = 0;
    for (; devices; devices &= devices - 1)
        count++;
    return count;
}

/* Whether the host node near to one of the devices has no room for all devices' copies. */
static bool is_full(const struct gpu_task *task, uint64_t devices)
{
    const uint64_t bytes = (uint64_t)count_of(devices) * WAYS_MOST * copy_bytes;
    for (size_t i = 0; i < task->all_count && i < GPU_TOGETHER_MOST; i++)
        if (devices >> i & 1 &&
            !gpu_near_has_room(task->task->machine, task->all[i].host_node, bytes))
            return true;
    return false;
}

static const char *refuses_together(const struct gpu_task *task)
{
    const uint64_t devices = measured(task);
    if (task->device >= GPU_TOGETHER_MOST)
        return "copies at once with no device beyond the 64th";
    if (count_of(devices) < 2)
        return "needs a second device that is measured";
    return is_full(task, devices) ? "needs more free memory on the host's node near to the devices"
                                  : NULL;
}

/* --- planning --- */

/* Bytes of a copy, the same for all devices: limited by the smallest one. */
static uint64_t bytes_of(const struct gpu_task *task)
{
    const uint64_t devices = measured(task);
    uint64_t bytes = copy_bytes;
    for (size_t i = 0; i < task->all_count && i < GPU_TOGETHER_MOST; i++)
        while (devices >> i & 1 && task->all[i].memory_bytes &&
               bytes > task->all[i].memory_bytes / MEMORY_PART)
            bytes /= 2;
    return bytes;
}

static void plan_direction(struct gpu_task *task, const struct direction *direction)
{
    const uint64_t all = measured(task), bytes = bytes_of(task);
    struct gpu_work work = gpu_work_none;
    work.action = GPU_TRANSFER;
    work.direction = direction->direction;
    work.pinned = true;
    work.bytes = (size_t)bytes * (direction->direction == GPU_BOTH_WAYS ? 2 : 1);
    work.together = all;
    if (!gpu_can(task, pool_printf(task->task->pool, "%s, %s", what, direction->name), &work))
        return;
    struct series *series =
        gpu_add_series(task, what, (struct axis){"devices at once", ""}, gpu_rate);
    gpu_add_factor(task, series, "direction", direction->name, 0);
    gpu_add_factor(task, series, "bytes", NULL, (double)bytes);
    gpu_add_point(task, series, count_of(all), &work);
    work.together = UINT64_C(1) << task->device;
    gpu_add_point(task, series, 1, &work);
}

static void plan_together(struct gpu_task *task)
{
    gpu_plan_rates(task);
    task->task->plan.batches = BATCHES;
    task->task->plan.batch_ns = batch_ns;
    for (size_t i = 0; i < DIRECTIONS; i++)
        plan_direction(task, &directions[i]);
}

/* --- concluding --- */

static void conclude_direction(struct gpu_task *task, const struct direction *direction,
                               const struct series *series)
{
    struct pool *pool = task->task->pool;
    const struct point *alone = NULL, *beside = gpu_last_point(series);
    const struct factor *bytes = series_factor(series, "bytes");
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].y.n && !(series->points[i].x > 1))
            alone = &series->points[i];
    if (!beside || !(beside->x > 1))
        return;
    const char *size = size_text(pool, bytes ? bytes->number : NAN);
    gpu_add_rate(task, pool_printf(pool, "together.%s", direction->name), beside,
                 pool_printf(pool, "copies of %s%s while %.0f other%s did the same", size,
                             direction->direction == GPU_BOTH_WAYS ? " each way, their sum," : "",
                             beside->x - 1, beside->x > 2 ? "s" : ""));
    if (!alone)
        return;
    const struct interval share = estimate_ratio(finding_time_of(beside), finding_time_of(alone));
    gpu_add_finding(task, pool_printf(pool, "together.%s.share", direction->name), "", share,
                    alone->flags | beside->flags, "of its rate alone");
}

static void conclude_together(struct gpu_task *task)
{
    for (size_t i = 0; i < DIRECTIONS; i++) {
        const struct series *series =
            gpu_find_series(task, what, "direction", directions[i].name, 0);
        if (series)
            conclude_direction(task, &directions[i], series);
    }
}

const struct gpu_experiment gpu_together = {
    .name = "together",
    .summary = "copies from and to the host by all devices at once",
    .weight = 2,
    .cuda_alone = true,
    .by_default = true,
    .refuses = refuses_together,
    .plan = plan_together,
    .conclude = conclude_together,
};
