/* The boxes of the CPUs (nodes, shared caches, kinds of core, cores) with their measured values. */
#include "show/report/boxes/boxes.h"

#include "base/cpulist.h"
#include "base/text.h"
#include "conclude/levels/of_document.h"
#include "show/report/figure.h"
#include "show/report/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    KINDS_MAX = 8,
    CACHES_MAX = 32,
    NODES_SHOWN = 256,
    GROUPS_MAX = 8,    /* groups of similar nodes */
    LEVEL_MAX = 9,     /* greatest level of a cache */
    IDS_MAX = 4000000, /* ids in all lists of CPUs together */
    NEARLY_SAME = 10,  /* percent by which the memory of similar nodes may differ */
};

/* Numbers of CPUs, by kind and in all. */
struct cpus {
    size_t of_kind[KINDS_MAX], all;
};

/* A declared cache, and the CPUs that share one instance of it. */
struct cache {
    int level;
    uint64_t size_bytes;
    unsigned kinds; /* a set of kinds of core; 0: unknown */
    struct cpus cpus;
};

/* Nodes with the same CPUs of each kind and similar memory. */
struct nodes {
    struct cpulist ids;    /* empty: the machine reports no nodes */
    uint64_t memory_bytes; /* of the first node */
    const char *cpus;      /* of the first node */
    struct cpus count;     /* of each node */
};

struct nesting {
    struct boxes *boxes;
    struct pool *pool;
    const struct report *report;
    size_t index; /* of the document */
    const struct machine_facts *facts;
    struct levels levels;
    struct cpulist kinds[KINDS_MAX];
    size_t kind_count; /* at least 1 */
    struct cache caches[CACHES_MAX];
    size_t cache_count;
    struct nodes nodes[GROUPS_MAX];
    size_t group_count, node_count;
    size_t ids_left;
};

/* --- measured values --- */

static struct cell cell_of_remote(const struct nesting *nesting, enum dimension dimension)
{
    const struct catalogue *catalogue = &nesting->report->catalogue;
    const struct finding *found = NULL;
    for (size_t i = 0; i < catalogue->count && !found; i++) {
        const struct catalogue_entry *entry = &catalogue->list[i];
        if (entry->document == nesting->index && !entry->experiment &&
            entry->meaning.fact == FACT_REMOTE && quantity_is(entry->finding->unit, dimension) &&
            isfinite(entry->finding->value))
            found = entry->finding;
    }
    return cell_of_finding(found, FORM_VALUE);
}

static const char *kernel_of(const struct finding *finding)
{
    const struct factor *kernel =
        finding ? factor_find(finding->factors, finding->factor_count, "kernel") : NULL;
    return kernel ? kernel->text : NULL;
}

/* The level of that name for a kind of core; NULL kind: for the fastest kind. Returns NULL if it
 * was not measured. A name alone denotes the fastest kind of core; findings of other kinds name the
 * kind as a deviation. */
static const struct level *measured_level(const struct nesting *nesting, const char *name,
                                          const char *kind)
{
    for (size_t i = 0; i < nesting->levels.count; i++) {
        const struct level *level = &nesting->levels.list[i];
        const struct finding *example = level->example;
        if (strcmp(level->name, name) == 0 &&
            (!kind || level->experiment == 0
                 ? !kind && level->experiment == 0
                 : example->deviations == 1 && text_same(example->factors[0].name, "core") &&
                       text_same(example->factors[0].text, kind)))
            return level;
    }
    return NULL;
}

/* Fills in latency, capacity and bandwidth of the level `name`. If it was read by several kernels,
 * the first one counts. */
static void measured_fill(const struct nesting *nesting, struct box *box, const char *name,
                          const char *kind)
{
    const struct level *level = measured_level(nesting, name, kind);
    if (level) {
        box->cycles = cell_of_finding(level->facts[FACT_LATENCY], FORM_VALUE);
        box->ns = cell_of_finding(level->facts[FACT_LATENCY_NS], FORM_VALUE);
        box->capacity = cell_of_finding(level->facts[FACT_CAPACITY], FORM_VALUE);
        box->declared_bytes = level->declared;
    }
    if (kind)
        return;
    const bool memory = strcmp(name, level_memory) == 0;
    const enum finding_role role = memory ? ROLE_WIDTH : ROLE_PROPERTY;
    const char *subject = memory ? NULL : name;
    const struct finding *one =
        report_find(nesting->report, nesting->index, role, FACT_ONE, subject);
    const struct finding *all =
        report_find(nesting->report, nesting->index, role, FACT_ALL, subject);
    box->kernel = kernel_of(one ? one : all);
    box->one = cell_of_finding(one, FORM_VALUE);
    if (text_same(kernel_of(all), box->kernel))
        box->all = cell_of_finding(all, FORM_VALUE);
}

