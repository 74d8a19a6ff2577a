/*
 * hwloc's XML of the machine with measured values, for every program that uses hwloc:
 * HWLOC_XMLFILE=FILE HWLOC_THISSYSTEM=1 PROGRAM. Latencies and bandwidths of nodes are memory
 * attributes, hand-offs are distances, and clusters that nothing declares are groups. Version 2.0
 * (hwloc2.dtd); its readers fail unless every set of an object and the length of each text is
 * given.
 */
#include "show/render/hwloc/hwloc.h"
#include "base/clean.h"
#include "base/quantity.h"
#include "conclude/registry/experiment.h"
#include "conclude/registry/finding.h"
#include "conclude/registry/registry.h"
#include "conclude/ways.h"
#include "show/render/output.h"
#include "show/report/square.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 32, INDENT_MOST = 40 };

/* " name=\"0x00000003\"", a bitmap in 32-bit words, the highest first. */
static void put_set(FILE *out, const char *name, const struct cpulist *set)
{
    const int words = set->count ? set->ids[set->count - 1] / WORD + 1 : 1;
    size_t at = set->count;
    fprintf(out, " %s=\"", name);
    for (int word = words; word-- > 0;) {
        uint32_t bits = 0;
        for (; at > 0 && set->ids[at - 1] / WORD == word; at--)
            bits |= UINT32_C(1) << set->ids[at - 1] % WORD;
        fprintf(out, "0x%08x%s", bits, word ? "," : "");
    }
    fputc('"', out);
}

/* <info name value> with the text made inert and escaped; nothing if it is empty. */
static void put_info(FILE *out, const char *name, const char *value)
{
    static const char special[] = "&<>\"";
    static const char *const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    char clean[CLEAN_TEXT];
    if (!value || !*value)
        return;
    fprintf(out, "    <info name=\"%s\" value=\"", name);
    for (const char *c = clean_text(value, clean, sizeof clean); *c; c++) {
        const char *at = strchr(special, *c);
        fprintf(out, at ? "%s" : "%.1s", at ? escapes[at - special] : c);
    }
    fputs("\"/>\n", out);
}

/* Ids of objects follow their index; ids of nodes come after them. */
static size_t node_id(const struct objects *objects, size_t node)
{
    return objects->count + node + 1;
}

static void put_start(FILE *out, int depth, const char *type, long number)
{
    fprintf(out, "%*s<object type=\"%s\"", depth < INDENT_MOST ? 2 * depth : 2 * INDENT_MOST, "",
            type);
    if (number >= 0)
        fprintf(out, " os_index=\"%ld\"", number);
}

static void put_sets(FILE *out, const struct cpulist *cpus, const struct cpulist *nodes, bool root)
{
    put_set(out, "cpuset", cpus);
    put_set(out, "complete_cpuset", cpus);
    if (root)
        put_set(out, "allowed_cpuset", cpus);
    put_set(out, "nodeset", nodes);
    put_set(out, "complete_nodeset", nodes);
    if (root)
        put_set(out, "allowed_nodeset", nodes);
}

/* An object's CPUs and its local nodes; the machine has all nodes. */
static void put_object_sets(FILE *out, const struct objects *objects, size_t place)
{
    const struct cpulist *cpus = &objects->list[place].cpus;
    int numbers[NODES_MAX];
    struct cpulist nodes = {.ids = numbers};
    for (size_t i = 0; i < objects->node_count; i++)
        if (place == OBJECT_ROOT || cpulist_common(&objects->nodes[i].cpus, cpus))
            numbers[nodes.count++] = objects->nodes[i].number;
    qsort(numbers, nodes.count, sizeof *numbers, cpulist_by_id);
    put_sets(out, cpus, &nodes, place == OBJECT_ROOT);
}

/* hwloc's cache types: 0 unified, 1 data, 2 instructions. */
static void put_cache(FILE *out, const struct objects *objects, const struct object *object)
{
    const struct declared_objects *facts = object->facts;
    bool split = false;
    const int level = object->type[1] - '0';
    if (!facts)
        return;
    for (size_t i = 0; i < objects->count; i++) {
        const char *type = objects->list[i].type;
        split = split || (type[0] == 'L' && type[1] == object->type[1] && type[2] == 'i');
    }
    const int type = object->type[2] == 'i' ? 2 : split ? 1 : 0;
    fprintf(out,
            " cache_size=\"%llu\" depth=\"%d\" cache_linesize=\"%u\" cache_associativity=\"%u\" "
            "cache_type=\"%d\"",
            (unsigned long long)facts->size_bytes, level, facts->line_bytes,
            facts->ways <= INT32_MAX ? facts->ways : 0, type);
}

