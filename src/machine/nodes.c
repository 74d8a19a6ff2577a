/* NUMA nodes: free memory, whether this process may take memory from them, the firmware's distances
 * (SLIT) and speeds (HMAT), the kernel's tiers and weights. The files are described in the kernel's
 * Documentation/ABI/stable/sysfs-devices-node, testing/sysfs-kernel-mm-memory-tiers and
 * testing/sysfs-kernel-mm-mempolicy-weighted-interleave. */
#include "machine/files.h"
#include "machine/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what plans need to know --- */

static const char *const nodes_path = "/sys/devices/system/node";

/* The file of a node has a number for each online node, in ascending order of the nodes (the
 * firmware's SLIT, in which 10 is the distance to itself). A file with another number of entries
 * does not match the online nodes and is ignored. */
static void read_distances(struct machine *machine, size_t from, const struct cpulist *online,
                           const char *root)
{
    const struct machine_facts *facts = &machine->facts;
    unsigned *distances = machine->nodes[from].distances;
    char *text = files_text(root, "%s/node%d/distance", nodes_path, facts->nodes[from].id);
    char *at = text;
    size_t count = 0;
    while (at && *at) {
        char *end;
        unsigned long distance = strtoul(at, &end, 10);
        if (end == at || count == online->count)
            break;
        const size_t to = node_index(facts, online->ids[count++]);
        if (to < facts->node_count && distance > 0 && distance < 255) /* 255: unreachable */
            distances[to] = (unsigned)distance;
        at = end + strspn(end, " \t\n");
    }
    if (!at || *at || count != online->count)
        memset(distances, 0, facts->node_count * sizeof *distances);
    free(text);
}

/* Counts free memory and page cache that the kernel can drop without writing it to disk. */
static void read_free(struct machine *machine, size_t node, const char *root)
{
    static const char *const kinds[] = {"MemFree", "Inactive(file)"};
    const int id = machine->facts.nodes[node].id;
    char *text = files_text(root, "%s/node%d/meminfo", nodes_path, id);
    uint64_t sum = 0;
    bool known = false;
    for (size_t i = 0; text && i < sizeof kinds / sizeof *kinds; i++) {
        char key[40];
        uint64_t bytes;
        snprintf(key, sizeof key, "Node %d %s", id, kinds[i]);
        if (text_number(&bytes, text, key)) {
            sum += bytes;
            known = true;
        }
    }
    if (known && sum < machine->nodes[node].free_bytes)
        machine->nodes[node].free_bytes = sum;
    free(text);
}

void nodes_read(struct machine *machine, const struct machine_source *source)
{
    const size_t count = machine->facts.node_count;
    machine->nodes = pool_alloc(&machine->pool, count, sizeof *machine->nodes);
    unsigned *distances = pool_alloc(&machine->pool, count * count, sizeof *distances);
    for (size_t i = 0; i < count; i++)
        machine->nodes[i] = (struct node_place){.distances = distances + i * count,
                                                .free_bytes = machine->facts.nodes[i].memory_bytes,
                                                .allowed = true};
    if (source->synthetic)
        return;
    struct cpulist online;
    if (files_cpulist(&machine->pool, &online, source->root, "%s/online", nodes_path))
        for (size_t i = 0; i < count; i++)
            read_distances(machine, i, &online, source->root);
    for (size_t i = 0; i < count; i++)
        read_free(machine, i, source->root);
    if (machine->live) {
        /* The nodes that the cpuset allows to this process. Not for a recorded machine: its files
         * are about another process. */
        struct cpulist allowed;
        char *status = files_pooled(&machine->pool, NULL, "/proc/self/status");
        if (status && text_cpulist(&machine->pool, &allowed, status, "Mems_allowed_list"))
            for (size_t i = 0; i < machine->facts.node_count; i++)
                machine->nodes[i].allowed = cpulist_has(&allowed, machine->facts.nodes[i].id);
    }
}

/* --- what is declared --- */

