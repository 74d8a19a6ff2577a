/*
 * hwloc's XML of the machine with what was measured of it, for every program that uses hwloc:
 * HWLOC_XMLFILE=FILE HWLOC_THISSYSTEM=1 PROGRAM. Latencies and bandwidths of nodes are memory
 * attributes, hand-offs are distances, and clusters that nothing declares are groups.
 */
#include "show/render/hwloc/hwloc.h"
#include "base/clean.h"
#include "show/render/output.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 32, INDENT_MOST = 40 };

void hwloc_put_set(FILE *out, const char *name, const struct cpulist *set)
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

/* <info name value>, the text made inert and escaped; nothing where there is none. */
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

/* Objects have theirs by their place, and nodes behind them. */
size_t hwloc_node_id(const struct objects *objects, size_t node)
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
    hwloc_put_set(out, "cpuset", cpus);
    hwloc_put_set(out, "complete_cpuset", cpus);
    if (root)
        hwloc_put_set(out, "allowed_cpuset", cpus);
    hwloc_put_set(out, "nodeset", nodes);
    hwloc_put_set(out, "complete_nodeset", nodes);
    if (root)
        hwloc_put_set(out, "allowed_nodeset", nodes);
}

static void put_node(FILE *out, const struct objects *objects, size_t i, int depth)
{
    struct object_node *node = &objects->nodes[i];
    int number = node->number;
    const struct cpulist nodes = {&number, 1};
    put_start(out, depth, "NUMANode", number);
    put_sets(out, &node->cpus, &nodes, false);
    fprintf(out, " gp_index=\"%zu\" local_memory=\"%llu\"/>\n", hwloc_node_id(objects, i),
            (unsigned long long)node->bytes);
}

static int by_number(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Whether two sorted lists have a CPU in common. */
static bool meet(const struct cpulist *a, const struct cpulist *b)
{
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        if (a->ids[i] == b->ids[j])
            return true;
        if (a->ids[i] < b->ids[j])
            i++;
        else
            j++;
    }
    return false;
}

/* An object's CPUs, and the nodes near to them; of the machine all. */
static void put_object_sets(FILE *out, const struct objects *objects, size_t place)
{
    const struct cpulist *cpus = &objects->list[place].cpus;
    int numbers[NODES_MAX];
    struct cpulist nodes = {.ids = numbers};
    for (size_t i = 0; i < objects->node_count; i++)
        if (place == OBJECT_ROOT || meet(&objects->nodes[i].cpus, cpus))
            numbers[nodes.count++] = objects->nodes[i].number;
    qsort(numbers, nodes.count, sizeof *numbers, by_number);
    put_sets(out, cpus, &nodes, place == OBJECT_ROOT);
}

/* hwloc numbers: 0 of unified caches, 1 of data, 2 of instructions. */
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

static void put_machine(FILE *out, const struct objects *objects, const struct document *document)
{
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

static void put_object(FILE *out, const struct objects *objects, const struct document *document,
                       size_t place, int depth)
{
    const struct object *object = &objects->list[place];
    put_start(out, depth, object->type, object->number);
    put_object_sets(out, objects, place);
    fprintf(out, " gp_index=\"%zu\"", place + 1);
    put_cache(out, objects, object);
    /* HWLOC_GROUP_KIND_USER, which hwloc merges with nothing, and _MEMORY, as it makes itself. */
    if (object->origin == OBJECT_CLUSTER)
        fputs(" kind=\"0\" subkind=\"0\" subtype=\"MeasuredCluster\"", out);
    else if (object->origin == OBJECT_MEMORY)
        fputs(" kind=\"1001\" subkind=\"0\"", out);
    else if (object->type[0] == 'G')
        fputs(" kind=\"0\" subkind=\"0\"", out);
    fputs(">\n", out);
    if (place == OBJECT_ROOT)
        put_machine(out, objects, document);
    for (size_t i = 0; i < objects->node_count; i++)
        if (objects->nodes[i].at == (long)place)
            put_node(out, objects, i, depth + 1);
    for (long child = object->child; child >= 0; child = objects->list[child].next)
        put_object(out, objects, document, (size_t)child, depth + 1);
    fprintf(out, "%*s</object>\n", depth < INDENT_MOST ? 2 * depth : 2 * INDENT_MOST, "");
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
    hwloc_put_distances(out, &objects, document, pool);
    hwloc_put_attributes(out, &objects, document, pool);
    fputs("</topology>\n", out);
}

static void possible(const struct document *document, struct pool *pool)
{
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
