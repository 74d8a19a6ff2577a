#include "show/render/hwloc/objects.h"

#include "conclude/registry/experiment.h"
#include "conclude/registry/registry.h"

#include <stdlib.h>
#include <string.h>

/* Linux runs at most 8192 CPUs (NR_CPUS). A text of a few bytes can name a million, so all sets
 * together have a limit too: no machine has more levels than 32. */
enum { CPU_MOST = 16384, MEMBERS_MOST = 32 * CPU_MOST };

/* hwloc's types that nest, the outer ones first. */
static const char *const types[] = {"Machine", "Package",  "Die",      "Group",   "L5Cache",
                                    "L4Cache", "L3Cache",  "L3iCache", "L2Cache", "L2iCache",
                                    "L1Cache", "L1iCache", "Core",     "PU"};
enum {
    RANK_GROUP = 3,
    RANK_PU = sizeof types / sizeof *types - 1,
    /* Of equal sets the one that is declared comes first, and the same set is not taken twice. */
    RANK_MEMORY,
    RANK_CLUSTER,
};

struct building {
    struct objects *objects;
    const struct document *document;
    size_t members; /* CPUs of all sets */
    struct error *error;
};

static int broken(const struct building *building, const char *what)
{
    return error_set(building->error, ERROR_USAGE,
                     "--format hwloc: the document's tree of the machine (machine.declared.hwloc) "
                     "is damaged: %s",
                     what);
}

/* --- sets --- */

static int read_set(struct building *building, const char *text, struct cpulist *set)
{
    struct error ignored;
    *set = (struct cpulist){0};
    if (!text || !*text)
        return 0;
    const int code = cpulist_parse(text, set, &ignored);
    if (code == ERROR_SYSTEM)
        return error_out_of_memory(building->error);
    building->members += set->count;
    if (code == 0 && set->ids[set->count - 1] < CPU_MOST && building->members <= MEMBERS_MOST)
        return 0;
    cpulist_free(set);
    return broken(building, code < 0 ? "a list of CPUs is none" : "it has too many CPUs");
}

/* Takes the set over, also where it fails. */
static int add_object(struct building *building, struct object object)
{
    struct objects *objects = building->objects;
    if ((objects->count & (objects->count - 1)) == 0) { /* full at each power of two */
        const size_t room = objects->count ? 2 * objects->count : 1;
        void *larger = realloc(objects->list, room * sizeof *objects->list);
        if (!larger) {
            cpulist_free(&object.cpus);
            return error_out_of_memory(building->error);
        }
        objects->list = larger;
    }
    object.parent = object.child = object.next = OBJECT_NONE;
    objects->list[objects->count++] = object;
    return 0;
}

/* --- what is declared --- */

static int rank_of(const char *type)
{
    for (int i = 1; i < RANK_PU; i++)
        if (strcmp(types[i], type) == 0)
            return i;
    return OBJECT_NONE;
}

static long number_of(const struct declared_objects *facts, size_t i)
{
    return i < facts->index_count && facts->indexes[i] <= INT32_MAX ? (long)facts->indexes[i]
                                                                    : OBJECT_NONE;
}

static int add_declared(struct building *building, const struct declared_objects *facts)
{
    const int rank = rank_of(facts->type);
    int code = 0;
    for (size_t i = 0; rank >= 0 && i < facts->cpus_count && code == 0; i++) {
        struct object object = {.type = types[rank], .rank = rank, .number = number_of(facts, i)};
        object.facts = strstr(object.type, "Cache") ? facts : NULL;
        code = read_set(building, facts->cpus[i], &object.cpus);
        if (code == 0 && !object.cpus.count)
            code = broken(building, "an object has no CPU");
        if (code == 0)
            code = add_object(building, object);
    }
    return code;
}

static int add_cpus(struct building *building, const struct declared_objects *facts)
{
    struct object machine = {.type = types[0], .number = 0};
    int code = facts->cpus_count == 1 ? read_set(building, facts->cpus[0], &machine.cpus)
                                      : broken(building, "its CPUs are not one list");
    if (code == 0 && !machine.cpus.count)
        code = broken(building, "it has no CPU");
    if (code < 0)
        return code;
    code = add_object(building, machine);
    for (size_t i = 0; i < machine.cpus.count && code == 0; i++) {
        struct object cpu = {
            .type = types[RANK_PU], .rank = RANK_PU, .number = machine.cpus.ids[i]};
        code = cpulist_add(&cpu.cpus, machine.cpus.ids[i]) < 0
                   ? error_out_of_memory(building->error)
                   : add_object(building, cpu);
    }
    return code;
}

