/*
 * Device to device: the latency of a load from another's memory, copies from one to the other by
 * the copy engines, and what all multiprocessors of one load from the other.
 * A matrix each, of all devices that are measured, to which every device adds its row.
 *
 * The ring fits the other device's second-level cache, so the load costs the way there and a hit;
 * loads go past the own first level, and remote lines are never kept in the own second level.
 *
 * Time: a load over NVLink or PCIe takes 0.5 to 2 us, so a point is six trials of three batches of
 * 1 ms; a copy of 64 MiB takes 0.2 to 3 ms. Eight devices: 56 pairs of either, four seconds.
 */
#include "measure/probes/gpu/findings.h"

#include <stdio.h>
#include <string.h>

enum { RING_BYTES = 1 << 20, RING_STRIDE = 128 };
static const size_t copy_bytes = 64 << 20;

/* Each is a stage, for all points of a plan yield the same. */
enum step { LATENCY, COPIES, READS, STEPS };

static const struct {
    const char *series, *finding;
    struct axis y;
    const char *text; /* of a finding: from, to */
} steps[STEPS] = {
    {"peer latency",
     "latency",
     {"latency", "ns"},
     "a load by gpu%d from the memory of gpu%d, where that device's second-level cache holds it"},
    {"peer copies", "copy", {"bandwidth", "B/s"}, "copies of 64 MiB from gpu%d to gpu%d"},
    {"peer reads",
     "read",
     {"bandwidth", "B/s"},
     "all multiprocessors of gpu%d load 64 MiB of the memory of gpu%d"},
};

struct peers_state {
    unsigned planned;
    int series[STEPS]; /* -1: no pair can */
};

static struct gpu_work work_of(enum step step, size_t peer)
{
    struct gpu_work work = gpu_work_none;
    work.peer = (int)peer;
    if (step == LATENCY) {
        work.action = GPU_CHASE;
        work.path = GPU_L2;
        work.home = GPU_ON_PEER;
        work.bytes = RING_BYTES;
        work.stride = RING_STRIDE;
        return work;
    }
    work.bytes = copy_bytes;
    work.action = step == COPIES ? GPU_TRANSFER : GPU_STREAM;
    if (step == COPIES) {
        work.direction = GPU_TO_PEER;
    } else {
        work.path = GPU_L2;
        work.home = GPU_ON_PEER;
        work.traffic = GPU_READ;
    }
    return work;
}

/* The matrix that the devices before this one have begun, or a new one: its index. */
static int find_matrix(struct gpu_task *task, enum step step, struct error *error)
{
    struct plan *plan = &task->task->plan;
    for (size_t i = 0; i < plan->series_count; i++)
        if (plan->series[i].matrix && strcmp(plan->series[i].name, steps[step].series) == 0)
            return (int)i;
    struct series *series =
        pool_append(task->task->pool, (void **)&plan->series, &plan->series_count, sizeof *series);
    *series = (struct series){.name = steps[step].series,
                              .matrix = true,
                              .x = {"device to device", ""},
                              .y = steps[step].y};
    return (int)(plan->series_count - 1);
}

static int plan_step(struct gpu_task *task, struct peers_state *state, enum step step,
                     struct error *error)
{
    struct plan *plan = &task->task->plan;
    state->series[step] = -1;
    for (size_t peer = 0; peer < task->all_count; peer++) {
        const struct gpu_work work = work_of(step, peer);
        char what[48];
        snprintf(what, sizeof what, "%s to gpu%d", steps[step].series, task->all[peer].id);
        if (peer == task->device || !gpu_can(task, what, &work))
            continue;
        int index = find_matrix(task, step, error);
        int code = index < 0 ? index
                             : gpu_add_pair(task, (size_t)index, task->facts->id,
                                            task->all[peer].id, &work, error);
        if (code < 0)
            return code;
        state->series[step] = index;
    }
    if (step != LATENCY) {
        plan->yields = OPERATIONS_PER_SECOND;
        plan->cycles = false;
    }
    return plan->point_count > 0;
}

static int plan_peers(struct gpu_task *task, unsigned stage, struct error *error)
{
    if (stage == 0)
        task->state = pool_alloc(task->task->pool, 1, sizeof(struct peers_state));
    struct peers_state *state = task->state;
    int more = 0;
    for (; more == 0 && state->planned < STEPS; state->planned++)
        more = plan_step(task, state, (enum step)state->planned, error);
    return more;
}

/* "gpu0.peer1.latency", "gpu0.peer1.copy", "gpu0.peer1.read": what this device's row says. */
static int conclude_point(struct gpu_task *task, enum step step, const struct point *point,
                          struct error *error)
{
    struct gpu_points points = {0};
    const char *name = pool_printf(task->task->pool, "peer%d.%s", point->to, steps[step].finding);
    const char *text = pool_printf(task->task->pool, steps[step].text, point->from, point->to);
    if (step != LATENCY)
        return gpu_add_rate(task, name, point, text, error);
    int code = gpu_points_add(&points, task, point, error);
    return code < 0 ? code : gpu_add_latency(task, name, &points, text, error);
}

static int conclude_peers(struct gpu_task *task, struct error *error)
{
    const struct peers_state *state = task->state;
    int code = 0;
    for (int step = 0; step < STEPS && code == 0; step++) {
        if (state->series[step] < 0)
            continue;
        const struct series *series = &task->task->plan.series[state->series[step]];
        for (size_t i = 0; i < series->point_count && code == 0; i++)
            if (series->points[i].from == task->facts->id)
                code = conclude_point(task, (enum step)step, &series->points[i], error);
    }
    return code;
}

static const char *refuses_peers(const struct gpu_task *task)
{
    return task->all_count < 2 ? "needs a second device" : NULL;
}

static int recall_peers(struct gpu_task *task, struct error *error)
{
    const struct plan *plan = &task->task->plan;
    struct peers_state *state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
    int any = 0;
    for (int step = 0; step < STEPS; step++) {
        state->series[step] = -1;
        for (size_t i = 0; i < plan->series_count; i++)
            if (plan->series[i].matrix && strcmp(plan->series[i].name, steps[step].series) == 0)
                state->series[step] = (int)i;
        any |= state->series[step] >= 0;
    }
    return any;
}

const struct gpu_experiment gpu_peers = {
    .name = "peers",
    .summary = "device to device: latency and copies between several GPUs",
    .weight = 2,
    .cuda_alone = true,
    .by_default = true,
    .refuses = refuses_peers,
    .plan = plan_peers,
    .conclude = conclude_peers,
    .recall = recall_peers,
};
