/*
 * Memory by where it lies, read by the device: that of each NUMA node of the host, and managed
 * memory that was sent to the device, that the device touched first, or that stays on the host. On
 * Grace the device's own memory is a node of the host too, and shows as the nearest one.
 *
 * Memory of the host is read as in host.c: past the caches, through a ring of few pages. Managed
 * memory on the device is read past the first level through a ring of several times L2, so that its
 * latency can be held against device memory's: where it is more, its pages are smaller.
 *
 * A host of one node is not measured again: that is host.read.
 *
 * Time: a load over the link takes 1 to 2 us; a point is six trials of three batches of 1 ms. Eight
 * nodes and three kinds of managed memory: 0.3 s, and as much to send and link the rings.
 */
#include "conclude/registry/device.h"
#include "measure/probes/gpu/findings.h"
#include "measure/probes/gpu/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The ring in the host's memory, as in host.c. */
enum { HOST_BYTES = 1 << 20, STRIDE = 128 };
/* The ring in the device's: past L2; where that is unknown, past all there are. */
enum { L2_TIMES = 4, MEMORY_PART = 8 };
static const uint64_t unknown_l2 = UINT64_C(64) << 20;

static const char node_reads[] = "node reads", managed_reads[] = "managed reads";

static const struct managed {
    const char *memory, *finding, *text;
    enum gpu_home home;
} kinds[] = {
    {"fetched to the device", "managed.fetched.latency",
     "a load of managed memory that was fetched to the device", GPU_MANAGED_FETCHED},
    {"touched by the device", "managed.touched.latency",
     "a load of managed memory that the device was the first to touch", GPU_MANAGED_TOUCHED},
    {"on the host", "managed.host.latency",
     "a load of managed memory that stays on the host, past the device's caches",
     GPU_MANAGED_ON_HOST},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* --- planning --- */

static struct gpu_work reads_of(const struct gpu_task *task, enum gpu_home home)
{
    struct gpu_work work = gpu_work_none;
    const bool on_host = home == GPU_ON_NODE || home == GPU_MANAGED_ON_HOST;
    const uint64_t memory = gpu_memory(task);
    uint64_t bytes = task->facts->l2_bytes ? task->facts->l2_bytes : unknown_l2;
    bytes *= L2_TIMES;
    if (memory && bytes > memory / MEMORY_PART)
        bytes = memory / MEMORY_PART;
    work.action = GPU_CHASE;
    work.path = on_host ? GPU_UNCACHED : GPU_L2;
    work.home = home;
    work.bytes = on_host ? (size_t)HOST_BYTES : (size_t)(bytes / STRIDE * STRIDE);
    work.stride = STRIDE;
    return work;
}

/* One point of its own series; `name` is that of the factor that tells it from the others. */
static int plan_one(struct gpu_task *task, const char *what, const struct gpu_work *work,
                    const char *name, const char *text, double number, struct error *error)
{
    char label[64];
    snprintf(label, sizeof label, "%s, %s", what, text ? text : name);
    if (!gpu_can(task, text ? label : what, work))
        return 0;
    struct series *series = gpu_add_series(task, what, (struct axis){"working set", "B"},
                                           (struct axis){"latency", "ns"});
    const size_t index = (size_t)(series - task->task->plan.series);
    int code = gpu_add_factor(task, series, name, text, number, error);
    return code < 0 ? code : gpu_add_point(task, index, (double)work->bytes, work, error);
}

/* Whether memory of the node can be had: else the result says why not, unless there is none. */
static bool can_have(struct gpu_task *task, const struct numa_facts *node,
                     const struct node_place *place)
{
    char what[48];
    snprintf(what, sizeof what, "%s of node %d", node_reads, node->id);
    if (!node->memory_bytes)
        return false;
    const char *why = !place            ? NULL
                      : !place->allowed ? "this process may take no memory from it: its cpuset "
                                          "(cpuset.mems) leaves it out"
                      : !gpu_near_has_room(task->task->machine, node->id, HOST_BYTES)
                          ? "too little of its memory is free"
                          : NULL;
    if (why)
        gpu_not_measured(task, what, why, NULL);
    return !why;
}

static int plan_nodes(struct gpu_task *task, struct error *error)
{
    const struct machine *machine = task->task->machine;
    const size_t count = machine ? machine->facts.node_count : 0;
    size_t with_memory = 0;
    for (size_t i = 0; i < count; i++)
        with_memory += machine->facts.nodes[i].memory_bytes > 0;
    if (with_memory < 2)
        return gpu_not_measured(task, node_reads,
                                "the host has only one NUMA node with memory: --what host "
                                "measures a load from it (host.read)",
                                error);
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++) {
        const struct numa_facts *node = &machine->facts.nodes[i];
        struct gpu_work work = reads_of(task, GPU_ON_NODE);
        work.node = node->id;
        if (can_have(task, node, machine->nodes ? &machine->nodes[i] : NULL))
            code = plan_one(task, node_reads, &work, "node", NULL, node->id, error);
    }
    return code;
}

