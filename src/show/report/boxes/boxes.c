/* The boxes of the CPUs: nodes, the caches that CPUs share, kinds of core, cores. */
#include "show/report/boxes/boxes.h"

#include "base/cpulist.h"
#include "show/report/boxes/parts.h"
#include "show/report/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KINDS_MAX = 8,
    CACHES_MAX = 32,
    NODES_SHOWN = 256,
    GROUPS_MAX = 8,    /* of nodes that are alike */
    LEVEL_MAX = 9,     /* of caches */
    IDS_MAX = 4000000, /* in all lists of CPUs that are read */
    NEARLY_SAME = 10,  /* percent by which the memory of nodes that are alike may differ */
};

/* How many of each kind. */
struct cpus {
    size_t of_kind[KINDS_MAX], all;
};

/* A cache as the machine declares it, and the CPUs that share one instance of it. */
struct cache {
    int level;
    uint64_t size_bytes;
    unsigned kinds; /* a set; 0 where the machine does not say */
    struct cpus cpus;
};

/* Nodes that are alike. */
struct nodes {
    struct cpulist ids;    /* empty: of a machine that reports no nodes */
    uint64_t memory_bytes; /* of the first */
    const char *cpus;      /* of the first */
    struct cpus count;     /* of each */
};

struct nesting {
    struct boxes *boxes;
    struct pool *pool;
    const struct machine_facts *facts;
    struct measured measured;
    struct cpulist kinds[KINDS_MAX];
    size_t kind_count; /* at least 1 */
    struct cache caches[CACHES_MAX];
    size_t cache_count;
    struct nodes nodes[GROUPS_MAX];
    size_t group_count, node_count;
    size_t ids_left;
};

struct box *boxes_add(struct boxes *boxes, struct pool *pool, enum box_kind kind, size_t depth)
{
    struct box *box = pool_append(pool, (void **)&boxes->list, &boxes->count, sizeof *box);
    *box = (struct box){
        .kind = kind, .depth = depth, .count = 1, .declared_bytes = NAN, .clock_hz = NAN};
    return box;
}

/* --- what the machine says of itself --- */

/* Empty where the list makes no sense. */
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
        for (size_t i = 0; i < list.count; i++)
            cpus.of_kind[k] +=
                nesting->kind_count == 1 || cpulist_has(&nesting->kinds[k], list.ids[i]);
    pool_give_back(nesting->pool, list.ids);
    return cpus;
}

static void read_kinds(struct nesting *nesting)
{
    const struct machine_facts *facts = nesting->facts;
    for (size_t k = 0; k < facts->kind_count && k < KINDS_MAX; k++)
        nesting->kinds[nesting->kind_count++] = read_list(nesting, facts->kinds[k].cpus);
    if (!nesting->kind_count)
        nesting->kind_count = 1;
}

static void read_caches(struct nesting *nesting)
{
    const struct machine_facts *facts = nesting->facts;
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
}

static bool are_alike(const struct nodes *a, const struct nodes *b)
{
    const double left = (double)a->memory_bytes, right = (double)b->memory_bytes;
    return memcmp(&a->count, &b->count, sizeof a->count) == 0 &&
           fabs(left - right) <= fmax(left, right) * (double)NEARLY_SAME / 100;
}

