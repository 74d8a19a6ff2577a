/*
 * The picture of a machine: boxes in boxes as lstopo draws them, memory outside and cores inside,
 * each with what was measured in it. Boxes that are alike are drawn once, with their number, so a
 * machine of 1024 CPUs takes no more room than a laptop.
 */
#include "base/cpulist.h"
#include "base/text.h"
#include "findings/device.h"
#include "quantity/quantity.h"
#include "render/page/page.h"
#include "report/figure.h"
#include "report/levels.h"
#include "result/flag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    KINDS_MAX = 8,
    CACHES_MAX = 32,
    NODES_MAX = 256,
    GROUPS_MAX = 8,    /* boxes of nodes that are not alike */
    DEVICES_MAX = 8,   /* boxes of devices */
    LEVEL_MAX = 9,     /* caches of the CPUs */
    ROADS_MAX = 16,    /* places whose bandwidth is shown */
    IDS_MAX = 4000000, /* CPUs of all lists that are read */
    NEARLY_SAME = 10,  /* percent that the memory of nodes that are alike may differ */
};

/* CPUs of each kind. */
struct cpus {
    size_t of_kind[KINDS_MAX], all;
};

/* A cache as the machine declares it: one of its instances. */
struct cache {
    int level;
    uint64_t size_bytes;
    unsigned kinds; /* a set: whose CPUs share it; 0 where the machine does not say */
    struct cpus cpus;
};

/* Nodes that are alike. */
struct nodes {
    struct cpulist ids;
    uint64_t memory_bytes; /* of the first */
    const char *cpus;      /* of the first */
    struct cpus count;     /* of each */
};

/* What one kernel moves from and to a place, by one CPU and by all. */
struct road {
    const char *place, *kernel; /* kernel: NULL where only the finding's name says it */
    size_t length;              /* of place */
    const struct finding *one, *all;
};

struct machine {
    FILE *out;
    const struct catalogue *catalogue;
    size_t index;
    const struct document *document;
    struct cpulist kinds[KINDS_MAX];
    size_t kind_count; /* at least 1 */
    struct cache caches[CACHES_MAX];
    size_t cache_count;
    struct nodes nodes[GROUPS_MAX];
    size_t group_count, node_count, nodes_left_out;
    size_t ids_left; /* that may still be read */
    /* of the CPUs or the device that is being drawn */
    int device;
    struct levels levels;
    struct road roads[ROADS_MAX];
    size_t road_count;
};

/* --- what the machine says of itself --- */

/* Empty where the list makes no sense. */
static struct cpulist read_list(struct machine *machine, const char *text)
{
    struct cpulist list = {0};
    struct error error;
    if (!text || !*text || machine->ids_left == 0 || cpulist_parse(text, &list, &error) < 0)
        return (struct cpulist){0};
    machine->ids_left -= list.count < machine->ids_left ? list.count : machine->ids_left;
    return list;
}

static struct cpus count_cpus(struct machine *machine, const char *text)
{
    struct cpulist list = read_list(machine, text);
    struct cpus cpus = {.all = list.count};
    for (size_t i = 0; i < list.count; i++)
        for (size_t k = 0; k < machine->kind_count; k++)
            cpus.of_kind[k] +=
                machine->kind_count == 1 || cpulist_has(&machine->kinds[k], list.ids[i]);
    cpulist_free(&list);
    return cpus;
}

static void read_kinds(struct machine *machine)
{
    const struct machine_facts *facts = &machine->document->machine;
    for (; machine->kind_count < facts->kind_count && machine->kind_count < KINDS_MAX;
         machine->kind_count++)
        machine->kinds[machine->kind_count] =
            read_list(machine, facts->kinds[machine->kind_count].cpus);
    if (!machine->kind_count)
        machine->kind_count = 1;
}

static void read_caches(struct machine *machine)
{
    const struct machine_facts *facts = &machine->document->machine;
    for (size_t i = 0; i < facts->cache_count && machine->cache_count < CACHES_MAX; i++) {
        const struct cache_facts *cache = &facts->caches[i];
        if (cache->level < 1 || cache->level > LEVEL_MAX ||
            (cache->type && strcmp(cache->type, "instruction") == 0))
            continue;
        struct cache *read = &machine->caches[machine->cache_count++];
        *read = (struct cache){.level = cache->level,
                               .size_bytes = cache->size_bytes,
                               .cpus = count_cpus(machine, cache->shared_cpus)};
        for (size_t k = 0; k < machine->kind_count; k++)
            read->kinds |= read->cpus.of_kind[k] ? 1u << k : 0;
    }
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= fmax(a, b) * NEARLY_SAME / 100;
}