/* --- the declared machine --- */

/* Reads a list of CPUs; empty if it is malformed or too long. */
static struct cpulist read_list(struct nesting *nesting, const char *text)
{
    struct cpulist list = {0};
    if (!text || !*text || !nesting->ids_left || cpulist_read(text, &list, nesting->pool, NULL) < 0)
        return (struct cpulist){0};
    nesting->ids_left -= list.count < nesting->ids_left ? list.count : nesting->ids_left;
    return list;
}

static struct cpus count_cpus(struct nesting *nesting, const char *text)
{
    struct cpulist list = read_list(nesting, text);
    struct cpus cpus = {.all = list.count};
    for (size_t k = 0; k < nesting->kind_count; k++)
        cpus.of_kind[k] =
            nesting->kind_count == 1 ? list.count : cpulist_common(&list, &nesting->kinds[k]);
    pool_give_back(nesting->pool, list.ids);
    return cpus;
}

/* The group of a node, perhaps a new one; NULL: no room for it. */
static struct nodes *group_of(struct nesting *nesting, const struct nodes *node)
{
    size_t i = 0;
    for (; i < nesting->group_count; i++) {
        const struct nodes *group = &nesting->nodes[i];
        const double one = (double)group->memory_bytes, other = (double)node->memory_bytes;
        if (memcmp(&group->count, &node->count, sizeof node->count) == 0 &&
            fabs(one - other) <= fmax(one, other) * (double)NEARLY_SAME / 100)
            break;
    }
    if (i == GROUPS_MAX)
        return NULL;
    if (i == nesting->group_count)
        nesting->nodes[nesting->group_count++] =
            (struct nodes){.ids = {.ids = pool_alloc(nesting->pool, NODES_SHOWN, sizeof(int))},
                           .memory_bytes = node->memory_bytes,
                           .cpus = node->cpus,
                           .count = node->count};
    return &nesting->nodes[i];
}

/* Inserts the id in ascending order, unless it is there. */
static void add_id(struct cpulist *list, int id)
{
    size_t at = list->count;
    while (at && list->ids[at - 1] > id)
        at--;
    if (at && list->ids[at - 1] == id)
        return;
    memmove(list->ids + at + 1, list->ids + at, (list->count++ - at) * sizeof *list->ids);
    list->ids[at] = id;
}

static void read_nodes(struct nesting *nesting)
{
    const struct machine_facts *facts = nesting->facts;
    for (size_t i = 0; i < facts->node_count && i < NODES_SHOWN; i++) {
        const struct numa_facts *node = &facts->nodes[i];
        const struct nodes read = {.memory_bytes = node->memory_bytes,
                                   .cpus = node->cpus,
                                   .count = count_cpus(nesting, node->cpus)};
        struct nodes *group = group_of(nesting, &read);
        if (group) {
            add_id(&group->ids, node->id);
            nesting->node_count++;
        }
    }
    nesting->boxes->left_out += facts->node_count - nesting->node_count;
    if (nesting->group_count)
        return;
    struct nodes *whole = &nesting->nodes[nesting->group_count++];
    whole->count.all = facts->threads;
    for (size_t k = 0; k < nesting->kind_count; k++)
        whole->count.of_kind[k] =
            nesting->kind_count > 1 ? nesting->kinds[k].count : facts->threads;
}

/* --- nesting --- */

/* Appends a box at that depth; valid until the next one is added. */
static struct box *add(struct nesting *nesting, size_t depth)
{
    struct boxes *boxes = nesting->boxes;
    struct box *box = pool_append(nesting->pool, (void **)&boxes->list, &boxes->count, sizeof *box);
    *box = (struct box){.depth = depth, .count = 1, .declared_bytes = NAN, .clock_hz = NAN};
    return box;
}

static size_t times(size_t all, size_t each)
{
    return each && all > each ? (all + each - 1) / each : 1;
}

static size_t sum_of(const struct cpus *cpus, unsigned kinds)
{
    size_t sum = 0;
    for (size_t k = 0; k < KINDS_MAX; k++)
        sum += kinds & 1u << k ? cpus->of_kind[k] : 0;
    return sum;
}

/* The kind of core that findings name as their source; NULL: the fastest kind, which is the last
 * one and the standard. */
