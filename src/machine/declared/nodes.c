/* Of the nodes: the firmware's distances (SLIT) and speeds (HMAT), the kernel's tiers and weights.
 * What the files hold stands in the kernel's Documentation/ABI/stable/sysfs-devices-node,
 * testing/sysfs-kernel-mm-memory-tiers and testing/sysfs-kernel-mm-mempolicy-weighted-interleave.
 */
#include "machine/declared/parts.h"
#include "machine/files.h"
#include "machine/topology.h"

#include <stdio.h>
#include <string.h>

/* HMAT counts in picoseconds and MB/s of 16 bits, times a base (ACPI 6.5, 5.2.28.4); the kernel
 * shows whole ns and MB/s. A millisecond, and 100 TB/s, are no memory's. */
static const uint64_t latency_most_ns = 1000 * 1000, bandwidth_most_mbs = 100 * 1000 * 1000;

enum { WEIGHT_MAX = 255, ACCESS_CLASSES = 2 };

/* --- SLIT --- */

static int add_distances(struct machine *machine)
{
    struct declared_facts *declared = &machine->facts.declared;
    const size_t count = machine->facts.node_count;
    for (size_t i = 0; i < count; i++) {
        bool any = false;
        for (size_t j = 0; j < count; j++)
            any = any || machine->nodes[i].distances[j];
        if (!any)
            continue;
        uint64_t *to = pool_alloc(&machine->pool, count, sizeof *to);
        struct declared_distances *row =
            declared_append(machine, &declared->distances, &declared->distance_count, sizeof *row);
        if (!to || !row)
            return ERROR_SYSTEM;
        for (size_t j = 0; j < count; j++)
            to[j] = machine->nodes[i].distances[j];
        *row = (struct declared_distances){machine->facts.nodes[i].id, to, count};
    }
    return 0;
}

/* --- HMAT --- */

static uint64_t attribute(const char *root, const char *folder, const char *name, uint64_t most)
{
    uint64_t value = 0;
    return files_number(&value, root, "%s/%s", folder, name) && value <= most ? value : 0;
}

/* The nodes that a folder has links to. */
static int linked_nodes(struct cpulist *nodes, struct pool *pool, const char *root,
                        const char *folder)
{
    char **names;
    const size_t count = files_names(pool, &names, root, folder);
    int code = 0;
    *nodes = (struct cpulist){0};
    for (size_t i = 0; i < count && code == 0; i++) {
        const int id = declared_number_of(names[i], "node");
        code = id >= 0 ? cpulist_add(nodes, id) : 0;
    }
    return code;
}

static int add_way(struct machine *machine, const char *root, int node, unsigned access)
{
    struct declared_facts *declared = &machine->facts.declared;
    struct declared_way way = {.node = node, .access = access};
    struct cpulist from;
    char folder[96];
    snprintf(folder, sizeof folder, "/sys/devices/system/node/node%d/access%u/initiators", node,
             access);
    way.read_latency_ns = attribute(root, folder, "read_latency", latency_most_ns);
    way.write_latency_ns = attribute(root, folder, "write_latency", latency_most_ns);
    way.read_bandwidth = attribute(root, folder, "read_bandwidth", bandwidth_most_mbs) * 1000000;
    way.write_bandwidth = attribute(root, folder, "write_bandwidth", bandwidth_most_mbs) * 1000000;
    if (!way.read_latency_ns && !way.write_latency_ns && !way.read_bandwidth &&
        !way.write_bandwidth)
        return 0;
    int code = linked_nodes(&from, &machine->pool, root, folder);
    if (code == 0 && from.count) {
        struct declared_way *slot =
            declared_append(machine, &declared->ways, &declared->way_count, sizeof *slot);
        way.from = cpulist_pooled(&machine->pool, &from);
        code = slot && way.from ? 0 : ERROR_SYSTEM;
        if (code == 0)
            *slot = way;
    }
    cpulist_free(&from);
    return code;
}

/* --- tiers and weights --- */

static int compare_tiers(const struct declared_tier *a, const struct declared_tier *b)
{
    return (a->id > b->id) - (a->id < b->id);
}

static int add_tiers(struct machine *machine, const char *root)
{
    static const char folder[] = "/sys/devices/virtual/memory_tiering";
    struct declared_facts *declared = &machine->facts.declared;
    char **names;
    const size_t count = files_names(&machine->pool, &names, root, folder);
    for (size_t i = 0; i < count; i++) {
        const int id = declared_number_of(names[i], "memory_tier");
        struct cpulist nodes;
        if (id < 0 || !files_cpulist(&nodes, root, "%s/%s/nodelist", folder, names[i]))
            continue;
        const char *text = nodes.count ? cpulist_pooled(&machine->pool, &nodes) : "";
        struct declared_tier *tier =
            nodes.count
                ? declared_append(machine, &declared->tiers, &declared->tier_count, sizeof *tier)
                : NULL;
        const bool failed = nodes.count && (!text || !tier);
        cpulist_free(&nodes);
        if (failed)
            return ERROR_SYSTEM;
        if (!tier)
            continue;
        /* Names sort as texts: memory_tier22 stands before memory_tier4. */
        *tier = (struct declared_tier){id, text};
        for (; tier > declared->tiers && compare_tiers(tier - 1, tier) > 0; tier--) {
            const struct declared_tier before = tier[-1];
            tier[-1] = tier[0];
            tier[0] = before;
        }
    }
    return 0;
}

static int add_weight(struct machine *machine, const char *root, int node)
{
    struct declared_facts *declared = &machine->facts.declared;
    uint64_t weight;
    if (!files_number(&weight, root, "/sys/kernel/mm/mempolicy/weighted_interleave/node%d", node) ||
        weight < 1 || weight > WEIGHT_MAX)
        return 0;
    struct declared_weight *slot =
        declared_append(machine, &declared->weights, &declared->weight_count, sizeof *slot);
    if (!slot)
        return ERROR_SYSTEM;
    *slot = (struct declared_weight){node, (unsigned)weight};
    return 0;
}

int declared_nodes(struct machine *machine, const char *root)
{
    int code = add_distances(machine);
    for (size_t i = 0; i < machine->facts.node_count && code == 0; i++) {
        const int node = machine->facts.nodes[i].id;
        for (unsigned access = 0; access < ACCESS_CLASSES && code == 0; access++)
            code = add_way(machine, root, node, access);
        if (code == 0)
            code = add_weight(machine, root, node);
    }
    return code == 0 ? add_tiers(machine, root) : code;
}