static struct nodes *nodes_alike(struct machine *machine, const struct nodes *node)
{
    for (size_t i = 0; i < machine->group_count; i++) {
        struct nodes *other = &machine->nodes[i];
        if (memcmp(&other->count, &node->count, sizeof node->count) == 0 &&
            is_near((double)other->memory_bytes, (double)node->memory_bytes))
            return other;
    }
    return NULL;
}

static void read_nodes(struct machine *machine)
{
    const struct machine_facts *facts = &machine->document->machine;
    for (size_t i = 0; i < facts->node_count; i++) {
        const struct numa_facts *facts_of = &facts->nodes[i];
        struct nodes node = {.memory_bytes = facts_of->memory_bytes, .cpus = facts_of->cpus};
        if (i < NODES_MAX)
            node.count = count_cpus(machine, facts_of->cpus);
        struct nodes *group = i < NODES_MAX ? nodes_alike(machine, &node) : NULL;
        if (!group && i < NODES_MAX && machine->group_count < GROUPS_MAX) {
            group = &machine->nodes[machine->group_count++];
            *group = node;
        }
        if (!group || cpulist_add(&group->ids, facts_of->id) < 0)
            machine->nodes_left_out++;
        else
            machine->node_count++;
    }
    if (machine->group_count)
        return;
    /* A machine that tells no nodes has one. */
    struct nodes *whole = &machine->nodes[machine->group_count++];
    *whole = (struct nodes){.count.all = facts->threads};
    for (size_t k = 0; k < machine->kind_count; k++) {
        whole->count.of_kind[k] =
            machine->kind_count > 1 ? machine->kinds[k].count : facts->threads;
    }
}

/* --- what was measured --- */

static const char *kernel_of(const struct finding *finding)
{
    for (size_t i = 0; i < finding->factor_count; i++)
        if (text_same(finding->factors[i].name, "kernel"))
            return finding->factors[i].text;
    return NULL;
}

/* The first kernel that a place was measured with is the one that is shown. */
static void take_road(struct machine *machine, const struct catalogue_entry *entry)
{
    const struct finding_meaning *meaning = &entry->meaning;
    const bool memory = meaning->role == ROLE_WIDTH;
    struct road road = {.place = memory ? "DRAM" : meaning->subject,
                        .kernel = kernel_of(entry->finding),
                        .length = memory ? strlen("DRAM") : meaning->subject_length};
    size_t i = 0;
    while (i < machine->road_count && (machine->roads[i].length != road.length ||
                                       strncmp(machine->roads[i].place, road.place, road.length)))
        i++;
    if (i == ROADS_MAX)
        return;
    if (i == machine->road_count)
        machine->roads[machine->road_count++] = road;
    struct road *kept = &machine->roads[i];
    const struct finding **place = meaning->fact == FACT_ONE ? &kept->one : &kept->all;
    if (!*place && text_same(kept->kernel, road.kernel))
        *place = entry->finding;
}

static void take_measured(struct machine *machine, int device)
{
    machine->device = device;
    machine->road_count = 0;
    levels_collect(&machine->levels, machine->catalogue, machine->index, device);
    for (size_t i = 0; i < machine->catalogue->count; i++) {
        const struct catalogue_entry *entry = &machine->catalogue->list[i];
        const struct finding_meaning *meaning = &entry->meaning;
        if (entry->document == machine->index && meaning->device == device && !entry->experiment &&
            (meaning->fact == FACT_ONE || meaning->fact == FACT_ALL) &&
            quantity_is(entry->finding->unit, DIMENSION_BANDWIDTH) &&
            isfinite(entry->finding->value))
            take_road(machine, entry);
    }
}

/* The first finding of a fact in that dimension, of the CPUs; NULL: nobody measured it. */
static const struct finding *first_of(const struct machine *machine, enum finding_fact fact,
                                      enum dimension dimension)
{
    for (size_t i = 0; i < machine->catalogue->count; i++) {
        const struct catalogue_entry *entry = &machine->catalogue->list[i];
        if (entry->document == machine->index && entry->meaning.fact == fact &&
            entry->meaning.device < 0 && !entry->experiment &&
            quantity_is(entry->finding->unit, dimension) && isfinite(entry->finding->value))
            return entry->finding;
    }
    return NULL;
}