static void put_object(FILE *out, const struct objects *objects, const struct document *document,
                       size_t place, int depth)
{
    const struct object *object = &objects->list[place];
    put_start(out, depth, object->type, object->number);
    put_object_sets(out, objects, place);
    fprintf(out, " gp_index=\"%zu\"", place + 1);
    put_cache(out, objects, object);
    /* HWLOC_GROUP_KIND_USER, which hwloc never merges, and HWLOC_GROUP_KIND_MEMORY, the kind of
     * hwloc's own groups for nodes. */
    if (object->origin == OBJECT_CLUSTER)
        fputs(" kind=\"0\" subkind=\"0\" subtype=\"MeasuredCluster\"", out);
    else if (object->origin == OBJECT_MEMORY)
        fputs(" kind=\"1001\" subkind=\"0\"", out);
    else if (object->type[0] == 'G')
        fputs(" kind=\"0\" subkind=\"0\"", out);
    fputs(">\n", out);
    if (place == OBJECT_ROOT) {
        const struct machine_facts *machine = &document->machine;
        char count[24];
        put_info(out, "Backend", "fathom");
        put_info(out, "fathomVersion", document->tool.version);
        put_info(out, "Measured", document->run.started);
        put_info(out, "HostName", machine->hostname);
        put_info(out, "OSName", machine->os);
        put_info(out, "OSRelease", machine->kernel);
        put_info(out, "Architecture", machine->cpu_arch);
        put_info(out, "CPUModel", machine->cpu_model);
        snprintf(count, sizeof count, "%zu", objects->clusters_left);
        if (objects->clusters_left)
            put_info(out, "MeasuredClustersAcrossOthers", count);
    }
    for (size_t i = 0; i < objects->node_count; i++)
        if (objects->nodes[i].at == (long)place) {
            const struct object_node *node = &objects->nodes[i];
            int number = node->number;
            put_start(out, depth + 1, "NUMANode", number);
            put_sets(out, &node->cpus, &(struct cpulist){&number, 1}, false);
            fprintf(out, " gp_index=\"%zu\" local_memory=\"%llu\"/>\n", node_id(objects, i),
                    (unsigned long long)node->bytes);
        }
    for (long child = object->child; child >= 0; child = objects->list[child].next)
        put_object(out, objects, document, (size_t)child, depth + 1);
    fprintf(out, "%*s</object>\n", depth < INDENT_MOST ? 2 * depth : 2 * INDENT_MOST, "");
}

/* --- distances. hwloc needs whole numbers and only compares them, so they are in picoseconds,
 * which the name says. Both directions of a pair count as one. hwloc needs a complete matrix: if
 * pairs are missing, the CPUs with most missing pairs are left out. --- */

/* FROM_USER | MEANS_LATENCY of hwloc/distances.h. */
enum { KIND = 2 | 4, VALUES_A_LINE = 10, NUMBER = 24, LINE = VALUES_A_LINE * NUMBER };

/* A hand-off never takes a second. */
static const double most_ps = 1e12;

struct distances {
    int *cpus;       /* ascending */
    double *values;  /* row by row, in ps; NAN: no value */
    size_t *missing; /* of each CPU: missing pairs with CPUs that remain */
    bool *left_out;
    size_t count;
};

