/*
 * Latency from one multiprocessor to another's scratchpad: distributed shared memory, which blocks
 * of a cluster can read (capability 9.0 and up; CUDA C++ Programming Guide, "Distributed Shared
 * Memory"). Block 0 follows a ring in the scratchpad of the block with some rank; rank 0 is its own
 * scratchpad by the same path. An H800 takes 180 cycles (arXiv 2402.13499).
 *
 * The device places the blocks of a cluster, perhaps differently in each launch; the trials include
 * that variation.
 *
 * Only the driver knows the largest cluster: at least 8 blocks on all devices with clusters, 16 on
 * some, and fewer while other programs occupy a part of the device. The backend asks the driver
 * when a size is planned.
 *
 * Time: a point is six trials of three batches of 1 ms and their launches of 10 us, some 20 ms; the
 * 30 points of clusters of 2, 4, 8 and 16 take 0.6 s.
 */
#include "measure/probes/gpu/gpu.h"

#include <math.h>
#include <stdlib.h>

static const unsigned cluster_sizes[] = {2, 4, 8, 16};
enum { SIZES = sizeof cluster_sizes / sizeof *cluster_sizes };
/* Fits every scratchpad; the same for all ranks. */
enum { RING_BYTES = 4 << 10, RING_STRIDE = 8 };
/* The first capability with clusters. */
static const double least_capability = 9.0;

static void plan_cluster(struct gpu_task *task)
{
    for (size_t i = 0; i < SIZES; i++) {
        const unsigned size = cluster_sizes[i];
        struct gpu_work work = gpu_chase(GPU_CLUSTER, RING_BYTES, RING_STRIDE);
        work.cluster_size = size;
        if (!gpu_can(task, pool_printf(task->task->pool, "clusters of %u", size), &work))
            continue;
        struct series *series =
            gpu_add_series(task, "cluster", (struct axis){"rank", ""}, gpu_in_ns);
        gpu_add_factor(task, series, "cluster_size", NULL, size);
        for (; work.rank < size; work.rank++)
            gpu_add_point(task, series, work.rank, &work);
    }
}

/* Concludes from the largest cluster that was measured. */
static void conclude_cluster(struct gpu_task *task)
{
    for (size_t i = SIZES; i-- > 0;) {
        const unsigned size = cluster_sizes[i];
        const struct series *series = gpu_find_series(task, "cluster", "cluster_size", NULL, size);
        const struct gpu_points others = gpu_points_between(task, series, 1, INFINITY);
        if (!others.count)
            continue;
        gpu_add_latency(task, "cluster.latency", others,
                        pool_printf(task->task->pool,
                                    "the scratchpad of another multiprocessor in a cluster of %u",
                                    size));
        gpu_add_latency(task, "cluster.own", gpu_points_between(task, series, 0, 0),
                        "the multiprocessor's own scratchpad, by the same way");
        return;
    }
}

static const char *refuses_cluster(const struct gpu_task *task)
{
    const char *capability = task->facts->capability;
    return capability && strtod(capability, NULL) >= least_capability
               ? NULL
               : "needs an NVIDIA device of capability 9.0 or later";
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
};