/* Whether the level was read off on that kind of core, and by the standard experiment otherwise.
 * The fastest kind, which is the last one, is the standard. */
static bool is_of_kind(const struct machine *machine, const struct level *level, unsigned kinds)
{
    const struct finding *example = level_example(level);
    const unsigned fastest = 1u << (machine->kind_count - 1);
    if (level->experiment == 0)
        return machine->device >= 0 || kinds & fastest;
    if (kinds & fastest || example->deviations != 1 || !text_same(example->factors[0].name, "core"))
        return false;
    for (size_t k = 0; k < machine->kind_count; k++)
        if (kinds & 1u << k &&
            text_same(example->factors[0].text, machine->document->machine.kinds[k].name))
            return true;
    return false;
}

static const struct level *level_named(const struct machine *machine, const char *name,
                                       unsigned kinds)
{
    for (size_t i = 0; i < machine->levels.count; i++)
        if (strcmp(machine->levels.list[i].name, name) == 0 &&
            is_of_kind(machine, &machine->levels.list[i], kinds))
            return &machine->levels.list[i];
    return NULL;
}

/* --- boxes --- */

/* `spec` is what is declared, may be empty, and is no markup. */
static void open_box(const struct machine *machine, const char *kind, const char *name,
                     const char *spec, size_t count)
{
    FILE *out = machine->out;
    fprintf(out, "<div class=\"box %s%s\"><p><b>", kind, count > 1 ? " pile" : "");
    html_text(out, name);
    fputs("</b> ", out);
    html_text(out, spec);
    if (count > 1)
        fprintf(out, " <b class=times>×&nbsp;%zu</b>", count);
    fputs("</p>\n", out);
}

static void close_box(const struct machine *machine)
{
    fputs("</div>\n", machine->out);
}

static void open_fact(FILE *out, bool *any, const char *name)
{
    fputs(*any ? "<div><dt>" : "<dl>\n<div><dt>", out);
    html_text(out, name);
    fputs("<dd>", out);
    *any = true;
}

/* Without its interval, for which the datasheet has room. */
static void put_value(FILE *out, const struct finding *finding)
{
    char text[UNIT_TEXT];
    fputs("<span>", out);
    fputs(figure_valued(finding->value, finding->unit, text), out);
    if (!figure_has_unit(finding->unit)) {
        fputs("&nbsp;", out);
        html_text(out, finding->unit);
    }
    html_doubt(out, finding);
    fputs("</span>", out);
}

static void put_latency(FILE *out, const struct level *level, bool *any)
{
    if (!level->facts[LATENCY] && !level->facts[LATENCY_NS])
        return;
    open_fact(out, any, "latency");
    for (int fact = LATENCY; fact <= LATENCY_NS; fact++)
        if (level->facts[fact] && isfinite(level->facts[fact]->value)) {
            put_value(out, level->facts[fact]);
            fputc(' ', out);
        }
    fputs("</div>\n", out);
}

/* How much of what is declared was found, as figures and as a bar. */
static void put_room(FILE *out, const struct level *level, double declared, bool *any)
{
    enum { WIDTH = 72, HEIGHT = 7 };
    char text[UNIT_TEXT];
    const struct finding *found = level->facts[CAPACITY];
    if (!found || !isfinite(found->value))
        return;
    open_fact(out, any, "room");
    put_value(out, found);
    if (isfinite(declared) && declared > 0) {
        fprintf(out, " <span>of %s</span> ", figure_valued(declared, "B", text));
        fprintf(
            out,
            "<svg viewBox=\"0 0 %d %d\" width=%d height=%d aria-hidden=true><rect class=declared "
            "width=%d height=%d /><rect class=found width=%.0f height=%d /></svg>",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT,
            WIDTH * fmin(1, fmax(0, found->value / declared)), HEIGHT);
    }
    fputs("</div>\n", out);
}

static void put_road(const struct machine *machine, const char *place, bool *any)
{
    FILE *out = machine->out;
    for (size_t i = 0; i < machine->road_count; i++) {
        const struct road *road = &machine->roads[i];
        if (road->length != strlen(place) || strncmp(road->place, place, road->length) ||
            !(road->one || road->all))
            continue;
        open_fact(out, any, road->kernel ? road->kernel : "bandwidth");
        if (road->one)
            put_value(out, road->one);
        if (road->all)
            fputs(road->one ? " <span>one CPU,</span> " : "", out);
        if (road->all)
            put_value(out, road->all);
        fputs(machine->device >= 0 ? ""
              : road->all          ? " <span>all</span>"
                                   : " <span>one CPU</span>",
              out);
        fputs("</div>\n", out);
    }
}