static void collect(struct distances *distances, const struct grid *grid, const struct cpulist *all,
                    double ps, struct pool *pool)
{
    *distances = (struct distances){.cpus = pool_alloc(pool, all->count + 1, sizeof(int))};
    for (size_t i = 0; i < all->count; i++)
        if (grid_row(grid, all->ids[i]) < grid->row_count ||
            grid_column(grid, all->ids[i]) < grid->column_count)
            distances->cpus[distances->count++] = all->ids[i];
    const size_t n = distances->count;
    distances->values = pool_alloc(pool, n * n + 1, sizeof *distances->values);
    distances->missing = pool_alloc(pool, n + 1, sizeof *distances->missing);
    distances->left_out = pool_alloc(pool, n + 1, sizeof *distances->left_out);
    for (size_t i = 0; i < n * n; i++) {
        const int from = distances->cpus[i / n], to = distances->cpus[i % n];
        const struct point *forth = grid_point(grid, from, to), *back = grid_point(grid, to, from);
        const double one = forth ? way_value(forth) : NAN, other = back ? way_value(back) : NAN;
        const double mean = isnan(one) ? other : isnan(other) ? one : (one + other) / 2;
        const double value = from == to ? 0 : round(mean * ps);
        const bool good = from == to || (value >= 1 && value <= most_ps);
        distances->values[i] = good ? value : NAN;
        distances->missing[i / n] += !good;
    }
    for (;;) {
        size_t worst = 0;
        for (size_t i = 1; i < n; i++)
            if (distances->missing[i] > distances->missing[worst])
                worst = i;
        if (!n || !distances->missing[worst])
            return;
        distances->left_out[worst] = true;
        distances->missing[worst] = 0;
        for (size_t i = 0; i < n; i++)
            if (!distances->left_out[i] && isnan(distances->values[i * n + worst]))
                distances->missing[i]--;
    }
}

/* Numbers that are written a few to an element, which also has the length of its text. */
struct numbers {
    FILE *out;
    const char *element;
    char line[LINE + 1];
    size_t length, count;
};

static void end_numbers(struct numbers *numbers)
{
    if (numbers->count)
        fprintf(numbers->out, "    <%s length=\"%zu\">%s</%s>\n", numbers->element, numbers->length,
                numbers->line, numbers->element);
    numbers->count = numbers->length = 0;
}

static void put_number(struct numbers *numbers, double number)
{
    numbers->length += (size_t)snprintf(numbers->line + numbers->length, NUMBER, "%.0f ", number);
    if (++numbers->count == VALUES_A_LINE)
        end_numbers(numbers);
}

static void put_handoffs(FILE *out, const struct objects *objects, const struct document *document,
                         struct pool *pool)
{
    const struct series *series = ways_between_cpus(document);
    const struct quantity *quantity = series ? quantity_of(series->y.unit) : NULL;
    struct numbers indexes = {.out = out, .element = "indexes"};
    struct numbers values = {.out = out, .element = "u64values"};
    struct distances distances;
    struct grid grid;
    size_t left = 0;
    if (!quantity || !grid_build(&grid, series, pool)) /* no unit, or too scattered */
        return;
    collect(&distances, &grid, &objects->list[OBJECT_ROOT].cpus, quantity->metric_factor * 1e12,
            pool);
    const size_t n = distances.count;
    for (size_t i = 0; i < n; i++)
        left += !distances.left_out[i];
    if (left < 2)
        return;
    fprintf(out,
            "  <distances2 type=\"PU\" nbobjs=\"%zu\" kind=\"%d\" name=\"HandOffPicoseconds\" "
            "indexing=\"os\">\n",
            left, KIND);
    for (size_t i = 0; i < n; i++)
        if (!distances.left_out[i])
            put_number(&indexes, distances.cpus[i]);
    end_numbers(&indexes);
    for (size_t i = 0; i < n * n; i++)
        if (!distances.left_out[i / n] && !distances.left_out[i % n])
            put_number(&values, distances.values[i]);
    end_numbers(&values);
    fputs("  </distances2>\n", out);
}

/* --- attributes: latency and bandwidth of each node's memory, from the CPUs of each node. If
 * nodes were not measured against each other and there is only one, the level DRAM gives its
 * values. --- */

/* hwloc's predefined attributes, in the units of hwloc/memattrs.h: ns and MiB/s. The flags are
 * HIGHER_FIRST or LOWER_FIRST, and NEED_INITIATOR. */
struct attribute {
    const char *name;
    enum dimension dimension;
    double unit; /* the size of 1 in s or B/s */
    int flags;
};
static const struct attribute attributes[] = {
    {"Bandwidth", DIMENSION_BANDWIDTH, 1024 * 1024, 1 | 4},
    {"Latency", DIMENSION_TIME, 1e-9, 2 | 4},
};

