/*
 * Latencies and bandwidths of nodes' memory as memory attributes, from the CPUs of each node. Where
 * nodes were not measured against each other and there is one, the levels' DRAM tells them.
 */
#include "conclude/registry/experiment.h"
#include "conclude/registry/registry.h"
#include "conclude/ways.h"
#include "show/render/hwloc/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* hwloc's own attributes, in the units of hwloc/memattrs.h: ns and MiB/s. The flags are
 * HIGHER_FIRST or LOWER_FIRST and NEED_INITIATOR. */
struct attribute {
    const char *name;
    enum dimension dimension;
    double unit; /* what 1 of it is, in s or B/s */
    int flags;
};
static const struct attribute attributes[] = {
    {"Bandwidth", DIMENSION_BANDWIDTH, 1024 * 1024, 1 | 4},
    {"Latency", DIMENSION_TIME, 1e-9, 2 | 4},
};

struct writing {
    FILE *out;
    const struct objects *objects;
    const struct document *document;
    const struct attribute *attribute;
    bool begun;
};

static void put_value(struct writing *writing, size_t node, const struct cpulist *from,
                      double value)
{
    const struct attribute *attribute = writing->attribute;
    const double whole = round(value / attribute->unit);
    if (!(whole >= 1) || whole > 1e15)
        return;
    if (!writing->begun)
        fprintf(writing->out, "  <memattr name=\"%s\" flags=\"%d\">\n", attribute->name,
                attribute->flags);
    writing->begun = true;
    fprintf(writing->out,
            "    <memattr_value target_obj_type=\"NUMANode\" target_obj_gp_index=\"%zu\" "
            "value=\"%.0f\"",
            hwloc_node_id(writing->objects, node), whole);
    hwloc_put_set(writing->out, "initiator_cpuset", from);
    fputs("/>\n", writing->out);
}

static size_t node_of(const struct objects *objects, int number)
{
    size_t i = 0;
    while (i < objects->node_count && objects->nodes[i].number != number)
        i++;
    return i;
}

/* The CPUs of a node, as the kernel counts them: to hwloc a node without CPUs has those of its
 * neighbours. */
static int cpus_of(struct cpulist *cpus, const struct writing *writing, int node)
{
    const struct machine_facts *machine = &writing->document->machine;
    const struct cpulist *there = &writing->objects->list[OBJECT_ROOT].cpus;
    struct cpulist listed = {0};
    struct error ignored;
    int code = 0;
    *cpus = (struct cpulist){0};
    for (size_t i = 0; i < machine->node_count && !listed.count; i++)
        if (machine->nodes[i].id == node && machine->nodes[i].cpus)
            code = cpulist_parse(machine->nodes[i].cpus, &listed, &ignored);
    code = code == ERROR_USAGE ? 0 : code;
    for (size_t i = 0; i < there->count && code == 0; i++)
        if (cpulist_has(&listed, there->ids[i]))
            code = cpulist_add(cpus, there->ids[i]);
    cpulist_free(&listed);
    return code;
}

/* --- nodes against each other --- */

static int put_ways(struct writing *writing, const struct series *series)
{
    const double factor = quantity_of(series->y.unit)->metric_factor;
    int code = 0;
    for (size_t i = 0; i < series->point_count && code == 0; i++) {
        const struct point *point = &series->points[i];
        const size_t node = node_of(writing->objects, point->to);
        struct cpulist cpus;
        if (node == writing->objects->node_count || isnan(way_value(point)))
            continue;
        code = cpus_of(&cpus, writing, point->from);
        if (code == 0 && cpus.count)
            put_value(writing, node, &cpus, way_value(point) * factor);
        cpulist_free(&cpus);
    }
    return code;
}

/* --- one node --- */

static bool tells_of_memory(const struct finding *finding, enum dimension dimension)
{
    const struct finding_meaning meaning = finding_meaning(finding);
    if (meaning.device >= 0 || !meaning.quantity || meaning.quantity->dimension != dimension ||
        !isfinite(finding->value) || !experiment_is_standard(finding))
        return false;
    if (dimension == DIMENSION_TIME)
        return meaning.level == LEVEL_MEMORY && meaning.fact == FACT_LATENCY_NS;
    return meaning.role == ROLE_WIDTH && meaning.fact == FACT_ALL;
}

/* Of several kernels the first, which reads. */
static void put_memory(struct writing *writing)
{
    const struct document *document = writing->document;
    const struct cpulist *all = &writing->objects->list[OBJECT_ROOT].cpus;
    for (size_t p = 0; p < document->probe_count && !writing->begun; p++)
        for (size_t i = 0; i < document->probes[p].finding_count && !writing->begun; i++) {
            const struct finding *finding = &document->probes[p].findings[i];
            if (!tells_of_memory(finding, writing->attribute->dimension))
                continue;
            put_value(writing, 0, all,
                      quiet_or(&finding->quiet, finding->value) *
                          finding_meaning(finding).quantity->metric_factor);
        }
}

int hwloc_put_attributes(FILE *out, const struct objects *objects, const struct document *document,
                         struct error *error)
{
    int code = 0;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes && code == 0; i++) {
        struct writing writing = {out, objects, document, &attributes[i], false};
        const struct series *series = ways_between_nodes(document, attributes[i].dimension);
        if (series)
            code = put_ways(&writing, series);
        else if (objects->node_count == 1)
            put_memory(&writing);
        if (writing.begun)
            fputs("  </memattr>\n", out);
    }
    return code < 0 ? error_out_of_memory(error) : 0;
}