static void put_fact(const struct machine *machine, enum finding_fact fact,
                     enum dimension dimension, const char *name, bool *any)
{
    const struct finding *finding = first_of(machine, fact, dimension);
    if (!finding)
        return;
    open_fact(machine->out, any, name);
    put_value(machine->out, finding);
    fputs("</div>\n", machine->out);
}

static void put_level(const struct machine *machine, const char *name, unsigned kinds, bool *any)
{
    const struct level *level = level_named(machine, name, kinds);
    if (level) {
        put_latency(machine->out, level, any);
        put_room(machine->out, level,
                 level_declared_bytes(machine->document, machine->device, level), any);
    }
    if (machine->device >= 0 || kinds & 1u << (machine->kind_count - 1))
        put_road(machine, name, any);
}

/* Where the machine tells of no more than is on the line, nothing was measured. */
static void close_facts(const struct machine *machine, bool any)
{
    fputs(any ? "</dl>\n" : "", machine->out);
}

/* --- the CPUs --- */

static size_t times(size_t all, size_t each)
{
    return each ? (all + each - 1) / each : 1;
}

/* The cache of that level that CPUs of this kind have; NULL: none is declared. What two kinds have
 * alike stands in a document once, with CPUs of the one. */
static const struct cache *cache_of(const struct machine *machine, size_t kind, int level)
{
    const struct cache *private = NULL;
    for (size_t i = 0; i < machine->cache_count; i++) {
        const struct cache *cache = &machine->caches[i];
        if (cache->level != level)
            continue;
        if (cache->kinds & 1u << kind || !cache->kinds)
            return cache;
        if (!(cache->kinds & (cache->kinds - 1)))
        private = cache;
    }
    return private;
}

static struct cpus within(const struct cache *cache, const struct cpus *around, unsigned kinds)
{
    struct cpus cpus = *around;
    if (!cache || !cache->cpus.all)
        return cpus;
    cpus = cache->cpus;
    if (!(kinds & cache->kinds)) /* another kind's, which is alike */
        for (size_t k = 0; k < KINDS_MAX; k++)
            cpus.of_kind[k] = kinds & 1u << k ? cache->cpus.all : 0;
    return cpus;
}

static size_t sum_of(const struct cpus *cpus, unsigned kinds)
{
    size_t sum = 0;
    for (size_t k = 0; k < KINDS_MAX; k++)
        sum += kinds & 1u << k ? cpus->of_kind[k] : 0;
    return sum;
}

/* Hardware threads of a core; 0: nobody says. */
static size_t threads_of_core(const struct machine *machine, size_t kind)
{
    const struct machine_facts *facts = &machine->document->machine;
    if (machine->kind_count == 1)
        return facts->cores ? facts->threads / facts->cores : 0;
    const struct cache *first = cache_of(machine, kind, 1);
    return first ? first->cpus.all : 0;
}

static void put_core(const struct machine *machine, size_t kind, const struct cpus *around)
{
    const struct conditions *conditions = &machine->document->conditions;
    const size_t threads = threads_of_core(machine, kind);
    const size_t count = around->of_kind[kind];
    const bool fastest = kind + 1 == machine->kind_count;
    char text[UNIT_TEXT], spec[64] = "";
    bool any = false;
    if (threads > 1)
        snprintf(spec, sizeof spec, "%zu threads", threads);
    open_box(machine, "core", "core", spec, threads ? times(count, threads) : 1);
    if (fastest && conditions->core_hz > 0 && conditions->core_hz < 1e12) {
        open_fact(machine->out, &any, "clock");
        fprintf(machine->out, "<span>%s</span></div>\n", hertz_format(conditions->core_hz, text));
    }
    if (fastest) {
        put_fact(machine, FACT_NEAREST, DIMENSION_TIME, "to the nearest CPU", &any);
        put_fact(machine, FACT_FARTHEST, DIMENSION_TIME, "to the farthest", &any);
    }
    close_facts(machine, any);
    close_box(machine);
}

static void open_row(const struct machine *machine, bool wanted)
{
    fputs(wanted ? "<div class=row>\n" : "", machine->out);
}

static void close_row(const struct machine *machine, bool wanted)
{
    fputs(wanted ? "</div>\n" : "", machine->out);
}