/* The first value of the level DRAM; of several kernels the first one reads. NULL: none. */
static const struct finding *memory_finding(const struct document *document,
                                            const struct attribute *attribute)
{
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t i = 0; i < document->probes[p].finding_count; i++) {
            const struct finding *finding = &document->probes[p].findings[i];
            const struct finding_meaning meaning = finding_meaning(finding);
            const bool of_memory =
                attribute->dimension == DIMENSION_TIME
                    ? meaning.level == LEVEL_MEMORY && meaning.fact == FACT_LATENCY_NS
                    : meaning.role == ROLE_WIDTH && meaning.fact == FACT_ALL;
            if (of_memory && meaning.device < 0 && meaning.quantity &&
                meaning.quantity->dimension == attribute->dimension && isfinite(finding->value) &&
                experiment_is_standard(finding))
                return finding;
        }
    return NULL;
}

struct writing {
    FILE *out;
    const struct objects *objects;
    const struct document *document;
    const struct attribute *attribute;
    bool begun;
    struct pool *pool;
};

static void put_value(struct writing *writing, size_t node, const struct cpulist *from,
                      double value)
{
    const struct attribute *attribute = writing->attribute;
    const double whole = round(value / attribute->unit);
    if (!(whole >= 1) || whole > 1e15)
        return;
    if (!writing->begun)
        fprintf(writing->out, "  <memattr name=\"%s\" flags=\"%d\">\n", attribute->name,
                attribute->flags);
    writing->begun = true;
    fprintf(writing->out,
            "    <memattr_value target_obj_type=\"NUMANode\" target_obj_gp_index=\"%zu\" "
            "value=\"%.0f\"",
            node_id(writing->objects, node), whole);
    put_set(writing->out, "initiator_cpuset", from);
    fputs("/>\n", writing->out);
}

/* The CPUs of a node as the kernel lists them: hwloc gives a node without CPUs those of its
 * neighbours. */
static struct cpulist cpus_of(const struct writing *writing, int node)
{
    const struct machine_facts *machine = &writing->document->machine;
    const struct cpulist *there = &writing->objects->list[OBJECT_ROOT].cpus;
    struct cpulist listed = {0}, cpus = {0};
    for (size_t i = 0; i < machine->node_count && !listed.count; i++)
        if (machine->nodes[i].id == node && machine->nodes[i].cpus)
            cpulist_read(machine->nodes[i].cpus, &listed, writing->pool, NULL);
    cpus.ids = pool_alloc(writing->pool, there->count + 1, sizeof *cpus.ids);
    for (size_t i = 0; i < there->count; i++)
        if (cpulist_has(&listed, there->ids[i]))
            cpus.ids[cpus.count++] = there->ids[i];
    return cpus;
}

/* Writes the values from each node to each node. */
static void put_ways(struct writing *writing, const struct series *series)
{
    const double factor = quantity_of(series->y.unit)->metric_factor;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const struct objects *objects = writing->objects;
        size_t node = 0;
        while (node < objects->node_count && objects->nodes[node].number != point->to)
            node++;
        if (node == objects->node_count || isnan(way_value(point)))
            continue;
        const struct cpulist cpus = cpus_of(writing, point->from);
        if (cpus.count)
            put_value(writing, node, &cpus, way_value(point) * factor);
    }
}

static void write_hwloc(FILE *out, const struct output_content *content, struct pool *pool)
{
    const struct document *document = content->documents[0];
    struct objects objects;
    objects_build(&objects, document, pool);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
          "<topology version=\"2.0\">\n",
          out);
    put_object(out, &objects, document, OBJECT_ROOT, 1);
    put_handoffs(out, &objects, document, pool);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        struct writing writing = {out, &objects, document, &attributes[i], false, pool};
        const struct series *series = ways_between_nodes(document, attributes[i].dimension);
        if (series)
            put_ways(&writing, series);
        else if (objects.node_count == 1) {
            /* Writes the first value of the level DRAM. */
            const struct finding *finding = memory_finding(writing.document, writing.attribute);
            if (finding)
                put_value(&writing, 0, &writing.objects->list[OBJECT_ROOT].cpus,
                          finding->value * quantity_of(finding->unit)->metric_factor);
        }
        if (writing.begun)
            fputs("  </memattr>\n", out);
    }
    fputs("</topology>\n", out);
}

static void possible(const struct output_content *content, struct pool *pool)
{
    const struct document *document = content->documents[0];
    struct objects objects;
    objects_build(&objects, document, pool);
}

const struct output hwloc_output = {
    .name = "hwloc",
    .help = "hwloc's XML of the machine with what was measured, for HWLOC_XMLFILE",
    .place = 88,
    .write = write_hwloc,
    .possible = possible,
};