static const char *kind_named(const struct nesting *nesting, unsigned kinds)
{
    if (kinds & 1u << (nesting->kind_count - 1))
        return NULL;
    for (size_t k = 0; k < nesting->kind_count; k++)
        if (kinds & 1u << k && nesting->facts->kinds[k].name)
            return nesting->facts->kinds[k].name;
    return "";
}

/* The cache of that level for this kind of core; NULL: none is declared. A document stores a cache
 * that two kinds have in common once, with the CPUs of one kind; if it could belong to several
 * kinds, it is unknown. */
static const struct cache *cache_of(const struct nesting *nesting, size_t kind, int level)
{
    const struct cache *alike = NULL;
    size_t others = 0;
    for (size_t i = 0; i < nesting->cache_count; i++) {
        const struct cache *cache = &nesting->caches[i];
        if (cache->level != level)
            continue;
        if (!cache->kinds || cache->kinds & 1u << kind)
            return cache;
        if (!(cache->kinds & (cache->kinds - 1)) && others++ == 0)
            alike = cache;
    }
    return others == 1 ? alike : NULL;
}

/* The CPUs of these kinds that share one instance of the cache. */
static struct cpus within(const struct cache *cache, const struct cpus *around, unsigned kinds)
{
    if (!cache || !cache->cpus.all)
        return *around;
    struct cpus cpus = cache->cpus;
    for (size_t k = 0; k < KINDS_MAX && !(kinds & cache->kinds); k++)
        cpus.of_kind[k] = kinds & 1u << k ? cpus.all : 0;
    return cpus;
}

static void add_core(struct nesting *nesting, size_t kind, const struct cpus *around, size_t depth)
{
    const struct machine_facts *facts = nesting->facts;
    const struct cache *first = cache_of(nesting, kind, 1);
    const size_t threads = nesting->kind_count > 1 ? first ? first->cpus.all : 0
                           : facts->cores          ? facts->threads / facts->cores
                                                   : 0; /* 0: unknown */
    struct box *box = add(nesting, depth);
    line_add(&box->name, "core");
    box->count = times(around->of_kind[kind], threads);
    if (threads > 1)
        line_add(&box->details, "%zu threads", threads);
    if (kind + 1 < nesting->kind_count)
        return;
    box->clock_hz = nesting->report->catalogue.documents[nesting->index]->conditions.core_hz;
    box->nearest = cell_of_finding(
        report_find(nesting->report, nesting->index, ROLE_HANDOFF, FACT_NEAREST, NULL), FORM_VALUE);
    box->farthest = cell_of_finding(
        report_find(nesting->report, nesting->index, ROLE_HANDOFF, FACT_FARTHEST, NULL),
        FORM_VALUE);
}

/* Adds the cache if it is declared or was found; returns whether what is nearer to the cores lies
 * in it. Of an undeclared cache that is unknown, unless there is one CPU. */
static bool add_cache(struct nesting *nesting, const struct cache *cache, unsigned kinds, int level,
                      const struct cpus *around, size_t depth)
{
    const char *kind = kind_named(nesting, kinds);
    char name[LEVEL_NAME_BYTES], text[UNIT_TEXT];
    snprintf(name, sizeof name, "L%d", level);
    if (!cache && !measured_level(nesting, name, kind))
        return false;
    struct box *box = add(nesting, depth);
    const struct cpus cpus = within(cache, around, kinds);
    line_add(&box->name, "%s", name);
    box->unknown = !cache && sum_of(around, kinds) > 1;
    if (!cache)
        line_add(&box->details,
                 box->unknown ? "not declared: which CPUs share it is unknown" : "not declared");
    else if (cache->size_bytes)
        line_add(&box->details, "%s", figure_valued((double)cache->size_bytes, "B", text));
    box->count = times(sum_of(around, kinds), sum_of(&cpus, kinds));
    measured_fill(nesting, box, name, kind);
    return !box->unknown;
}

/* Adds the boxes from that level inwards for these kinds of core, the fastest first; kinds that
 * share a cache share its box. */
