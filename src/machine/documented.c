/*
 * The machine that a document tells of, for runs on a model of it.
 */
#include "machine/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many as any kernel supports: the plans of some probes grow with the square. */
enum { CPUS_MOST = 8192 };
static const uint64_t memory_unknown = (uint64_t)16 << 30;

struct telling {
    struct machine *machine;
    const struct document *document;
};

static const struct declared_objects *objects_of(const struct machine *machine, const char *type)
{
    const struct declared_facts *declared = &machine->facts.declared;
    for (size_t i = 0; i < declared->object_count; i++)
        if (strcmp(declared->objects[i].type, type) == 0 && declared->objects[i].cpus_count)
            return &declared->objects[i];
    return NULL;
}

/* Adds the CPUs of a list; the text of a damaged document adds none. */
static void add_cpus(struct cpulist *all, const char *text, struct pool *pool)
{
    struct cpulist list;
    if (!text || cpulist_read(text, &list, pool, NULL) < 0)
        return;
    for (size_t i = 0; i < list.count && all->count <= CPUS_MOST; i++)
        if (cpulist_add(all, list.ids[i]) < 0)
            pool_leave(pool, ERROR_SYSTEM, "out of memory");
}

/* The index of the object that holds the CPU; -1: none does. *before: its CPUs of lower ids. */
static int place_in(const struct declared_objects *objects, int cpu, int *before)
{
    for (size_t i = 0; objects && i < objects->cpus_count; i++) {
        if (!cpulist_text_has(objects->cpus[i], cpu))
            continue;
        for (int id = atoi(objects->cpus[i]); id < cpu && before; id++)
            *before += cpulist_text_has(objects->cpus[i], id);
        return (int)i;
    }
    return -1;
}

static void place_nodes(struct machine *machine)
{
    const struct machine_facts *facts = &machine->facts;
    machine->nodes = pool_alloc(&machine->pool, facts->node_count, sizeof *machine->nodes);
    for (size_t i = 0; i < facts->node_count; i++) {
        struct node_place *place = &machine->nodes[i];
        place->distances = pool_alloc(&machine->pool, facts->node_count, sizeof *place->distances);
        place->free_bytes = facts->nodes[i].memory_bytes / 2;
        place->allowed = true;
        for (size_t row = 0; row < facts->declared.distance_count; row++) {
            const struct declared_distances *distances = &facts->declared.distances[row];
            for (size_t to = 0; distances->node == facts->nodes[i].id && to < distances->count &&
                                to < facts->node_count;
                 to++)
                place->distances[to] = (unsigned)distances->to[to];
        }
    }
}

static int tell(void *with)
{
    const struct telling *telling = with;
    struct machine *machine = telling->machine;
    struct pool *pool = &machine->pool;
    struct cpulist all = {0};
    const struct machine_facts *facts = &machine->facts;
    for (size_t i = 0; i < facts->kind_count; i++)
        add_cpus(&all, facts->kinds[i].cpus, pool);
    if (!all.count)
        add_cpus(&all, telling->document->conditions.affinity, pool);
    if (!all.count)
        add_cpus(&all, facts->threads ? pool_printf(pool, "0-%u", facts->threads - 1) : "0", pool);
    const size_t count = all.count;
    struct cpulist kept = {pool_alloc(pool, count, sizeof *kept.ids), count};
    memcpy(kept.ids, all.ids, count * sizeof *kept.ids);
    cpulist_free(&all);
    if (!count || count > CPUS_MOST)
        pool_leave(pool, ERROR_USAGE, "%s names no CPU, or more than the %d of the largest machine",
                   telling->document->file ? telling->document->file : "the document", CPUS_MOST);
    const struct declared_objects *cores = objects_of(machine, "Core"),
                                  *packages = objects_of(machine, "Package");
    machine->cpus = pool_alloc(&machine->pool, kept.count, sizeof *machine->cpus);
    for (size_t i = 0; i < kept.count; i++) {
        struct cpu_place *place = &machine->cpus[machine->cpu_count++];
        *place = (struct cpu_place){.id = kept.ids[i], .node = -1};
        place->core = cores ? place_in(cores, place->id, &place->sibling) : (int)i;
        place->package = place_in(packages, place->id, NULL);
        for (size_t node = 0; node < facts->node_count && place->node < 0; node++)
            if (cpulist_text_has(facts->nodes[node].cpus, place->id))
                place->node = facts->nodes[node].id;
        for (size_t kind = 0; kind < facts->kind_count; kind++)
            if (cpulist_text_has(facts->kinds[kind].cpus, place->id))
                place->kind = (int)kind;
    }
    /* hwloc's tree begins at its root, and so with the caches that are farthest from a core. */
    const struct declared_facts *declared = &machine->facts.declared;
    for (size_t i = declared->object_count; i-- > 0;) {
        const struct declared_objects *objects = &declared->objects[i];
        struct cache_place place;
        int end = 0; /* 0: it is no cache of data */
        if (sscanf(objects->type, "L%dCache%n", &place.level, &end) < 1 || !end)
            continue;
        for (size_t j = 0; j < objects->cpus_count; j++)
            if (cpulist_read(objects->cpus[j], &place.cpus, &machine->pool, NULL) == 0 &&
                place.cpus.count > 1)
                *(struct cache_place *)pool_append(&machine->pool, (void **)&machine->caches,
                                                   &machine->cache_count, sizeof place) = place;
    }
    place_nodes(machine);
    const char *affinity = telling->document->conditions.affinity;
    machine->allowed.ids = pool_alloc(pool, count, sizeof *machine->allowed.ids);
    for (size_t i = 0; i < count; i++)
        if (!affinity || cpulist_text_has(affinity, kept.ids[i]))
            machine->allowed.ids[machine->allowed.count++] = kept.ids[i];
    if (!machine->allowed.count)
        machine->allowed = kept;
    return 0;
}

int machine_of_document(struct machine *machine, const struct document *document,
                        struct error *error)
{
    const uint64_t bytes = document->machine.memory_bytes;
    *machine = (struct machine){
        .facts = document->machine,
        .memory_available_bytes = bytes ? bytes / 2 : memory_unknown,
        .cpu_quota = INFINITY,
    };
    return pool_enter(&machine->pool, tell, &(struct telling){machine, document}, error);
}
