/* The machine's objects, each within what holds it. */
#include "base/clean.h"
#include "show/render/hwloc/parts.h"

#include <ctype.h>
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

static void put_escaped(FILE *out, const char *text)
{
    char clean[CLEAN_TEXT];
    for (const char *c = clean_text(text, clean, sizeof clean); *c; c++)
        if (*c == '&')
            fputs("&amp;", out);
        else if (*c == '<')
            fputs("&lt;", out);
        else if (*c == '>')
            fputs("&gt;", out);
        else if (*c == '"')
            fputs("&quot;", out);
        else
            fputc(*c, out);
}

void hwloc_put_info(FILE *out, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    fprintf(out, "    <info name=\"%s\" value=\"", name);
    put_escaped(out, value);
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

/* Those near to its CPUs; of the machine all. */
static int nodes_of(struct cpulist *nodes, const struct objects *objects, size_t place)
{
    *nodes = (struct cpulist){0};
    int code = 0;
    for (size_t i = 0; i < objects->node_count && code == 0; i++)
        if (place == OBJECT_ROOT || meet(&objects->nodes[i].cpus, &objects->list[place].cpus))
            code = cpulist_add(nodes, objects->nodes[i].number);
    return code;
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
    hwloc_put_info(out, "Backend", "fathom");
    hwloc_put_info(out, "fathomVersion", document->tool.version);
    hwloc_put_info(out, "Measured", document->run.started);
    hwloc_put_info(out, "HostName", machine->hostname);
    hwloc_put_info(out, "OSName", machine->os);
    hwloc_put_info(out, "OSRelease", machine->kernel);
    hwloc_put_info(out, "Architecture", machine->cpu_arch);
    hwloc_put_info(out, "CPUModel", machine->cpu_model);
    snprintf(count, sizeof count, "%zu", objects->clusters_left);
    if (objects->clusters_left)
        hwloc_put_info(out, "MeasuredClustersAcrossOthers", count);
}

static int put_object(FILE *out, const struct objects *objects, const struct document *document,
                      size_t place, int depth)
{
    const struct object *object = &objects->list[place];
    struct cpulist nodes;
    if (nodes_of(&nodes, objects, place) < 0)
        return ERROR_SYSTEM;
    put_start(out, depth, object->type, object->number);
    put_sets(out, &object->cpus, &nodes, place == OBJECT_ROOT);
    cpulist_free(&nodes);
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
    int code = 0;
    for (size_t i = 0; i < objects->node_count; i++)
        if (objects->nodes[i].at == (long)place)
            put_node(out, objects, i, depth + 1);
    for (long child = object->child; child >= 0 && code == 0; child = objects->list[child].next)
        code = put_object(out, objects, document, (size_t)child, depth + 1);
    fprintf(out, "%*s</object>\n", depth < INDENT_MOST ? 2 * depth : 2 * INDENT_MOST, "");
    return code;
}

int hwloc_put_tree(FILE *out, const struct objects *objects, const struct document *document,
                   struct error *error)
{
    return put_object(out, objects, document, OBJECT_ROOT, 1) < 0 ? error_out_of_memory(error) : 0;
}