static void open_kind(const struct machine *machine, size_t kind, const struct cpus *around)
{
    const struct cpu_kind_facts *facts = &machine->document->machine.kinds[kind];
    struct line spec = {0};
    line_add(&spec, "cores: %zu CPU%s", around->of_kind[kind],
             around->of_kind[kind] == 1 ? "" : "s");
    open_box(machine, "kind", facts->name ? facts->name : "other", spec.text, 1);
}

static void put_inside(const struct machine *machine, unsigned kinds, int level,
                       const struct cpus *around);

/* A cache and what is in it; of a level that is neither declared nor found only the latter. */
static void put_cache(const struct machine *machine, const struct cache *cache, unsigned kinds,
                      int level, const struct cpus *around)
{
    char name[LEVEL_NAME_BYTES], spec[UNIT_TEXT] = "not declared";
    snprintf(name, sizeof name, "L%d", level);
    const struct cpus cpus = within(cache, around, kinds);
    const bool drawn = cache || level_named(machine, name, kinds);
    bool any = false;
    if (drawn) {
        if (cache)
            figure_valued(cache->size_bytes ? (double)cache->size_bytes : NAN, "B", spec);
        open_box(machine, "cache", name, spec,
                 cache && cache->cpus.all ? times(sum_of(around, kinds), sum_of(&cpus, kinds)) : 1);
        put_level(machine, name, kinds, &any);
        close_facts(machine, any);
    }
    put_inside(machine, kinds, level - 1, &cpus);
    if (drawn)
        close_box(machine);
}

/* From that level on inwards, for these kinds: those that share a cache stand in one box. */
static void put_inside(const struct machine *machine, unsigned kinds, int level,
                       const struct cpus *around)
{
    const bool several = (kinds & (kinds - 1)) != 0;
    bool row = false;
    unsigned left = kinds;
    for (size_t k = machine->kind_count; k-- > 0;) {
        if (!(left & 1u << k))
            continue;
        const struct cache *cache = level ? cache_of(machine, k, level) : NULL;
        unsigned sharing = 1u << k;
        for (size_t other = 0; other < k; other++)
            if (left & 1u << other && level && cache_of(machine, other, level) == cache &&
                (!cache || !cache->kinds || cache->kinds & 1u << other))
                sharing |= 1u << other;
        if (sharing != kinds && !row)
            open_row(machine, row = true);
        const bool alone = several && !(sharing & (sharing - 1));
        if (alone)
            open_kind(machine, k, around);
        if (level)
            put_cache(machine, cache, sharing, level, around);
        else
            put_core(machine, k, around);
        if (alone)
            close_box(machine);
        left &= ~sharing;
    }
    close_row(machine, row);
}

static void put_node(const struct machine *machine, const struct nodes *nodes)
{
    const bool many = machine->node_count > 1;
    const uint64_t whole = machine->document->machine.memory_bytes;
    const uint64_t memory = !many && whole ? whole : nodes->memory_bytes;
    struct line name = {0}, spec = {0};
    char text[UNIT_TEXT], ids[64];
    bool any = false;
    unsigned kinds = 0;
    if (many)
        line_add(&name, "%s %s", nodes->ids.count == 1 ? "node" : "nodes",
                 cpulist_format(&nodes->ids, ids, sizeof ids));
    else
        line_add(&name, "DRAM");
    if (memory)
        line_add(&spec, "%s%s", figure_valued((double)memory, "B", text), many ? " of DRAM" : "");
    if (nodes->count.all && nodes->ids.count <= 1 && nodes->cpus) {
        line_add(&spec, "%sCPUs ", spec.length ? ", " : "");
        line_add_clean(&spec, nodes->cpus);
    } else if (nodes->ids.count) {
        line_add(&spec, nodes->count.all ? ", %zu CPUs" : ", no CPUs", nodes->count.all);
    }
    open_box(machine, "node", name.text, spec.text, nodes->ids.count);
    for (size_t k = 0; k < machine->kind_count; k++)
        kinds |= nodes->count.of_kind[k] || !nodes->ids.count ? 1u << k : 0;
    if (kinds) {
        put_level(machine, "DRAM", kinds, &any);
        put_fact(machine, FACT_REMOTE, DIMENSION_TIME, "another node", &any);
        put_fact(machine, FACT_REMOTE, DIMENSION_BANDWIDTH, "from another node", &any);
    }
    close_facts(machine, any);
    if (kinds)
        put_inside(machine, kinds, LEVEL_MAX, &nodes->count);
    close_box(machine);
}

