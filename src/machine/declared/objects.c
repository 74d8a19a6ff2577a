#include "machine/declared/objects.h"

#include "machine/declared/parts.h"
#include "machine/topology.h"

#include <string.h>

static bool is_kept(hwloc_obj_type_t type)
{
    return type == HWLOC_OBJ_PACKAGE || type == HWLOC_OBJ_DIE || type == HWLOC_OBJ_GROUP ||
           type == HWLOC_OBJ_CORE || type == HWLOC_OBJ_NUMANODE || hwloc_obj_type_is_cache(type);
}

static struct declared_objects describe(hwloc_obj_t object)
{
    struct declared_objects objects = {.type = hwloc_obj_type_string(object->type)};
    if (!hwloc_obj_type_is_cache(object->type))
        return objects;
    const struct hwloc_cache_attr_s *cache = &object->attr->cache;
    objects.size_bytes = cache->size <= INT64_MAX ? cache->size : 0;
    objects.line_bytes = cache->linesize;
    objects.ways = cache->associativity > 0 ? (unsigned)cache->associativity : 0;
    return objects;
}

static bool are_alike(const struct declared_objects *a, const struct declared_objects *b)
{
    return strcmp(a->type, b->type) == 0 && a->size_bytes == b->size_bytes &&
           a->line_bytes == b->line_bytes && a->ways == b->ways &&
           (a->index_count > 0) == (b->index_count > 0);
}

/* The entry of objects like this one: mostly the last. A new one where there is none. */
static struct declared_objects *entry_of(struct machine *machine,
                                         const struct declared_objects *like)
{
    struct declared_facts *declared = &machine->facts.declared;
    for (size_t i = declared->object_count; i-- > 0;)
        if (are_alike(&declared->objects[i], like))
            return &declared->objects[i];
    struct declared_objects *entry =
        declared_append(machine, &declared->objects, &declared->object_count, sizeof *entry);
    if (entry) {
        *entry = *like;
        entry->index_count = 0;
    }
    return entry;
}

static const char *cpus_of(struct machine *machine, hwloc_const_bitmap_t bitmap)
{
    struct cpulist list = {0};
    int code = 0;
    for (int id = hwloc_bitmap_first(bitmap); id >= 0 && id <= CPU_ID_MAX && code == 0;
         id = hwloc_bitmap_next(bitmap, id))
        code = cpulist_add(&list, id);
    const char *text = code == 0 ? cpulist_pooled(&machine->pool, &list) : NULL;
    cpulist_free(&list);
    return text;
}

static int add_cpus(struct machine *machine, struct declared_objects *entry,
                    hwloc_const_bitmap_t bitmap)
{
    const char **cpus = declared_append(machine, &entry->cpus, &entry->cpus_count, sizeof *cpus);
    if (cpus)
        *cpus = cpus_of(machine, bitmap);
    return cpus && *cpus ? 0 : ERROR_SYSTEM;
}

static int keep_object(struct machine *machine, hwloc_obj_t object)
{
    struct declared_objects like = describe(object);
    const bool numbered = object->os_index != HWLOC_UNKNOWN_INDEX;
    like.index_count = numbered;
    struct declared_objects *entry = entry_of(machine, &like);
    if (!entry || add_cpus(machine, entry, object->cpuset) < 0)
        return ERROR_SYSTEM;
    uint64_t *index =
        numbered ? declared_append(machine, &entry->indexes, &entry->index_count, sizeof *index)
                 : NULL;
    if (index)
        *index = object->os_index;
    return !numbered || index ? 0 : ERROR_SYSTEM;
}

static int keep_depth(struct machine *machine, hwloc_topology_t topology, int depth)
{
    if (!is_kept(hwloc_get_depth_type(topology, depth)))
        return 0;
    int code = 0;
    for (unsigned i = 0; i < hwloc_get_nbobjs_by_depth(topology, depth) && code == 0; i++)
        code = keep_object(machine, hwloc_get_obj_by_depth(topology, depth, i));
    return code;
}

int objects_keep(struct machine *machine, hwloc_topology_t topology)
{
    const struct declared_objects cpus = {.type = hwloc_obj_type_string(HWLOC_OBJ_PU)};
    int code = 0;
    for (int depth = 0; depth < hwloc_topology_get_depth(topology) && code == 0; depth++)
        code = keep_depth(machine, topology, depth);
    if (code == 0)
        code = keep_depth(machine, topology, HWLOC_TYPE_DEPTH_NUMANODE);
    struct declared_objects *entry = code == 0 ? entry_of(machine, &cpus) : NULL;
    return entry ? add_cpus(machine, entry, hwloc_topology_get_topology_cpuset(topology))
                 : ERROR_SYSTEM;
}