static void add_inside(struct nesting *nesting, unsigned kinds, int level,
                       const struct cpus *around, size_t depth)
{
    const bool several = (kinds & (kinds - 1)) != 0;
    for (size_t k = nesting->kind_count; k-- > 0;) {
        size_t inner = depth;
        unsigned sharing = 1u << k;
        if (!(kinds & sharing))
            continue;
        const struct cache *cache = level ? cache_of(nesting, k, level) : NULL;
        for (size_t other = 0; other < k && level; other++)
            if (kinds & 1u << other && cache_of(nesting, other, level) == cache &&
                (!cache || !cache->kinds || cache->kinds & 1u << other))
                sharing |= 1u << other;
        kinds &= ~sharing;
        if (several && !(sharing & (sharing - 1))) {
            const char *name = nesting->facts->kinds[k].name;
            const size_t count = around->of_kind[k];
            struct box *box = add(nesting, inner++);
            line_add(&box->name, "%s cores", name ? name : "other");
            line_add(&box->details, "%zu CPU%s", count, count == 1 ? "" : "s");
        }
        if (!level) {
            add_core(nesting, k, around, inner);
            continue;
        }
        const struct cpus cpus = within(cache, around, sharing);
        inner += add_cache(nesting, cache, sharing, level, around, inner);
        add_inside(nesting, sharing, level - 1, &cpus, inner);
    }
}

static void describe_node(const struct nesting *nesting, const struct nodes *nodes, struct box *box)
{
    const bool many = nesting->node_count > 1;
    const uint64_t whole = nesting->facts->memory_bytes;
    const uint64_t memory = !many && whole ? whole : nodes->memory_bytes;
    char text[256];
    if (many)
        line_add(&box->name, "node%s %s", nodes->ids.count == 1 ? "" : "s",
                 cpulist_format(&nodes->ids, text, sizeof text));
    else
        line_add(&box->name, "DRAM");
    if (memory)
        line_add(&box->details, "%s%s", figure_valued((double)memory, "B", text),
                 many ? " of DRAM" : "");
    const char *comma = box->details.length ? ", " : "";
    if (!nodes->ids.count)
        return;
    if (!nodes->count.all)
        line_add(&box->details, "%sno CPUs", comma);
    else if (nodes->ids.count == 1)
        line_add(&box->details, "%sCPU%s %s", comma, nodes->count.all == 1 ? "" : "s", nodes->cpus);
    else
        line_add(&box->details, "%s%zu CPUs each", comma, nodes->count.all);
}

static void add_nodes(struct nesting *nesting, const struct nodes *nodes)
{
    struct box *box = add(nesting, 0);
    unsigned kinds = 0;
    for (size_t k = 0; k < nesting->kind_count; k++)
        kinds |= nodes->count.of_kind[k] || !nodes->ids.count ? 1u << k : 0;
    describe_node(nesting, nodes, box);
    box->count = nodes->ids.count ? nodes->ids.count : 1;
    if (!kinds)
        return;
    measured_fill(nesting, box, "DRAM", kind_named(nesting, kinds));
    box->remote_ns = cell_of_remote(nesting, DIMENSION_TIME);
    box->remote_rate = cell_of_remote(nesting, DIMENSION_BANDWIDTH);
    add_inside(nesting, kinds, LEVEL_MAX, &nodes->count, 1);
}

void boxes_build(struct boxes *boxes, const struct report *report, size_t index, struct pool *pool)
{
    struct nesting *nesting = pool_alloc(pool, 1, sizeof *nesting);
    const struct machine_facts *facts = &report->catalogue.documents[index]->machine;
    *boxes = (struct boxes){0};
    nesting->boxes = boxes;
    nesting->pool = pool;
    nesting->report = report;
    nesting->index = index;
    nesting->facts = facts;
    nesting->ids_left = IDS_MAX;
    if (!facts->cache_count && !facts->node_count && !facts->cores)
        return;
    for (size_t k = 0; k < facts->kind_count && k < KINDS_MAX; k++)
        nesting->kinds[nesting->kind_count++] = read_list(nesting, facts->kinds[k].cpus);
    nesting->kind_count += !nesting->kind_count;
    for (size_t i = 0; i < facts->cache_count && nesting->cache_count < CACHES_MAX; i++) {
        const struct cache_facts *cache = &facts->caches[i];
        if (cache->level < 1 || cache->level > LEVEL_MAX || !cache_holds_data(cache))
            continue;
        struct cache *read = &nesting->caches[nesting->cache_count++];
        *read = (struct cache){.level = cache->level,
                               .size_bytes = cache->size_bytes,
                               .cpus = count_cpus(nesting, cache->shared_cpus)};
        for (size_t k = 0; k < nesting->kind_count; k++)
            read->kinds |= read->cpus.of_kind[k] ? 1u << k : 0;
    }
    read_nodes(nesting);
    levels_collect(&nesting->levels, &report->catalogue, index, -1);
    for (size_t i = 0; i < nesting->group_count; i++)
        add_nodes(nesting, &nesting->nodes[i]);
}