/* --- devices --- */

static bool is_cache_of_all(const char *name)
{
    return name[0] == 'L' && name[1] > '1' && name[1] <= '9' && !name[2];
}

static void put_place(struct machine *machine, const char *name, const struct level *level)
{
    char text[UNIT_TEXT];
    const double declared =
        level ? level_declared_bytes(machine->document, machine->device, level) : NAN;
    bool any = false;
    open_box(machine, "cache", name, isfinite(declared) ? figure_valued(declared, "B", text) : "",
             1);
    put_level(machine, name, 1, &any);
    close_facts(machine, any);
}

/* Its memory, in it the caches that all multiprocessors share, in these the multiprocessor with
 * what is its own and has room: what is only another way to it (texture, atomics) is no place. */
static void put_device(struct machine *machine, int device)
{
    const struct gpu_facts *gpu = device_facts(&machine->document->machine, device);
    struct line name = {0}, spec = {0};
    char text[UNIT_TEXT];
    size_t opened = 0;
    bool any = false;
    take_measured(machine, device);
    line_add(&name, "gpu%d", device);
    if (gpu && gpu->name)
        line_add_clean(&spec, gpu->name);
    if (gpu && gpu->memory_bytes)
        line_add(&spec, "%s%s of DRAM", spec.length ? ", " : "",
                 figure_valued((double)gpu->memory_bytes, "B", text));
    open_box(machine, "node", name.text, spec.text, 1);
    put_level(machine, "DRAM", 1, &any);
    close_facts(machine, any);
    for (size_t i = machine->levels.count; i-- > 0;) {
        const struct level *level = &machine->levels.list[i];
        if (level->experiment == 0 && is_cache_of_all(level->name)) {
            put_place(machine, level->name, level);
            opened++;
        }
    }
    open_box(machine, "core", "multiprocessor", "", gpu ? gpu->multiprocessors : 1);
    open_row(machine, true);
    for (size_t i = 0; i < machine->levels.count; i++) {
        const struct level *level = &machine->levels.list[i];
        if (level->experiment != 0 || is_cache_of_all(level->name) ||
            strcmp(level->name, "DRAM") == 0 ||
            !(level->facts[CAPACITY] ||
              isfinite(level_declared_bytes(machine->document, device, level))))
            continue;
        put_place(machine, level->name, level);
        close_box(machine);
    }
    close_row(machine, true);
    for (opened += 2; opened > 0; opened--)
        close_box(machine);
}

static void put_devices(struct machine *machine)
{
    int devices[DEVICES_MAX + 1];
    const size_t count = device_list(machine->document, devices, DEVICES_MAX + 1);
    for (size_t i = 0; i < count && i < DEVICES_MAX; i++)
        put_device(machine, devices[i]);
    if (count > DEVICES_MAX)
        fputs("<p>More devices stand in the document.</p>\n", machine->out);
}

void html_machine(FILE *out, const struct catalogue *catalogue, size_t index)
{
    const struct document *document = catalogue->documents[index];
    const struct machine_facts *facts = &document->machine;
    int device;
    const bool cpus = facts->cache_count || facts->node_count || facts->cores;
    if (!cpus && !device_list(document, &device, 1))
        return;
    struct machine *machine = calloc(1, sizeof *machine);
    if (!machine)
        return;
    machine->out = out;
    machine->catalogue = catalogue;
    machine->index = index;
    machine->document = document;
    machine->ids_left = IDS_MAX;
    read_kinds(machine);
    read_caches(machine);
    read_nodes(machine);
    fprintf(out,
            "<figure class=machine aria-labelledby=boxes-%zu>\n<figcaption id=boxes-%zu>The "
            "machine, and what was measured in it</figcaption>\n<div class=drawing><div "
            "class=row>\n",
            index, index);
    take_measured(machine, -1);
    for (size_t i = 0; i < machine->group_count && cpus; i++)
        put_node(machine, &machine->nodes[i]);
    if (machine->nodes_left_out)
        fprintf(out, "<p>%zu more nodes stand in the document.</p>\n", machine->nodes_left_out);
    put_devices(machine);
    fputs("</div></div>\n</figure>\n", out);
    for (size_t i = 0; i < machine->kind_count; i++)
        cpulist_free(&machine->kinds[i]);
    for (size_t i = 0; i < machine->group_count; i++)
        cpulist_free(&machine->nodes[i].ids);
    free(machine);
}
