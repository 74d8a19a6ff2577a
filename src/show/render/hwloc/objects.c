#include "show/render/hwloc/hwloc.h"

#include "base/sort.h"
#include "conclude/registry/experiment.h"
#include "conclude/registry/registry.h"

#include <stdlib.h>
#include <string.h>

/* Linux runs at most 8192 CPUs (NR_CPUS). A short text can name a million, so all sets together
 * have a limit too: no machine has more than 32 levels. */
enum { CPU_MOST = 16384, MEMBERS_MOST = 32 * CPU_MOST };

/* hwloc's types, outer ones first. */
static const char *const types[] = {"Machine", "Package",  "Die",      "Group",   "L5Cache",
                                    "L4Cache", "L3Cache",  "L3iCache", "L2Cache", "L2iCache",
                                    "L1Cache", "L1iCache", "Core",     "PU"};
enum {
    RANK_GROUP = 3,
    RANK_PU = sizeof types / sizeof *types - 1,
    /* Of equal sets the declared one comes first; the others are then not taken. */
    RANK_MEMORY,
    RANK_CLUSTER,
};

struct building {
    struct objects *objects;
    const struct document *document;
    size_t members; /* CPUs in all sets together */
    struct pool *pool;
};

_Noreturn static void broken(const struct building *building, const char *what)
{
    pool_leave(building->pool, ERROR_USAGE,
               "--format hwloc: the document's tree of the machine (machine.declared.hwloc) is "
               "damaged: %s",
               what);
}

static struct cpulist read_set(struct building *building, const char *text)
{
    struct cpulist set = {0};
    if (!text || !*text)
        return set;
    if (cpulist_read(text, &set, building->pool, NULL) < 0)
        broken(building, "a list of CPUs cannot be read");
    building->members += set.count;
    if (set.ids[set.count - 1] >= CPU_MOST || building->members > MEMBERS_MOST)
        broken(building, "it has too many CPUs");
    return set;
}

static struct object *add_object(struct building *building, int rank, struct cpulist cpus)
{
    struct objects *objects = building->objects;
    struct object *object = pool_append(building->pool, (void **)&objects->list, &objects->count,
                                        sizeof *objects->list);
    *object = (struct object){.type = types[rank < RANK_MEMORY ? rank : RANK_GROUP],
                              .origin = rank == RANK_MEMORY    ? OBJECT_MEMORY
                                        : rank == RANK_CLUSTER ? OBJECT_CLUSTER
                                                               : OBJECT_DECLARED,
                              .rank = rank,
                              .number = OBJECT_NONE,
                              .cpus = cpus,
                              .parent = OBJECT_NONE,
                              .child = OBJECT_NONE,
                              .next = OBJECT_NONE};
    return object;
}

/* --- declared objects --- */

static long number_of(const struct declared_objects *facts, size_t i)
{
    return i < facts->index_count && facts->indexes[i] <= INT32_MAX ? (long)facts->indexes[i]
                                                                    : OBJECT_NONE;
}

static void add_declared(struct building *building, const struct declared_objects *facts)
{
    int rank = 1;
    while (rank < RANK_PU && strcmp(types[rank], facts->type) != 0)
        rank++;
    for (size_t i = 0; rank < RANK_PU && i < facts->cpus_count; i++) {
        const struct cpulist cpus = read_set(building, facts->cpus[i]);
        if (!cpus.count)
            broken(building, "an object has no CPU");
        struct object *object = add_object(building, rank, cpus);
        object->number = number_of(facts, i);
        object->facts = strstr(object->type, "Cache") ? facts : NULL;
    }
}

/* Each node, and a group of its CPUs, which is dropped if another object has the same CPUs. */
static void add_nodes(struct building *building, const struct declared_objects *facts)
{
    struct objects *objects = building->objects;
    const struct machine_facts *machine = &building->document->machine;
    if (facts->cpus_count > NODES_MAX)
        broken(building, "its nodes are not one list");
    objects->nodes = pool_alloc(building->pool, facts->cpus_count + 1, sizeof *objects->nodes);
    for (size_t i = 0; i < facts->cpus_count; i++) {
        const long number = number_of(facts, i);
        if (number < 0 || number >= NODES_MAX)
            broken(building, "a node has no number, or one that is too high");
        for (size_t n = 0; n < i; n++)
            if (objects->nodes[n].number == number)
                broken(building, "two nodes have the same number");
        const struct cpulist cpus = read_set(building, facts->cpus[i]);
        struct object_node *node = &objects->nodes[objects->node_count++];
        *node = (struct object_node){.number = (int)number, .cpus = cpus};
        for (size_t n = machine->node_count; n-- > 0;)
            if (machine->nodes[n].id == number)
                node->bytes = machine->nodes[n].memory_bytes;
        if (cpus.count)
            add_object(building, RANK_MEMORY, cpus);
    }
}

/* The clusters of the standard experiment: another one's would be another tree. */
static void add_clusters(struct building *building, const struct probe_result *probe)
{
    for (size_t i = 0; i < probe->finding_count; i++) {
        const struct finding *finding = &probe->findings[i];
        if (finding_meaning(finding).role != ROLE_CLUSTER || !experiment_is_standard(finding))
            continue;
        const struct cpulist cpus = read_set(building, finding->cpus);
        if (cpus.count > 1)
            add_object(building, RANK_CLUSTER, cpus);
    }
}

/* --- nesting --- */

