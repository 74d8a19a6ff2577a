#include "measure/probes/cores/topology_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct declared *declared;
    const struct machine *machine;
    const struct cpulist *cpus;
    struct pool *pool;
    size_t considered; /* CPUs that count */
};

static bool counts(const struct reading *reading, int id)
{
    return !reading->cpus || cpulist_has(reading->cpus, id);
}

/* Adds the CPUs of ids[count], ascending, that count: two at least and not all. */
static int add_group(struct reading *reading, enum declared_kind kind, const char *name,
                     const int *ids, size_t count)
{
    size_t kept = 0;
    int *own = pool_alloc(reading->pool, count + 1, sizeof *own);
    if (!own || !name)
        return ERROR_SYSTEM;
    for (size_t i = 0; i < count; i++)
        if (machine_cpu(reading->machine, ids[i]) && counts(reading, ids[i]))
            own[kept++] = ids[i];
    if (kept < 2 || kept == reading->considered)
        return 0;
    struct declared *declared = reading->declared;
    void *groups = declared->groups;
    struct declared_group *group =
        pool_append(reading->pool, &groups, &declared->count, sizeof *group);
    if (!group)
        return ERROR_SYSTEM;
    declared->groups = groups;
    *group = (struct declared_group){kind, name, {own, kept}};
    return 0;
}

static int place_of(const struct cpu_place *cpu, enum declared_kind kind)
{
    return kind == DECLARED_SIBLINGS ? cpu->core : cpu->package;
}

/* CPUs that name the same core or package. */
static int add_places(struct reading *reading, enum declared_kind kind, const char *name)
{
    const struct machine *machine = reading->machine;
    struct pool scratch = {0};
    int *ids = pool_alloc(&scratch, machine->cpu_count + 1, sizeof *ids);
    int code = ids ? 0 : ERROR_SYSTEM;
    for (size_t i = 0; i < machine->cpu_count && code == 0; i++) {
        int place = place_of(&machine->cpus[i], kind);
        bool first = place >= 0;
        for (size_t j = 0; j < i && first; j++)
            first = place_of(&machine->cpus[j], kind) != place;
        size_t count = 0;
        for (size_t j = i; j < machine->cpu_count && first; j++)
            if (place_of(&machine->cpus[j], kind) == place)
                ids[count++] = machine->cpus[j].id;
        if (count >= 2)
            code = add_group(reading, kind, name, ids, count);
    }
    pool_free(&scratch);
    return code;
}

/* CPUs of a list as the document has it; what is no list is not declared. */
static int add_list(struct reading *reading, enum declared_kind kind, const char *name,
                    const char *text)
{
    struct cpulist list;
    if (!text || !*text || cpulist_parse(text, &list, NULL) < 0)
        return 0;
    int code = add_group(reading, kind, name, list.ids, list.count);
    cpulist_free(&list);
    return code;
}

static int add_caches(struct reading *reading)
{
    const struct machine *machine = reading->machine;
    int code = 0;
    for (size_t i = 0; i < machine->cache_count && code == 0; i++) {
        const struct cache_place *cache = &machine->caches[i];
        code = add_group(reading, DECLARED_CACHE,
                         pool_printf(reading->pool, "CPUs that share an L%d cache", cache->level),
                         cache->cpus.ids, cache->cpus.count);
    }
    return code;
}

static int add_facts(struct reading *reading)
{
    const struct machine_facts *facts = &reading->machine->facts;
    struct pool *pool = reading->pool;
    int code = 0;
    for (size_t i = 0; i < facts->node_count && code == 0; i++)
        code =
            add_list(reading, DECLARED_NODE, pool_printf(pool, "NUMA node %d", facts->nodes[i].id),
                     facts->nodes[i].cpus);
    for (size_t i = 0; i < facts->kind_count && code == 0; i++)
        code =
            add_list(reading, DECLARED_CORES,
                     pool_printf(pool, "the %s cores", facts->kinds[i].name), facts->kinds[i].cpus);
    return code;
}