/* The group of a node, which may be a new one; NULL: there is no room for it. */
static struct nodes *group_of(struct nesting *nesting, const struct nodes *node)
{
    size_t i = 0;
    while (i < nesting->group_count && !are_alike(&nesting->nodes[i], node))
        i++;
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

/* Where it belongs in the list, unless it is there. */
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

/* --- how it is nested --- */

static struct box *add(struct nesting *nesting, enum box_kind kind, size_t depth)
{
    return boxes_add(nesting->boxes, nesting->pool, kind, depth);
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

/* The kind of CPU that findings name as their source; NULL: the fastest, which is the last one and
 * the standard. */
static const char *kind_named(const struct nesting *nesting, unsigned kinds)
{
    if (kinds & 1u << (nesting->kind_count - 1))
        return NULL;
    for (size_t k = 0; k < nesting->kind_count; k++)
        if (kinds & 1u << k && nesting->facts->kinds[k].name)
            return nesting->facts->kinds[k].name;
    return "";
}

/* The cache of that level that CPUs of this kind have; NULL: none is declared. What two kinds have
 * alike stands in a document once, with CPUs of the one; where it could be one of several, nobody
 * knows. */
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

/* The CPUs of these kinds that share one instance. */
static struct cpus within(const struct cache *cache, const struct cpus *around, unsigned kinds)
{
    if (!cache || !cache->cpus.all)
        return *around;
    struct cpus cpus = cache->cpus;
    for (size_t k = 0; k < KINDS_MAX && !(kinds & cache->kinds); k++)
        cpus.of_kind[k] = kinds & 1u << k ? cpus.all : 0;
    return cpus;
}

/* Hardware threads of a core; 0: nobody says. */
static size_t threads_of_core(const struct nesting *nesting, size_t kind)
{
    const struct cache *first = cache_of(nesting, kind, 1);
    if (nesting->kind_count > 1)
        return first ? first->cpus.all : 0;
    return nesting->facts->cores ? nesting->facts->threads / nesting->facts->cores : 0;
}

static void add_core(struct nesting *nesting, size_t kind, const struct cpus *around, size_t depth)
{
    const size_t threads = threads_of_core(nesting, kind);
    struct box *box = add(nesting, BOX_CORE, depth);
    line_add(&box->name, "core");
    box->count = times(around->of_kind[kind], threads);
    if (threads > 1)
        line_add(&box->details, "%zu threads", threads);
    if (kind + 1 < nesting->kind_count)
        return;
    box->clock_hz = nesting->measured.document->conditions.core_hz;
    box->nearest = cell_of_finding(measured_first(&nesting->measured, FACT_NEAREST, DIMENSION_TIME),
                                   FORM_VALUE);
    box->farthest = cell_of_finding(
        measured_first(&nesting->measured, FACT_FARTHEST, DIMENSION_TIME), FORM_VALUE);
}

static void add_kind(struct nesting *nesting, size_t kind, const struct cpus *around, size_t depth)
{
    const size_t count = around->of_kind[kind];
    struct box *box = add(nesting, BOX_KIND, depth);
    line_add(&box->name, "%s cores",
             nesting->facts->kinds[kind].name ? nesting->facts->kinds[kind].name : "other");
    line_add(&box->details, "%zu CPU%s", count, count == 1 ? "" : "s");
}

/* Whether there is such a cache: it is declared, or was found. */
static bool add_cache(struct nesting *nesting, const struct cache *cache, unsigned kinds, int level,
                      const struct cpus *around, size_t depth)
{
    const char *kind = kind_named(nesting, kinds);
    char name[LEVEL_NAME_BYTES], text[UNIT_TEXT];
    snprintf(name, sizeof name, "L%d", level);
    if (!cache && !measured_level(&nesting->measured, name, kind))
        return false;
    struct box *box = add(nesting, BOX_CACHE, depth);
    const struct cpus cpus = within(cache, around, kinds);
    line_add(&box->name, "%s", name);
    if (!cache)
        line_add(&box->details, "not declared");
    else if (cache->size_bytes)
        line_add(&box->details, "%s", figure_valued((double)cache->size_bytes, "B", text));
    box->count = times(sum_of(around, kinds), sum_of(&cpus, kinds));
    measured_fill(&nesting->measured, box, name, kind);
    return true;
}

/* From that level on inwards, for these kinds, the fastest first: those that share a cache stand in
 * one box. */
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
        if (several && !(sharing & (sharing - 1)))
            add_kind(nesting, k, around, inner++);
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
    struct box *box = add(nesting, BOX_MEMORY, 0);
    unsigned kinds = 0;
    for (size_t k = 0; k < nesting->kind_count; k++)
        kinds |= nodes->count.of_kind[k] || !nodes->ids.count ? 1u << k : 0;
    describe_node(nesting, nodes, box);
    box->count = nodes->ids.count ? nodes->ids.count : 1;
    if (!kinds)
        return;
    measured_fill(&nesting->measured, box, "DRAM", kind_named(nesting, kinds));
    box->remote_ns = cell_of_finding(
        measured_first(&nesting->measured, FACT_REMOTE, DIMENSION_TIME), FORM_VALUE);
    box->remote_rate = cell_of_finding(
        measured_first(&nesting->measured, FACT_REMOTE, DIMENSION_BANDWIDTH), FORM_VALUE);
    add_inside(nesting, kinds, LEVEL_MAX, &nodes->count, 1);
}

void boxes_build(struct boxes *boxes, const struct catalogue *catalogue, size_t document,
                 struct pool *pool)
{
    struct nesting *nesting = pool_alloc(pool, 1, sizeof *nesting);
    *boxes = (struct boxes){0};
    nesting->boxes = boxes;
    nesting->pool = pool;
    nesting->facts = &catalogue->documents[document]->machine;
    nesting->ids_left = IDS_MAX;
    if (nesting->facts->cache_count || nesting->facts->node_count || nesting->facts->cores) {
        read_kinds(nesting);
        read_caches(nesting);
        read_nodes(nesting);
        measured_collect(&nesting->measured, catalogue, document, -1);
        for (size_t i = 0; i < nesting->group_count; i++)
            add_nodes(nesting, &nesting->nodes[i]);
    }
    boxes_add_devices(boxes, catalogue, document, pool);
}
