/*
 * Device to device: the latency of a load from another device's memory, the bandwidth of copies by
 * the copy engines, and that of loads by all multiprocessors. Each is a matrix of all measured
 * devices; every device adds its row.
 *
 * The ring fits the other device's second-level cache, so a load costs the link and a hit there:
 * loads go past the first level, and a device's second level never keeps remote lines.
 *
 * Time: a load over NVLink or PCIe takes 0.5 to 2 us, so a point is six trials of three batches of
 * 1 ms; a copy of 64 MiB takes 0.2 to 3 ms. Eight devices: 56 pairs of either, four seconds.
 */
#include "measure/probes/gpu/gpu.h"

#include <string.h>

enum { RING_BYTES = 1 << 20, RING_STRIDE = 128 };
static const size_t copy_bytes = 64 << 20;

/* Each is a stage, because all points of a plan have one unit. */
enum step { LATENCY, COPIES, READS, STEPS };

static const struct {
    const char *series, *finding;
    struct axis y;
    const char *text; /* of a finding: from, to */
} steps[STEPS] = {
#include "peers.texts.h"
};

static struct gpu_work work_of(enum step step, size_t peer)
{
    struct gpu_work work = gpu_chase(GPU_L2, RING_BYTES, RING_STRIDE);
    if (step != LATENCY) {
        work = gpu_work_none;
        work.action = step == COPIES ? GPU_TRANSFER : GPU_STREAM;
        work.bytes = copy_bytes;
    }
    if (step == COPIES) {
        work.direction = GPU_TO_PEER;
    } else {
        work.path = GPU_L2;
        work.home = GPU_ON_PEER;
    }
    work.peer = (int)peer;
    return work;
}

/* The matrix of all devices; NULL: no device has added one yet. */
static struct series *find_matrix(const struct gpu_task *task, enum step step)
{
    const struct plan *plan = &task->task->plan;
    for (size_t i = 0; i < plan->series_count; i++)
        if (plan->series[i].matrix && strcmp(plan->series[i].name, steps[step].series) == 0)
            return &plan->series[i];
    return NULL;
}

static void plan_peers(struct gpu_task *task)
{
    const enum step step = (enum step)task->stage;
    struct plan *plan = &task->task->plan;
    struct series *matrix = find_matrix(task, step);
    for (size_t peer = 0; peer < task->all_count; peer++) {
        const struct gpu_work work = work_of(step, peer);
        const int id = task->all[peer].id;
        if (peer == task->device ||
            !gpu_can(task, pool_printf(task->task->pool, "%s to gpu%d", steps[step].series, id),
                     &work))
            continue;
        if (!matrix) {
            matrix = pool_append(task->task->pool, (void **)&plan->series, &plan->series_count,
                                 sizeof *matrix);
            *matrix = (struct series){.name = steps[step].series,
                                      .matrix = true,
                                      .x = {"device to device", ""},
                                      .y = steps[step].y};
        }
        gpu_add_pair(task, matrix, task->facts->id, id, &work);
    }
    if (step != LATENCY)
        gpu_plan_rates(task);
}

/* "gpu0.peer1.latency", "gpu0.peer1.copy", "gpu0.peer1.read": findings from this device's row. */
static void conclude_point(struct gpu_task *task, enum step step, const struct point *point)
{
    struct pool *pool = task->task->pool;
    const char *name = pool_printf(pool, "peer%d.%s", point->to, steps[step].finding);
    const char *text = pool_printf(pool, steps[step].text, point->from, point->to);
    struct gpu_points points = {0};
    if (step != LATENCY) {
        gpu_add_rate(task, name, point, text);
        return;
    }
    gpu_points_add(&points, task, point);
    gpu_add_latency(task, name, points, text);
}

static void conclude_peers(struct gpu_task *task)
{
    for (int step = 0; step < STEPS; step++) {
        const struct series *matrix = find_matrix(task, (enum step)step);
        for (size_t i = 0; matrix && i < matrix->point_count; i++)
            if (matrix->points[i].from == task->facts->id)
                conclude_point(task, (enum step)step, &matrix->points[i]);
    }
}

static const char *refuses_peers(const struct gpu_task *task)
{
    return task->all_count < 2 ? "needs a second device" : NULL;
}

const struct gpu_experiment gpu_peers = {
    .name = "peers",
    .summary = "device to device: latency and copies between several GPUs",
    .weight = 2,
    .cuda_alone = true,
    .by_default = true,
    .stages = STEPS,
    .refuses = refuses_peers,
    .plan = plan_peers,
    .conclude = conclude_peers,
};
