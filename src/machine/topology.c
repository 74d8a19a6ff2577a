/*
 * The topology by hwloc: the places of CPUs, caches, kinds of core and NUMA nodes.
 */
#include "base/cpulist.h"
#include "base/sort.h"
#include "machine/files.h"
#include "machine/parts.h"

#include <stdlib.h>
#include <string.h>

/* Sizes outside of these are garbage. */
static const uint64_t cache_bytes_min = 1024, cache_bytes_max = (uint64_t)1 << 40;

static struct cpulist list_of(struct pool *pool, hwloc_const_bitmap_t bitmap)
{
    const int last = hwloc_bitmap_last(bitmap), weight = hwloc_bitmap_weight(bitmap);
    const int count = weight >= 0 ? weight : last >= 0 ? last + 1 : 0; /* -1: infinite */
    struct cpulist list = {pool_alloc(pool, (size_t)count, sizeof *list.ids), 0};
    for (int id = hwloc_bitmap_first(bitmap);
         id >= 0 && id <= CPU_ID_MAX && list.count < (size_t)count;
         id = hwloc_bitmap_next(bitmap, id))
        list.ids[list.count++] = id;
    return list;
}

/* --- CPUs --- */

/* Numbers objects in order. hwloc's own numbers begin anew at each depth of its tree, and guests
 * can have cores at two depths if half a core is offline: above the L1 that each thread declares,
 * and below it. */
struct numbering {
    hwloc_obj_t last;
    int count;
};

/* The number of the core or package of a CPU, -1 if it has none. Call it in hwloc's order of the
 * CPUs, in which those of one core or package follow each other. */
static int number_of(struct numbering *numbering, hwloc_topology_t topology, hwloc_obj_type_t type,
                     hwloc_obj_t pu)
{
    hwloc_obj_t object = hwloc_get_ancestor_obj_by_type(topology, type, pu);
    if (object && object != numbering->last)
        numbering->count++;
    numbering->last = object ? object : numbering->last;
    return object ? numbering->count - 1 : -1;
}

/* How many hardware threads of the same core come before this one. */
static int sibling_index(hwloc_topology_t topology, hwloc_obj_t pu)
{
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
    int index = 0;
    for (int id = core ? hwloc_bitmap_first(core->cpuset) : -1; id >= 0 && id < (int)pu->os_index;
         id = hwloc_bitmap_next(core->cpuset, id))
        index++;
    return index;
}

static void read_cpus(struct machine *machine, hwloc_topology_t topology)
{
    struct numbering cores = {0}, packages = {0};
    const int kinds = hwloc_cpukinds_get_nr(topology, 0);
    for (hwloc_obj_t pu = NULL; (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu));) {
        if (pu->os_index > CPU_ID_MAX)
            continue;
        struct cpu_place *place =
            machine_append(machine, &machine->cpus, &machine->cpu_count, sizeof *place);
        *place = (struct cpu_place){
            .id = (int)pu->os_index,
            .core = number_of(&cores, topology, HWLOC_OBJ_CORE, pu),
            .sibling = sibling_index(topology, pu),
            .package = number_of(&packages, topology, HWLOC_OBJ_PACKAGE, pu),
            .node = -1,
            .kind = kinds > 1 ? hwloc_cpukinds_get_by_cpuset(topology, pu->cpuset, 0) : 0,
        };
    }
    if (machine->cpu_count)
        qsort(machine->cpus, machine->cpu_count, sizeof *machine->cpus, cpulist_by_id);
    machine->facts.cores = (unsigned)cores.count;
}

/* --- kinds of core --- */

/* hwloc sorts the kinds by what it calls efficiency: the kind of the lowest performance comes
 * first. An efficiency of -1 means that the order is unknown. */
static void read_kinds(struct machine *machine, hwloc_topology_t topology)
{
    struct pool *pool = &machine->pool;
    const int count = hwloc_cpukinds_get_nr(topology, 0);
    for (int i = 0; i < (count > 1 ? count : 1); i++) {
        struct cpulist cpus = {pool_alloc(pool, machine->cpu_count, sizeof *cpus.ids), 0};
        int efficiency = -1;
        hwloc_cpukinds_get_info(topology, (unsigned)i, NULL, &efficiency, NULL, NULL, 0);
        for (size_t c = 0; c < machine->cpu_count; c++)
            if (machine->cpus[c].kind == i)
                cpus.ids[cpus.count++] = machine->cpus[c].id;
        struct cpu_kind_facts *kind = machine_append(machine, &machine->facts.kinds,
                                                     &machine->facts.kind_count, sizeof *kind);
        kind->name = count == 2 && efficiency >= 0 ? i ? "performance" : "efficiency"
                                                   : pool_printf(pool, "kind%d", i);
        kind->cpus = cpulist_pooled(pool, &cpus);
    }
}