int declared_read(struct declared *declared, const struct machine *machine,
                  const struct cpulist *cpus, struct pool *pool, struct error *error)
{
    struct reading reading = {declared, machine, cpus, pool, 0};
    *declared = (struct declared){0};
    for (size_t i = 0; i < machine->cpu_count; i++)
        reading.considered += counts(&reading, machine->cpus[i].id);
    int code = add_places(&reading, DECLARED_SIBLINGS, "SMT siblings");
    if (code == 0)
        code = add_places(&reading, DECLARED_PACKAGE, "a package");
    if (code == 0)
        code = add_caches(&reading);
    if (code == 0)
        code = add_facts(&reading);
    return code < 0 ? error_out_of_memory(error) : 0;
}

const char *declared_labels(const struct machine *machine, const struct cpulist *cpus,
                            struct pool *pool)
{
    enum { LABEL_BYTES = 64 };
    size_t size = cpus->count * LABEL_BYTES + 1, used = 0;
    char *text = pool_alloc(pool, size, 1);
    bool known = false, nodes = machine->facts.node_count > 1;
    for (size_t i = 0; text && i < cpus->count; i++) {
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

static const char *const kind_words[] = {[DECLARED_SIBLINGS] = "siblings",
                                         [DECLARED_CACHE] = "cache",
                                         [DECLARED_NODE] = "node",
                                         [DECLARED_PACKAGE] = "package",
                                         [DECLARED_CORES] = "cores"};
enum { GROUPS_MOST = 4 * CLUSTERS_CPUS_MAX, KINDS = sizeof kind_words / sizeof *kind_words };

const char *declared_text(const struct declared *declared, struct pool *pool)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < declared->count; i++) {
        const struct declared_group *group = &declared->groups[i];
        const size_t room = group->cpus.count * 8 + 1;
        char *cpus = malloc(room);
        if (cpus)
            fprintf(out, "%s%s %s %s", i ? "; " : "", kind_words[group->kind],
                    cpulist_format(&group->cpus, cpus, room), group->name);
        free(cpus);
    }
    if (out && fclose(out) == EOF)
        size = 0;
    const char *kept = out ? pool_strdup(pool, size ? text : "none") : NULL;
    free(text);
    return kept;
}

/* One group: "siblings 0-1 SMT siblings". */
static int parse_group(struct declared *declared, const char *text, size_t length,
                       struct pool *pool)
{
    const char *copy = pool_printf(pool, "%.*s", (int)length, text);
    const char *list = copy ? strchr(copy, ' ') : NULL, *name = list ? strchr(list + 1, ' ') : NULL;
    struct cpulist cpus;
    int kind = 0;
    if (!copy)
        return ERROR_SYSTEM;
    while (kind < KINDS && (strncmp(copy, kind_words[kind], strlen(kind_words[kind])) != 0 ||
                            copy[strlen(kind_words[kind])] != ' '))
        kind++;
    if (kind == KINDS || !name)
        return 0;
    const char *numbers = pool_printf(pool, "%.*s", (int)(name - list - 1), list + 1);
    if (!numbers || cpulist_parse(numbers, &cpus, NULL) < 0)
        return numbers ? 0 : ERROR_SYSTEM;
    void *groups = declared->groups;
    struct declared_group *group = pool_append(pool, &groups, &declared->count, sizeof *group);
    int *ids = pool_alloc(pool, cpus.count + 1, sizeof *ids);
    if (group)
        declared->groups = groups;
    if (group && ids) {
        memcpy(ids, cpus.ids, cpus.count * sizeof *ids);
        *group = (struct declared_group){(enum declared_kind)kind, name + 1, {ids, cpus.count}};
    }
    cpulist_free(&cpus);
    return group && ids ? 0 : ERROR_SYSTEM;
}

int declared_parse(struct declared *declared, const char *text, struct pool *pool)
{
    int code = 0;
    *declared = (struct declared){0};
    /* A document may hold anything; machines have a few groups for each CPU. */
    for (size_t length, n = 0; *text && n < GROUPS_MOST && code == 0;
         n++, text += length + strspn(text + length, "; ")) {
        length = strcspn(text, ";");
        code = parse_group(declared, text, length, pool);
    }
    return code;
}
