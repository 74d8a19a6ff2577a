#include "machine/numa.h"

#include "machine/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const nodes_path = "/sys/devices/system/node";

static size_t index_of(const struct machine_facts *facts, int id)
{
    size_t i = 0;
    while (i < facts->node_count && facts->nodes[i].id != id)
        i++;
    return i;
}

/* The file of a node has a number for each online node, in ascending order (the firmware's SLIT, in
 * which 10 is the way to itself). A line with another number of entries is about other nodes and is
 * ignored. */
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
        size_t to = index_of(facts, online->ids[count++]);
        if (to < facts->node_count && distance > 0 && distance < 255) /* 255: unreachable */
            distances[to] = (unsigned)distance;
        at = end + strspn(end, " \t\n");
    }
    if (!at || *at || count != online->count)
        memset(distances, 0, facts->node_count * sizeof *distances);
    free(text);
}

/* Counts free memory and what the kernel can drop without writing it anywhere. */
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

/* The nodes that the cpuset allows to this process. Skipped for a recorded machine, whose files are
 * about another process. */
static void read_allowed(struct machine *machine)
{
    struct cpulist allowed;
    char *status = files_text(NULL, "/proc/self/status");
    if (status && text_cpulist(&allowed, status, "Mems_allowed_list")) {
        for (size_t i = 0; i < machine->facts.node_count; i++)
            machine->nodes[i].allowed = cpulist_has(&allowed, machine->facts.nodes[i].id);
        cpulist_free(&allowed);
    }
    free(status);
}

int numa_read(struct machine *machine, const struct machine_source *source, struct error *error)
{
    const size_t count = machine->facts.node_count;
    machine->nodes = pool_alloc(&machine->pool, count, sizeof *machine->nodes);
    unsigned *distances = pool_alloc(&machine->pool, count * count, sizeof *distances);
    if (count && (!machine->nodes || !distances))
        return error_set(error, ERROR_SYSTEM, "out of memory while the machine was read");
    for (size_t i = 0; i < count; i++)
        machine->nodes[i] = (struct node_place){.distances = distances + i * count,
                                                .free_bytes = machine->facts.nodes[i].memory_bytes,
                                                .allowed = true};
    if (source->synthetic)
        return 0;
    struct cpulist online;
    if (files_cpulist(&online, source->root, "%s/online", nodes_path)) {
        for (size_t i = 0; i < count; i++)
            read_distances(machine, i, &online, source->root);
        cpulist_free(&online);
    }
    for (size_t i = 0; i < count; i++)
        read_free(machine, i, source->root);
    if (machine->live)
        read_allowed(machine);
    return 0;
}