/* --- caches --- */

static struct cache_facts describe_cache(const struct hwloc_cache_attr_s *cache)
{
    unsigned line = cache->linesize;
    if (line < 8 || line > 4096 || (line & (line - 1)))
        line = 0;
    /* In hwloc, -1 is fully associative, and 0 is unknown. */
    uint64_t ways = cache->associativity >= 0 ? (uint64_t)cache->associativity
                    : line                    ? cache->size / line
                                              : 0;
    return (struct cache_facts){
        .level = (int)cache->depth,
        .type = cache->type == HWLOC_OBJ_CACHE_DATA          ? "data"
                : cache->type == HWLOC_OBJ_CACHE_INSTRUCTION ? "instruction"
                                                             : "unified",
        .size_bytes = cache->size,
        .line_bytes = line,
        .ways = ways <= UINT32_MAX ? (unsigned)ways : 0,
    };
}

static bool same_cache(const struct cache_facts *a, const struct cache_facts *b)
{
    return a->level == b->level && strcmp(a->type, b->type) == 0 &&
           a->size_bytes == b->size_bytes && a->line_bytes == b->line_bytes && a->ways == b->ways;
}

static int compare_caches(const void *a, const void *b)
{
    const struct cache_facts *left = a, *right = b;
    int order = ORDER_BY({left->level, right->level});
    order = order ? order : strcmp(left->type, right->type);
    /* qsort() may swap equal elements, and C libraries differ in it. */
    return order ? order
                 : ORDER_BY({right->size_bytes, left->size_bytes},
                            {atoi(left->shared_cpus), atoi(right->shared_cpus)});
}

/* --- NUMA --- */

/* Takes the node's CPUs from the kernel. hwloc's set differs: for a node without CPUs it has the
 * CPUs nearest to the node's memory. */
static void add_node(struct machine *machine, hwloc_obj_t object,
                     const struct machine_source *source)
{
    struct pool *pool = &machine->pool;
    struct cpulist listed, online = {pool_alloc(pool, machine->cpu_count, sizeof *online.ids), 0};
    if (source->synthetic ||
        !files_cpulist(pool, &listed, source->root, "/sys/devices/system/node/node%u/cpulist",
                       object->os_index))
        listed = list_of(pool, object->cpuset);
    for (size_t i = 0; i < machine->cpu_count; i++) {
        struct cpu_place *cpu = &machine->cpus[i];
        if (!cpulist_has(&listed, cpu->id))
            continue;
        if (cpu->node < 0)
            cpu->node = (int)object->os_index;
        online.ids[online.count++] = cpu->id;
    }
    struct numa_facts *node =
        machine_append(machine, &machine->facts.nodes, &machine->facts.node_count, sizeof *node);
    *node = (struct numa_facts){(int)object->os_index, cpulist_pooled(pool, &online),
                                object->attr->numanode.local_memory};
}

/* --- hwloc's tree as the document keeps it --- */

static struct declared_objects describe_object(hwloc_obj_t object)
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

/* The entry for objects like this one; it is mostly the last. Adds one if there is none. */
static struct declared_objects *entry_of(struct machine *machine,
                                         const struct declared_objects *like)
{
    struct declared_facts *declared = &machine->facts.declared;
    for (size_t i = declared->object_count; i-- > 0;)
        if (are_alike(&declared->objects[i], like))
            return &declared->objects[i];
    struct declared_objects *entry =
        machine_append(machine, &declared->objects, &declared->object_count, sizeof *entry);
    *entry = *like;
    entry->index_count = 0;
    return entry;
}

static void add_cpus(struct machine *machine, struct declared_objects *entry,
                     const struct cpulist *list)
{
    const char **cpus = machine_append(machine, &entry->cpus, &entry->cpus_count, sizeof *cpus);
    *cpus = cpulist_pooled(&machine->pool, list);
}