/* HMAT has 16-bit numbers of picoseconds and MB/s, times a base (ACPI 6.5, 5.2.28.4); the kernel
 * shows whole ns and MB/s. Larger values than a millisecond and 100 TB/s are garbage. */
static const uint64_t latency_most_ns = 1000 * 1000, bandwidth_most_mbs = 100 * 1000 * 1000;

enum { WEIGHT_MAX = 255, ACCESS_CLASSES = 2 };

/* --- SLIT --- */

static void add_distances(struct machine *machine)
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
            machine_append(machine, &declared->distances, &declared->distance_count, sizeof *row);
        for (size_t j = 0; j < count; j++)
            to[j] = machine->nodes[i].distances[j];
        *row = (struct declared_distances){machine->facts.nodes[i].id, to, count};
    }
}

/* --- HMAT --- */

static uint64_t attribute(const char *root, const char *folder, const char *name, uint64_t most)
{
    uint64_t value = 0;
    return files_number(&value, root, "%s/%s", folder, name) && value <= most ? value : 0;
}

static void add_way(struct machine *machine, const char *root, int node, unsigned access)
{
    struct declared_facts *declared = &machine->facts.declared;
    struct declared_way way = {.node = node, .access = access};
    char folder[96], **names;
    snprintf(folder, sizeof folder, "/sys/devices/system/node/node%d/access%u/initiators", node,
             access);
    way.read_latency_ns = attribute(root, folder, "read_latency", latency_most_ns);
    way.write_latency_ns = attribute(root, folder, "write_latency", latency_most_ns);
    way.read_bandwidth = attribute(root, folder, "read_bandwidth", bandwidth_most_mbs) * 1000000;
    way.write_bandwidth = attribute(root, folder, "write_bandwidth", bandwidth_most_mbs) * 1000000;
    if (!way.read_latency_ns && !way.write_latency_ns && !way.read_bandwidth &&
        !way.write_bandwidth)
        return;
    /* The folder has links to the initiators. */
    const size_t count = files_names(&machine->pool, &names, root, folder);
    way.from = numbers_behind(&machine->pool, names, count, "node");
    if (!way.from)
        return;
    struct declared_way *slot =
        machine_append(machine, &declared->ways, &declared->way_count, sizeof *slot);
    *slot = way;
}

/* --- tiers and weights --- */

static void add_weight(struct machine *machine, const char *root, int node)
{
    struct declared_facts *declared = &machine->facts.declared;
    uint64_t weight;
    if (!files_number(&weight, root, "/sys/kernel/mm/mempolicy/weighted_interleave/node%d", node) ||
        weight < 1 || weight > WEIGHT_MAX)
        return;
    struct declared_weight *slot =
        machine_append(machine, &declared->weights, &declared->weight_count, sizeof *slot);
    *slot = (struct declared_weight){node, (unsigned)weight};
}

void declared_nodes(struct machine *machine, const char *root)
{
    add_distances(machine);
    for (size_t i = 0; i < machine->facts.node_count; i++) {
        const int node = machine->facts.nodes[i].id;
        for (unsigned access = 0; access < ACCESS_CLASSES; access++)
            add_way(machine, root, node, access);
        add_weight(machine, root, node);
    }
    static const char folder[] = "/sys/devices/virtual/memory_tiering";
    struct declared_facts *declared = &machine->facts.declared;
    char **names;
    const size_t count = files_names(&machine->pool, &names, root, folder);
    for (size_t i = 0; i < count; i++) {
        const int id = number_behind(names[i], "memory_tier");
        struct cpulist nodes;
        if (id < 0 ||
            !files_cpulist(&machine->pool, &nodes, root, "%s/%s/nodelist", folder, names[i]) ||
            !nodes.count)
            continue;
        struct declared_tier *tier =
            machine_append(machine, &declared->tiers, &declared->tier_count, sizeof *tier);
        /* files_names() sorts names as texts: memory_tier22 comes before memory_tier4. */
        for (; tier > declared->tiers && tier[-1].id > id; tier--)
            tier[0] = tier[-1];
        *tier = (struct declared_tier){id, cpulist_pooled(&machine->pool, &nodes)};
    }
}
