/*
 * From one multiprocessor to the scratchpad of another: distributed shared memory, which blocks of
 * a cluster read of one another (capability 9.0 and up; CUDA C++ Programming Guide, "Distributed
 * Shared Memory"). Block 0 follows a ring that lies with the block of some rank; rank 0 is its own
 * scratchpad by the same way. On an H800 180 cycles (arXiv 2402.13499).
 *
 * Where the blocks of a cluster are placed is the device's choice and may differ from launch to
 * launch; the trials see that.
 *
 * How large a cluster may be only the driver knows: 8 at least on all devices that have them, 16 on
 * some, and fewer where others hold a part of it. The backend asks it when a size is planned.
 *
 * Time: a point is six trials of three batches of 1 ms and their launches of 10 us, some 20 ms; the
 * 30 points of clusters of 2, 4, 8 and 16 take 0.6 s.
 */
#include "measure/probes/gpu/findings.h"
#include "measure/probes/gpu/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const unsigned cluster_sizes[] = {2, 4, 8, 16};
enum { SIZES = sizeof cluster_sizes / sizeof *cluster_sizes };
/* Within every scratchpad; the same for all ranks. */
enum { RING_BYTES = 4 << 10, RING_STRIDE = 8 };
/* The first that has clusters: 9.0. */
static const double least_capability = 9.0;

struct cluster_state {
    int series[SIZES]; /* -1: that size can't be launched */
};

static struct gpu_work chase_of(unsigned rank, unsigned size)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = GPU_CLUSTER;
    work.order = GPU_RANDOM;
    work.bytes = RING_BYTES;
    work.stride = RING_STRIDE;
    work.rank = rank;
    work.cluster_size = size;
    return work;
}

static int plan_size(struct gpu_task *task, unsigned size, int *index, struct error *error)
{
    struct gpu_work work = chase_of(0, size);
    char what[32];
    snprintf(what, sizeof what, "clusters of %u", size);
    *index = -1;
    if (!gpu_can(task, what, &work))
        return 0;
    struct series *series =
        gpu_add_series(task, "cluster", (struct axis){"rank", ""}, (struct axis){"latency", "ns"});
    *index = (int)(series - task->task->plan.series);
    int code = gpu_add_factor(task, series, "cluster_size", NULL, size, error);
    for (unsigned rank = 0; rank < size && code == 0; rank++) {
        work = chase_of(rank, size);
        code = gpu_add_point(task, (size_t)*index, rank, &work, error);
    }
    return code;
}

static int plan_cluster(struct gpu_task *task, unsigned stage, struct error *error)
{
    struct cluster_state *state;
    if (stage > 0)
        return 0;
    state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
    int code = 0;
    for (size_t i = 0; i < SIZES && code == 0; i++)
        code = plan_size(task, cluster_sizes[i], &state->series[i], error);
    return code < 0 ? code : task->task->plan.point_count > 0;
}

/* The ranks of the largest cluster that gave any. */
static int conclude_cluster(struct gpu_task *task, struct error *error)
{
    const struct cluster_state *state = task->state;
    for (size_t i = SIZES; i-- > 0;) {
        struct gpu_points others = {0}, own = {0};
        if (state->series[i] < 0)
            continue;
        const struct series *series = &task->task->plan.series[state->series[i]];
        int code = gpu_points_between(&others, task, series, 1, INFINITY, error);
        if (code == 0)
            code = gpu_points_between(&own, task, series, 0, 0, error);
        if (code < 0)
            return code;
        if (!others.count)
            continue;
        const char *text = pool_printf(
            task->task->pool, "the scratchpad of another multiprocessor in a cluster of %u",
            cluster_sizes[i]);
        code = gpu_add_latency(task, "cluster.latency", &others, text, error);
        return code < 0
                   ? code
                   : gpu_add_latency(task, "cluster.own", &own,
                                     "the multiprocessor's own scratchpad, by the same way", error);
    }
    return 0;
}

static const char *refuses_cluster(const struct gpu_task *task)
{
    const char *capability = task->facts->capability;
    return capability && strtod(capability, NULL) >= least_capability
               ? NULL
               : "needs an NVIDIA device of capability 9.0 or later";
}

static int recall_cluster(struct gpu_task *task, struct error *error)
{
    struct cluster_state *state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
    int any = 0;
    for (size_t i = 0; i < SIZES; i++) {
        state->series[i] = gpu_find_series(task, "cluster", "cluster_size", NULL, cluster_sizes[i]);
        any |= state->series[i] >= 0;
    }
    return any;
}

const struct gpu_experiment gpu_cluster = {
    .name = "cluster",
    .summary = "multiprocessor to multiprocessor, through distributed shared memory",
    .weight = 1,
    .cuda_alone = true,
    .by_default = true,
    .refuses = refuses_cluster,
    .plan = plan_cluster,
    .conclude = conclude_cluster,
    .recall = recall_cluster,
};
