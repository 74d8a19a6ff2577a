/* What was measured: hand-offs as distances, memory's latencies and bandwidths as attributes. */
#include "base/quantity.h"
#include "conclude/registry/experiment.h"
#include "conclude/registry/registry.h"
#include "conclude/ways.h"
#include "show/render/hwloc/hwloc.h"
#include "show/report/square.h"

#include <math.h>

/* --- distances. hwloc's are whole numbers, so they are in picoseconds, which the name says; hwloc
 * itself only compares them. Both directions of a pair count as one. hwloc wants a whole matrix:
 * where pairs are missing, the CPUs that lack most of them are left out. --- */

/* FROM_USER | MEANS_LATENCY of hwloc/distances.h. */
enum { KIND = 2 | 4, VALUES_A_LINE = 10, NUMBER = 24, LINE = VALUES_A_LINE * NUMBER };

/* A second is no hand-off. */
static const double most_ps = 1e12;

struct distances {
    int *cpus;       /* ascending */
    double *values;  /* row by row, in ps; NAN where a pair has none */
    size_t *missing; /* of each CPU: pairs with CPUs that are not left out */
    bool *left_out;
    size_t count;
};

/* The mean of both directions, or the one there is. */
static double between(const struct grid *grid, int a, int b)
{
    const struct point *forth = grid_point(grid, a, b), *back = grid_point(grid, b, a);
    const double one = forth ? way_value(forth) : NAN, other = back ? way_value(back) : NAN;
    return isnan(one) ? other : isnan(other) ? one : (one + other) / 2;
}

static void leave_out(struct distances *distances)
{
    const size_t n = distances->count;
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
        const double value = from == to ? 0 : round(between(grid, from, to) * ps);
        const bool good = from == to || (value >= 1 && value <= most_ps);
        distances->values[i] = good ? value : NAN;
        distances->missing[i / n] += !good;
    }
    leave_out(distances);
}

/* Numbers that end up in elements of some each, with the length of their text. */
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

static void put_distances(FILE *out, const struct distances *distances)
{
    struct numbers indexes = {.out = out, .element = "indexes"};
    struct numbers values = {.out = out, .element = "u64values"};
    const size_t n = distances->count;
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        left += !distances->left_out[i];
    if (left < 2)
        return;
    fprintf(out,
            "  <distances2 type=\"PU\" nbobjs=\"%zu\" kind=\"%d\" name=\"HandOffPicoseconds\" "
            "indexing=\"os\">\n",
            left, KIND);
    for (size_t i = 0; i < n; i++)
        if (!distances->left_out[i])
            put_number(&indexes, distances->cpus[i]);
    end_numbers(&indexes);
    for (size_t i = 0; i < n * n; i++)
        if (!distances->left_out[i / n] && !distances->left_out[i % n])
            put_number(&values, distances->values[i]);
    end_numbers(&values);
    fputs("  </distances2>\n", out);
}

void hwloc_put_distances(FILE *out, const struct objects *objects, const struct document *document,
                         struct pool *pool)
{
    const struct series *series = ways_between_cpus(document);
    const struct quantity *quantity = series ? quantity_of(series->y.unit) : NULL;
    struct distances distances;
    struct grid grid;
    if (!quantity || !grid_build(&grid, series, pool)) /* or too scattered to have any */
        return;
    collect(&distances, &grid, &objects->list[OBJECT_ROOT].cpus, quantity->metric_factor * 1e12,
            pool);
    put_distances(out, &distances);
}

/* --- attributes: latencies and bandwidths of nodes' memory, from the CPUs of each node. Where
 * nodes were not measured against each other and there is one, the levels' DRAM tells them. --- */

/* hwloc's own attributes, in the units of hwloc/memattrs.h: ns and MiB/s. The flags are
 * HIGHER_FIRST or LOWER_FIRST and NEED_INITIATOR. */
struct attribute {
    const char *name;
    enum dimension dimension;
    double unit; /* what 1 of it is, in s or B/s */
    int flags;
};
static const struct attribute attributes[] = {
    {"Bandwidth", DIMENSION_BANDWIDTH, 1024 * 1024, 1 | 4},
    {"Latency", DIMENSION_TIME, 1e-9, 2 | 4},
};

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
            hwloc_node_id(writing->objects, node), whole);
    hwloc_put_set(writing->out, "initiator_cpuset", from);
    fputs("/>\n", writing->out);
}

/* The CPUs of a node, as the kernel counts them: to hwloc a node without CPUs has those of its
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

/* Nodes against each other. */
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

static bool tells_of_memory(const struct finding *finding, enum dimension dimension)
{
    const struct finding_meaning meaning = finding_meaning(finding);
    if (meaning.device >= 0 || !meaning.quantity || meaning.quantity->dimension != dimension ||
        !isfinite(finding->value) || !experiment_is_standard(finding))
        return false;
    if (dimension == DIMENSION_TIME)
        return meaning.level == LEVEL_MEMORY && meaning.fact == FACT_LATENCY_NS;
    return meaning.role == ROLE_WIDTH && meaning.fact == FACT_ALL;
}

/* Of several kernels the first, which reads. */
static void put_memory(struct writing *writing)
{
    const struct document *document = writing->document;
    const struct cpulist *all = &writing->objects->list[OBJECT_ROOT].cpus;
    for (size_t p = 0; p < document->probe_count && !writing->begun; p++)
        for (size_t i = 0; i < document->probes[p].finding_count && !writing->begun; i++) {
            const struct finding *finding = &document->probes[p].findings[i];
            if (!tells_of_memory(finding, writing->attribute->dimension))
                continue;
            put_value(writing, 0, all,
                      quiet_or(&finding->quiet, finding->value) *
                          finding_meaning(finding).quantity->metric_factor);
        }
}

void hwloc_put_attributes(FILE *out, const struct objects *objects, const struct document *document,
                          struct pool *pool)
{
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        struct writing writing = {out, objects, document, &attributes[i], false, pool};
        const struct series *series = ways_between_nodes(document, attributes[i].dimension);
        if (series)
            put_ways(&writing, series);
        else if (objects->node_count == 1)
            put_memory(&writing);
        if (writing.begun)
            fputs("  </memattr>\n", out);
    }
}