/* Larger objects before those that they may contain. */
static int compare(const void *a, const void *b)
{
    const struct object *x = a, *y = b;
    return ORDER_BY({y->cpus.count, x->cpus.count}, {x->rank, y->rank},
                    {x->cpus.ids[0], y->cpus.ids[0]});
}

/* Places an object. Larger ones are placed first, so its parent is the smallest object that holds
 * any of its CPUs; if that differs between its CPUs, the object has no parent. `owners`: the
 * smallest object so far of every CPU; OBJECT_NONE: the machine lacks the CPU. */
static void place(struct building *building, size_t i, long *owners)
{
    struct objects *objects = building->objects;
    struct object *object = &objects->list[i];
    long parent = owners[object->cpus.ids[0]];
    for (size_t c = 1; c < object->cpus.count; c++)
        if (owners[object->cpus.ids[c]] != parent)
            parent = OBJECT_NONE;
    const struct object *above = parent >= 0 ? &objects->list[parent] : NULL;
    const bool same = above && above->cpus.count == object->cpus.count;
    if (object->origin == OBJECT_DECLARED && (!above || (same && above->rank == object->rank)))
        broken(building, "its objects do not nest");
    objects->clusters_left += object->origin == OBJECT_CLUSTER && !above;
    if (!above || (same && object->origin != OBJECT_DECLARED))
        return;
    object->parent = parent;
    for (size_t c = 0; c < object->cpus.count; c++)
        owners[object->cpus.ids[c]] = (long)i;
}

static int compare_first(const void *a, const void *b)
{
    const struct object *x = *(const struct object *const *)a,
                        *y = *(const struct object *const *)b;
    return (x->cpus.ids[0] > y->cpus.ids[0]) - (x->cpus.ids[0] < y->cpus.ids[0]);
}

/* As hwloc does it: the smallest object that holds the node's CPUs, and of several with just these
 * CPUs the outermost one below the machine. */
static long place_of_node(const struct objects *objects, const struct object_node *node,
                          const long *owners)
{
    long at = node->cpus.count ? owners[node->cpus.ids[0]] : OBJECT_ROOT;
    while (at > OBJECT_ROOT) {
        const struct object *object = &objects->list[at];
        const size_t held = cpulist_common(&node->cpus, &object->cpus);
        const bool same = held == object->cpus.count && held == node->cpus.count;
        const bool above_same = object->parent > OBJECT_ROOT &&
                                objects->list[object->parent].cpus.count == object->cpus.count;
        if (held == node->cpus.count && !(same && above_same))
            break;
        at = object->parent;
    }
    return at < 0 ? OBJECT_ROOT : at;
}

static const struct declared_objects *entry_of(const struct declared_facts *declared,
                                               const char *type)
{
    for (size_t i = 0; i < declared->object_count; i++)
        if (strcmp(declared->objects[i].type, type) == 0)
            return &declared->objects[i];
    return NULL;
}

void objects_build(struct objects *objects, const struct document *document, struct pool *pool)
{
    struct building building = {.objects = objects, .document = document, .pool = pool};
    const struct declared_facts *declared = &document->machine.declared;
    const struct declared_objects *cpus = entry_of(declared, types[RANK_PU]);
    const struct declared_objects *nodes = entry_of(declared, "NUMANode");
    *objects = (struct objects){.list = NULL};
    if (!cpus)
        pool_leave(pool, ERROR_IMPOSSIBLE,
                   "--format hwloc: this document does not hold hwloc's tree of its machine: "
                   "measure that machine again with this version of fathom");
    if (cpus->cpus_count != 1)
        broken(&building, "its CPUs are not one list");
    const struct cpulist all = read_set(&building, cpus->cpus[0]);
    if (!all.count)
        broken(&building, "it has no CPU");
    add_object(&building, 0, all)->number = 0;
    for (size_t i = 0; i < all.count; i++)
        add_object(&building, RANK_PU, (struct cpulist){&all.ids[i], 1})->number = all.ids[i];
    for (size_t i = 0; i < declared->object_count; i++)
        add_declared(&building, &declared->objects[i]);
    if (nodes)
        add_nodes(&building, nodes);
    for (size_t i = 0; i < document->probe_count; i++)
        add_clusters(&building, &document->probes[i]);
    long *owners = pool_alloc(pool, CPU_MOST, sizeof *owners);
    for (size_t i = 0; i < CPU_MOST; i++)
        owners[i] = OBJECT_NONE;
    for (size_t i = 0; i < objects->list[OBJECT_ROOT].cpus.count; i++)
        owners[objects->list[OBJECT_ROOT].cpus.ids[i]] = OBJECT_ROOT;
    qsort(objects->list + 1, objects->count - 1, sizeof *objects->list, compare);
    for (size_t i = 1; i < objects->count; i++)
        place(&building, i, owners);
    for (size_t i = 0; i < objects->node_count; i++)
        objects->nodes[i].at = place_of_node(objects, &objects->nodes[i], owners);
    /* hwloc needs children in the order of their CPUs. */
    const struct object **order = pool_alloc(pool, objects->count, sizeof *order);
    for (size_t i = 0; i < objects->count; i++)
        order[i] = &objects->list[i];
    qsort(order, objects->count, sizeof *order, compare_first);
    for (size_t i = objects->count; i-- > 0;) {
        struct object *object = &objects->list[order[i] - objects->list];
        if (object->parent == OBJECT_NONE)
            continue;
        object->next = objects->list[object->parent].child;
        objects->list[object->parent].child = order[i] - objects->list;
    }
}