static uint64_t bytes_of(const struct machine_facts *machine, int number)
{
    for (size_t i = 0; i < machine->node_count; i++)
        if (machine->nodes[i].id == number)
            return machine->nodes[i].memory_bytes;
    return 0;
}

/* A node, and a group of its CPUs, which is dropped where another object has the same. */
static int add_node(struct building *building, const struct declared_objects *facts, size_t i)
{
    struct objects *objects = building->objects;
    struct object_node *node = &objects->nodes[objects->node_count];
    struct object group = {.type = types[RANK_GROUP],
                           .origin = OBJECT_MEMORY,
                           .rank = RANK_MEMORY,
                           .number = OBJECT_NONE};
    const long number = number_of(facts, i);
    if (number < 0 || number >= NODES_MAX)
        return broken(building, "a node has no number, or too high a one");
    for (size_t n = 0; n < objects->node_count; n++)
        if (objects->nodes[n].number == number)
            return broken(building, "two nodes have one number");
    *node = (struct object_node){.number = (int)number,
                                 .bytes = bytes_of(&building->document->machine, (int)number)};
    int code = read_set(building, facts->cpus[i], &node->cpus);
    objects->node_count += code == 0;
    if (code == 0 && node->cpus.count)
        code = cpulist_copy(&group.cpus, &node->cpus) < 0 ? error_out_of_memory(building->error)
                                                          : add_object(building, group);
    return code;
}

static int add_nodes(struct building *building, const struct declared_objects *facts)
{
    struct objects *objects = building->objects;
    int code = 0;
    if (objects->nodes || facts->cpus_count > NODES_MAX)
        return broken(building, "its nodes are not one list");
    objects->nodes = calloc(facts->cpus_count + 1, sizeof *objects->nodes);
    if (!objects->nodes)
        return error_out_of_memory(building->error);
    for (size_t i = 0; i < facts->cpus_count && code == 0; i++)
        code = add_node(building, facts, i);
    return code;
}

/* --- what was found --- */

/* Those of one matrix: another experiment's would be another tree. */
static int add_clusters(struct building *building, const struct probe_result *probe)
{
    int code = 0;
    for (size_t i = 0; i < probe->finding_count && code == 0; i++) {
        const struct finding *finding = &probe->findings[i];
        struct object group = {.type = types[RANK_GROUP],
                               .origin = OBJECT_CLUSTER,
                               .rank = RANK_CLUSTER,
                               .number = OBJECT_NONE};
        if (finding_meaning(finding).role != ROLE_CLUSTER || !experiment_is_standard(finding))
            continue;
        code = read_set(building, finding->cpus, &group.cpus);
        if (code == 0 && group.cpus.count > 1)
            code = add_object(building, group);
        else
            cpulist_free(&group.cpus);
    }
    return code;
}

/* --- which is in which --- */

/* The larger before what it may hold. */
static int compare(const void *a, const void *b)
{
    const struct object *x = a, *y = b;
    if (x->cpus.count != y->cpus.count)
        return x->cpus.count < y->cpus.count ? 1 : -1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->cpus.ids[0] > y->cpus.ids[0]) - (x->cpus.ids[0] < y->cpus.ids[0]);
}

/* Since larger ones come first, an object that has a place is in the smallest one that holds any of
 * its CPUs. `owners` has that of every CPU; OBJECT_NONE: the machine lacks it. Returns OBJECT_NONE
 * where the set lies across several. */
static long holder(const struct object *object, const long *owners)
{
    const long parent = owners[object->cpus.ids[0]];
    for (size_t i = 1; i < object->cpus.count; i++)
        if (owners[object->cpus.ids[i]] != parent)
            return OBJECT_NONE;
    return parent;
}

static int place(struct building *building, size_t i, long *owners)
{
    struct objects *objects = building->objects;
    struct object *object = &objects->list[i];
    const long parent = holder(object, owners);
    const struct object *above = parent >= 0 ? &objects->list[parent] : NULL;
    const bool same = above && above->cpus.count == object->cpus.count;
    if (object->origin == OBJECT_DECLARED && (!above || (same && above->rank == object->rank)))
        return broken(building, "its objects do not nest");
    if (object->origin == OBJECT_CLUSTER) {
        objects->clusters_left += !above;
        objects->clusters_taken += above && !same;
    }
    if (!above || (same && object->origin != OBJECT_DECLARED))
        return 0;
    object->parent = parent;
    for (size_t c = 0; c < object->cpus.count; c++)
        owners[object->cpus.ids[c]] = (long)i;
    return 0;
}