static int plan_places(struct gpu_task *task, unsigned stage, struct error *error)
{
    if (stage > 0)
        return 0;
    int code = plan_nodes(task, error);
    const struct gpu_work managed = reads_of(task, kinds[0].home);
    const bool has_managed = gpu_can(task, managed_reads, &managed);
    for (size_t i = 0; i < KINDS && code == 0 && has_managed; i++) {
        const struct gpu_work work = reads_of(task, kinds[i].home);
        code = plan_one(task, managed_reads, &work, "memory", kinds[i].memory, 0, error);
    }
    return code < 0 ? code : task->task->plan.point_count > 0;
}

/* --- concluding --- */

static int conclude_series(struct gpu_task *task, const struct series *series, const char *finding,
                           const char *text, struct error *error)
{
    struct gpu_points points = {0};
    int code = gpu_points_between(&points, task, series, 0, INFINITY, error);
    return code < 0 ? code : gpu_add_latency(task, finding, &points, text, error);
}

static int conclude_node(struct gpu_task *task, const struct series *series, struct error *error)
{
    const struct factor *node = series_factor(series, "node");
    struct pool *pool = task->task->pool;
    if (!node || node->text || !(node->number >= 0))
        return 0;
    const bool nearest = !(fabs(node->number - task->facts->host_node) > 0);
    return conclude_series(task, series, pool_printf(pool, "node%.0f.read", node->number),
                           pool_printf(pool,
                                       "a load by the device from the host's memory on node %.0f%s",
                                       node->number, nearest ? ", to which it is nearest" : ""),
                           error);
}

static int conclude_managed(struct gpu_task *task, const struct series *series, struct error *error)
{
    const struct factor *memory = series_factor(series, "memory");
    for (size_t i = 0; i < KINDS && memory && memory->text; i++)
        if (strcmp(memory->text, kinds[i].memory) == 0)
            return conclude_series(task, series, kinds[i].finding, kinds[i].text, error);
    return 0;
}

/* What that series of the device's is about; "" where it is none of this experiment's. */
static const char *what_of(const struct gpu_task *task, const struct series *series)
{
    const char *rest;
    if (device_of_name(series->name, &rest) != task->facts->id)
        return "";
    return strcmp(rest, node_reads) == 0 || strcmp(rest, managed_reads) == 0 ? rest : "";
}

static int conclude_places(struct gpu_task *task, struct error *error)
{
    const struct plan *plan = &task->task->plan;
    int code = 0;
    for (size_t i = task->first_series; i < plan->series_count && code == 0; i++) {
        const char *what = what_of(task, &plan->series[i]);
        if (*what)
            code = strcmp(what, node_reads) == 0 ? conclude_node(task, &plan->series[i], error)
                                                 : conclude_managed(task, &plan->series[i], error);
    }
    return code;
}

static int recall_places(struct gpu_task *task, struct error *error)
{
    const struct plan *plan = &task->task->plan;
    (void)error;
    for (size_t i = 0; i < plan->series_count; i++)
        if (*what_of(task, &plan->series[i]))
            return 1;
    return 0;
}

const struct gpu_experiment gpu_places = {
    .name = "places",
    .summary = "the host's memory by NUMA node, and managed memory, read by the device",
    .weight = 1,
    .cuda_alone = true,
    .by_default = true,
    .plan = plan_places,
    .conclude = conclude_places,
    .recall = recall_places,
};
