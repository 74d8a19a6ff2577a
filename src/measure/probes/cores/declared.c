/* The groups of CPUs that the machine declares, which conclude/clusters/clusters.h compares with
 * the clusters found. */
#include "conclude/clusters/clusters.h"
#include "measure/probes/cores/cores.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_words[] = {[DECLARED_SIBLINGS] = "siblings",
                                         [DECLARED_CACHE] = "cache",
                                         [DECLARED_NODE] = "node",
                                         [DECLARED_PACKAGE] = "package",
                                         [DECLARED_CORES] = "cores"};
enum { GROUPS_MOST = 4 * CLUSTERS_CPUS_MAX, KINDS = sizeof kind_words / sizeof *kind_words };

/* --- as a text --- */

struct listing {
    const struct machine *machine;
    struct pool *pool;
    int *cpus, *own; /* cpus: the measured CPUs; own: scratch for one group */
    size_t count, most;
    void *text; /* not terminated yet */
    size_t bytes;
};

static bool counts(const struct listing *listing, int id)
{
    bool found = false;
    for (size_t i = 0; i < listing->most && !found; i++)
        found = listing->cpus[i] == id;
    return found;
}

static void append(struct listing *listing, const char *text)
{
    const size_t length = strlen(text);
    memcpy(pool_extend(listing->pool, &listing->text, &listing->bytes, length, 1), text, length);
}

/* Adds a group of those CPUs of ids[count] (ascending) that were measured, if they are at least two
 * and not all. */
static void add_group(struct listing *listing, enum declared_kind kind, const char *name,
                      const int *ids, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (machine_cpu(listing->machine, ids[i]) && counts(listing, ids[i]))
            listing->own[kept++] = ids[i];
    if (kept < 2 || kept == listing->count)
        return;
    append(listing,
           pool_printf(listing->pool, "%s%s %s %s", listing->bytes ? "; " : "", kind_words[kind],
                       build_cpus(listing->pool, listing->own, kept), name));
}

static int place_of(const struct cpu_place *cpu, enum declared_kind kind)
{
    return kind == DECLARED_SIBLINGS ? cpu->core : cpu->package;
}

/* Adds groups of CPUs with the same core or package. */
static void add_places(struct listing *listing, enum declared_kind kind, const char *name)
{
    const struct machine *machine = listing->machine;
    int *ids = pool_alloc(listing->pool, machine->cpu_count, sizeof *ids);
    for (size_t i = 0; i < machine->cpu_count; i++) {
        const int place = place_of(&machine->cpus[i], kind);
        bool first = place >= 0;
        for (size_t j = 0; j < i && first; j++)
            first = place_of(&machine->cpus[j], kind) != place;
        size_t count = 0;
        for (size_t j = i; j < machine->cpu_count && first; j++)
            if (place_of(&machine->cpus[j], kind) == place)
                ids[count++] = machine->cpus[j].id;
        add_group(listing, kind, name, ids, count);
    }
}

/* A list of CPUs; empty where it is absent or invalid. */
static struct cpulist list_of(const char *text, struct pool *pool)
{
    struct cpulist list = {0};
    if (text)
        cpulist_read(text, &list, pool, NULL);
    return list;
}

const char *cores_declared(const struct machine *machine, const int *cpus, size_t count,
                           struct pool *pool)
{
    const struct machine_facts *facts = &machine->facts;
    struct listing listing = {.machine = machine, .pool = pool, .most = count};
    listing.cpus = (int *)cpus;
    listing.own = pool_alloc(pool, machine->cpu_count, sizeof *listing.own);
    for (size_t i = 0; i < machine->cpu_count; i++)
        listing.count += counts(&listing, machine->cpus[i].id);
    add_places(&listing, DECLARED_SIBLINGS, "SMT siblings");
    add_places(&listing, DECLARED_PACKAGE, "a package");
    for (size_t i = 0; i < machine->cache_count; i++) {
        const struct cache_place *cache = &machine->caches[i];
        add_group(&listing, DECLARED_CACHE,
                  pool_printf(pool, "CPUs that share an L%d cache", cache->level), cache->cpus.ids,
                  cache->cpus.count);
    }
    for (size_t i = 0; i < facts->node_count; i++) {
        const struct cpulist list = list_of(facts->nodes[i].cpus, pool);
        add_group(&listing, DECLARED_NODE, pool_printf(pool, "NUMA node %d", facts->nodes[i].id),
                  list.ids, list.count);
    }
    for (size_t i = 0; i < facts->kind_count; i++) {
        const struct cpulist list = list_of(facts->kinds[i].cpus, pool);
        add_group(&listing, DECLARED_CORES, pool_printf(pool, "the %s cores", facts->kinds[i].name),
                  list.ids, list.count);
    }
    append(&listing, listing.bytes ? "" : "none");
    return pool_printf(pool, "%.*s", (int)listing.bytes, (const char *)listing.text);
}

/* --- and back --- */

/* One group: "siblings 0-1 SMT siblings". */
static void parse_group(struct declared *declared, const char *text, struct pool *pool)
{
    const char *list = strchr(text, ' '), *name = list ? strchr(list + 1, ' ') : NULL;
    size_t kind = 0;
    while (kind < KINDS && (strncmp(text, kind_words[kind], strlen(kind_words[kind])) != 0 ||
                            text[strlen(kind_words[kind])] != ' '))
        kind++;
    if (kind == KINDS || !name)
        return;
    const struct cpulist cpus =
        list_of(pool_printf(pool, "%.*s", (int)(name - list - 1), list + 1), pool);
    if (cpus.count)
        *(struct declared_group *)pool_append(pool, (void **)&declared->groups, &declared->count,
                                              sizeof *declared->groups) =
            (struct declared_group){(enum declared_kind)kind, name + 1, cpus};
}

void cores_declared_parse(struct declared *declared, const char *text, struct pool *pool)
{
    *declared = (struct declared){0};
    /* The limit is for malformed documents: machines have a few groups for each CPU. */
    for (size_t length, n = 0; *text && n < GROUPS_MOST;
         n++, text += length + strspn(text + length, "; ")) {
        length = strcspn(text, ";");
        parse_group(declared, pool_printf(pool, "%.*s", (int)length, text), pool);
    }
}

/* --- places --- */

const char *cores_labels(const struct machine *machine, const struct cpulist *cpus,
                         struct pool *pool)
{
    enum { LABEL_BYTES = 64 };
    size_t size = cpus->count * LABEL_BYTES + 1, used = 0;
    char *text = pool_alloc(pool, size, 1);
    bool known = false, nodes = machine->facts.node_count > 1;
    for (size_t i = 0; i < cpus->count; i++) {
        const struct cpu_place *cpu = machine_cpu(machine, cpus->ids[i]);
        if (!cpu || cpu->core < 0)
            continue;
        bool has_node = nodes && cpu->node >= 0;
        known = known || has_node || cpu->core != cpu->id;
        used += (size_t)snprintf(text + used, size - used, "%s%d=c%d.%d", used ? " " : "", cpu->id,
                                 cpu->core, cpu->sibling);
        if (has_node)
            used += (size_t)snprintf(text + used, size - used, "n%d", cpu->node);
    }
    return known ? text : NULL;
}