static void keep_depth(struct machine *machine, hwloc_topology_t topology, int depth)
{
    const hwloc_obj_type_t type = hwloc_get_depth_type(topology, depth);
    if (type != HWLOC_OBJ_PACKAGE && type != HWLOC_OBJ_DIE && type != HWLOC_OBJ_GROUP &&
        type != HWLOC_OBJ_CORE && type != HWLOC_OBJ_NUMANODE && !hwloc_obj_type_is_cache(type))
        return;
    for (unsigned i = 0; i < hwloc_get_nbobjs_by_depth(topology, depth); i++) {
        hwloc_obj_t object = hwloc_get_obj_by_depth(topology, depth, i);
        struct declared_objects like = describe_object(object);
        like.index_count = object->os_index != HWLOC_UNKNOWN_INDEX;
        struct declared_objects *entry = entry_of(machine, &like);
        const struct cpulist list = list_of(&machine->pool, object->cpuset);
        add_cpus(machine, entry, &list);
        if (!like.index_count)
            continue;
        uint64_t *index =
            machine_append(machine, &entry->indexes, &entry->index_count, sizeof *index);
        *index = object->os_index;
    }
}

static void add_fact(struct machine *machine, struct cache_facts cache, const struct cpulist *cpus)
{
    struct machine_facts *facts = &machine->facts;
    for (size_t i = 0; i < facts->cache_count; i++)
        if (same_cache(&facts->caches[i], &cache))
            return;
    cache.shared_cpus = cpulist_pooled(&machine->pool, cpus);
    *(struct cache_facts *)machine_append(machine, &facts->caches, &facts->cache_count,
                                          sizeof cache) = cache;
    qsort(facts->caches, facts->cache_count, sizeof cache, compare_caches);
}

void topology_add_cache(struct machine *machine, struct cache_facts cache,
                        const struct cpulist *cpus, bool as_object)
{
    if (cache.size_bytes < cache_bytes_min || cache.size_bytes > cache_bytes_max)
        return;
    add_fact(machine, cache, cpus);
    if (cpus->count > 1) {
        struct cache_place *place =
            machine_append(machine, &machine->caches, &machine->cache_count, sizeof *place);
        *place = (struct cache_place){cache.level, *cpus};
    }
    const struct declared_objects like = {.type =
                                              pool_printf(&machine->pool, "L%d%sCache", cache.level,
                                                          cache_holds_data(&cache) ? "" : "i"),
                                          .size_bytes = cache.size_bytes,
                                          .line_bytes = cache.line_bytes,
                                          .ways = cache.ways};
    if (as_object)
        add_cpus(machine, entry_of(machine, &like), cpus);
}

void topology_read(struct machine *machine, hwloc_topology_t topology,
                   const struct machine_source *source)
{
    read_cpus(machine, topology);
    read_kinds(machine, topology);
    for (int depth = hwloc_topology_get_depth(topology); depth-- > 0;) {
        if (!hwloc_obj_type_is_cache(hwloc_get_depth_type(topology, depth)))
            continue;
        for (unsigned i = 0; i < hwloc_get_nbobjs_by_depth(topology, depth); i++) {
            hwloc_obj_t cache = hwloc_get_obj_by_depth(topology, depth, i);
            const struct cpulist cpus = list_of(&machine->pool, cache->cpuset);
            topology_add_cache(machine, describe_cache(&cache->attr->cache), &cpus, false);
        }
    }
    hwloc_const_nodeset_t nodes = hwloc_topology_get_topology_nodeset(topology);
    for (int id = hwloc_bitmap_first(nodes); id >= 0; id = hwloc_bitmap_next(nodes, id)) {
        hwloc_obj_t node = hwloc_get_numanode_obj_by_os_index(topology, (unsigned)id);
        if (node)
            add_node(machine, node, source);
    }
    /* Keeps packages, dies, groups, caches, cores, CPUs and nodes, but no devices and no names. */
    const struct declared_objects cpus = {.type = hwloc_obj_type_string(HWLOC_OBJ_PU)};
    for (int depth = 0; depth < hwloc_topology_get_depth(topology); depth++)
        keep_depth(machine, topology, depth);
    keep_depth(machine, topology, HWLOC_TYPE_DEPTH_NUMANODE);
    const struct cpulist all =
        list_of(&machine->pool, hwloc_topology_get_topology_cpuset(topology));
    add_cpus(machine, entry_of(machine, &cpus), &all);
}