static int compare_first(const void *a, const void *b)
{
    const struct object *x = *(const struct object *const *)a,
                        *y = *(const struct object *const *)b;
    return (x->cpus.ids[0] > y->cpus.ids[0]) - (x->cpus.ids[0] < y->cpus.ids[0]);
}

/* hwloc wants children in the order of their CPUs. */
static int link_children(struct building *building)
{
    struct objects *objects = building->objects;
    const struct object **order = calloc(objects->count, sizeof *order);
    if (!order)
        return error_out_of_memory(building->error);
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
    free(order);
    return 0;
}

/* As hwloc does it: the outermost object of the node's CPUs below the machine, or else the smallest
 * that holds them. */
static long place_of_node(const struct objects *objects, const struct object_node *node,
                          const long *owners)
{
    long at = node->cpus.count ? owners[node->cpus.ids[0]] : OBJECT_ROOT;
    while (at > OBJECT_ROOT) {
        const struct object *object = &objects->list[at];
        size_t held = 0;
        for (size_t i = 0; i < node->cpus.count; i++)
            held += cpulist_has(&object->cpus, node->cpus.ids[i]);
        const bool same = held == object->cpus.count && held == node->cpus.count;
        const bool above_same = object->parent > OBJECT_ROOT &&
                                objects->list[object->parent].cpus.count == object->cpus.count;
        if (held == node->cpus.count && !(same && above_same))
            break;
        at = object->parent;
    }
    return at < 0 ? OBJECT_ROOT : at;
}

static int nest(struct building *building)
{
    struct objects *objects = building->objects;
    long *owners = malloc(CPU_MOST * sizeof *owners);
    int code = owners ? 0 : error_out_of_memory(building->error);
    for (size_t i = 0; i < CPU_MOST && owners; i++)
        owners[i] = OBJECT_NONE;
    for (size_t i = 0; i < objects->list[OBJECT_ROOT].cpus.count && owners; i++)
        owners[objects->list[OBJECT_ROOT].cpus.ids[i]] = OBJECT_ROOT;
    qsort(objects->list + 1, objects->count - 1, sizeof *objects->list, compare);
    for (size_t i = 1; i < objects->count && code == 0; i++)
        code = place(building, i, owners);
    for (size_t i = 0; i < objects->node_count && code == 0; i++)
        objects->nodes[i].at = place_of_node(objects, &objects->nodes[i], owners);
    free(owners);
    return code == 0 ? link_children(building) : code;
}

/* --- all of it --- */

static const struct declared_objects *entry_of(const struct declared_facts *declared,
                                               const char *type)
{
    for (size_t i = 0; i < declared->object_count; i++)
        if (strcmp(declared->objects[i].type, type) == 0)
            return &declared->objects[i];
    return NULL;
}

int objects_build(struct objects *objects, const struct document *document, struct error *error)
{
    struct building building = {.objects = objects, .document = document, .error = error};
    const struct declared_facts *declared = &document->machine.declared;
    const struct declared_objects *cpus = entry_of(declared, types[RANK_PU]);
    const struct declared_objects *nodes = entry_of(declared, "NUMANode");
    *objects = (struct objects){.list = NULL};
    if (!cpus)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "--format hwloc: this document does not hold hwloc's tree of its machine: "
                         "measure there anew with this version of fathom");
    int code = add_cpus(&building, cpus);
    for (size_t i = 0; i < declared->object_count && code == 0; i++)
        code = add_declared(&building, &declared->objects[i]);
    if (code == 0 && nodes)
        code = add_nodes(&building, nodes);
    for (size_t i = 0; i < document->probe_count && code == 0; i++)
        code = add_clusters(&building, &document->probes[i]);
    return code == 0 ? nest(&building) : code;
}

void objects_free(struct objects *objects)
{
    for (size_t i = 0; i < objects->count; i++)
        cpulist_free(&objects->list[i].cpus);
    for (size_t i = 0; i < objects->node_count; i++)
        cpulist_free(&objects->nodes[i].cpus);
    free(objects->list);
    free(objects->nodes);
    *objects = (struct objects){.list = NULL};
}
