/*
 * Latency of the device's reads by the memory's place: each NUMA node of the host, and managed
 * memory that was prefetched to the device, that the device touched first, or that stays on the
 * host. On Grace the device's own memory is a node of the host too, and is the nearest one.
 *
 * Host memory is read as in host.c: past the caches, in a ring of few pages. Managed memory on the
 * device is read past the first level, in a ring of several times L2, so that its latency can be
 * compared with device memory's: a higher one means smaller pages.
 *
 * On a host with one node this is not measured: it would equal host.read.
 *
 * Time: a load over the link takes 1 to 2 us; a point is six trials of three batches of 1 ms. Eight
 * nodes and three kinds of managed memory: 0.3 s, and as much to send and link the rings.
 */
#include "conclude/registry/device.h"
#include "measure/probes/gpu/gpu.h"
#include "measure/probes/gpu/near.h"

#include <math.h>
#include <string.h>

/* The ring in the host's memory, as in host.c. */
enum { HOST_BYTES = 1 << 20, STRIDE = 128 };
/* The ring in the device's memory: several times L2; if that is unknown, several times the largest
 * known. */
enum { L2_TIMES = 4, MEMORY_PART = 8 };
static const uint64_t unknown_l2 = UINT64_C(64) << 20;

static const char node_reads[] = "node reads", managed_reads[] = "managed reads";

static const struct managed {
    const char *memory, *finding, *text;
    enum gpu_home home;
} kinds[] = {
#include "places.texts.h"
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* --- planning --- */

static struct gpu_work reads_of(const struct gpu_task *task, enum gpu_home home)
{
    const bool on_host = home == GPU_ON_NODE || home == GPU_MANAGED_ON_HOST;
    const uint64_t memory = gpu_memory(task);
    uint64_t bytes = task->facts->l2_bytes ? task->facts->l2_bytes : unknown_l2;
    bytes *= L2_TIMES;
    if (memory && bytes > memory / MEMORY_PART)
        bytes = memory / MEMORY_PART;
    struct gpu_work work = on_host ? gpu_chase(GPU_UNCACHED, HOST_BYTES, STRIDE)
                                   : gpu_chase(GPU_L2, (size_t)(bytes / STRIDE * STRIDE), STRIDE);
    work.home = home;
    return work;
}

/* Adds one point in its own series; the factor `name` distinguishes the series. */
static void plan_one(struct gpu_task *task, const char *what, const struct gpu_work *work,
                     const char *name, const char *text, double number)
{
    if (!gpu_can(task, text ? pool_printf(task->task->pool, "%s, %s", what, text) : what, work))
        return;
    struct series *series = gpu_add_series(task, what, gpu_by_size, gpu_in_ns);
    gpu_add_factor(task, series, name, text, number);
    gpu_add_point(task, series, (double)work->bytes, work);
}

/* Whether memory of the node can be obtained; if not, records the reason, unless the node has no
 * memory. */
static bool can_have(struct gpu_task *task, const struct numa_facts *node,
                     const struct node_place *place)
{
    if (!node->memory_bytes)
        return false;
    const char *why = !place            ? NULL
                      : !place->allowed ? "this process may take no memory from it: its cpuset "
                                          "(cpuset.mems) leaves it out"
                      : !gpu_near_has_room(task->task->machine, node->id, HOST_BYTES)
                          ? "too little of its memory is free"
                          : NULL;
    if (why)
        gpu_not_measured(task, pool_printf(task->task->pool, "%s of node %d", node_reads, node->id),
                         why);
    return !why;
}

static void plan_places(struct gpu_task *task)
{
    const struct gpu_work managed = reads_of(task, kinds[0].home);
    const struct machine *machine = task->task->machine;
    const size_t count = machine ? machine->facts.node_count : 0;
    size_t with_memory = 0;
    for (size_t i = 0; i < count; i++)
        with_memory += machine->facts.nodes[i].memory_bytes > 0;
    if (with_memory < 2)
        gpu_not_measured(task, node_reads,
                         "the host has only one NUMA node with memory: --what host measures a "
                         "load from it (host.read)");
    for (size_t i = 0; i < count && with_memory > 1; i++) {
        const struct numa_facts *node = &machine->facts.nodes[i];
        struct gpu_work work = reads_of(task, GPU_ON_NODE);
        work.node = node->id;
        if (can_have(task, node, machine->nodes ? &machine->nodes[i] : NULL))
            plan_one(task, node_reads, &work, "node", NULL, node->id);
    }
    if (!gpu_can(task, managed_reads, &managed))
        return;
    for (size_t i = 0; i < KINDS; i++) {
        const struct gpu_work work = reads_of(task, kinds[i].home);
        plan_one(task, managed_reads, &work, "memory", kinds[i].memory, 0);
    }
}

/* --- concluding --- */

static void conclude_node(struct gpu_task *task, const struct series *series)
{
    const struct factor *node = series_factor(series, "node");
    struct pool *pool = task->task->pool;
    if (!node || node->text || !(node->number >= 0))
        return;
    const bool nearest = !(fabs(node->number - task->facts->host_node) > 0);
    gpu_add_latency(task, pool_printf(pool, "node%.0f.read", node->number),
                    gpu_points_of(task, series),
                    pool_printf(pool, "a load by the device from the host's memory on node %.0f%s",
                                node->number, nearest ? ", to which it is nearest" : ""));
}

static void conclude_places(struct gpu_task *task)
{
    const struct plan *plan = &task->task->plan;
    const char *rest;
    for (size_t i = 0; i < plan->series_count; i++)
        if (device_of_name(plan->series[i].name, &rest) == task->facts->id &&
            strcmp(rest, node_reads) == 0)
            conclude_node(task, &plan->series[i]);
    for (size_t i = 0; i < KINDS; i++)
        gpu_add_latency(
            task, kinds[i].finding,
            gpu_points_of(task, gpu_find_series(task, managed_reads, "memory", kinds[i].memory, 0)),
            kinds[i].text);
}

const struct gpu_experiment gpu_places = {
    .name = "places",
    .summary = "the host's memory by NUMA node, and managed memory, read by the device",
    .weight = 1,
    .cuda_alone = true,
    .by_default = true,
    .plan = plan_places,
    .conclude = conclude_places,
};
