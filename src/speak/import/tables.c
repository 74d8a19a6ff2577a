#include "speak/import/tables.h"

#include "base/quantity.h"
#include "base/text.h"
#include "conclude/registry/finding.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table_entry {
    size_t kind, order;
    struct table_number number;
};

/* --- what is added --- */

struct probe_result *table_probe(struct document *document, const char *name, const char *title)
{
    struct probe_result *probe = document_probe(document, name);
    if (!probe)
        probe = pool_append(&document->pool, (void **)&document->probes, &document->probe_count,
                            sizeof *probe);
    if (probe && !probe->name)
        *probe = (struct probe_result){.name = name, .title = title, .elapsed_s = NAN};
    return probe;
}

struct series *table_series(struct document *document, struct probe_result *probe,
                            const struct series *model)
{
    struct series *series =
        pool_append(&document->pool, (void **)&probe->series, &probe->series_count, sizeof *series);
    if (series)
        *series = *model;
    return series;
}

int table_factor(struct document *document, struct series *series, const char *name,
                 const char *text, double number)
{
    struct factor *factor = pool_append(&document->pool, (void **)&series->factors,
                                        &series->factor_count, sizeof *factor);
    const char *copy = pool_strdup(&document->pool, text);
    if (!factor || (text && !copy))
        return ERROR_SYSTEM;
    *factor = (struct factor){name, copy, number};
    return 0;
}

struct gpu_facts *table_gpu(struct document *document, int id)
{
    struct machine_facts *machine = &document->machine;
    for (size_t i = 0; i < machine->gpu_count; i++)
        if (machine->gpus[i].id == id)
            return &machine->gpus[i];
    struct gpu_facts *gpu =
        pool_append(&document->pool, (void **)&machine->gpus, &machine->gpu_count, sizeof *gpu);
    if (gpu)
        *gpu = (struct gpu_facts){.id = id,
                                  .name = "unknown GPU",
                                  .clock_hz = NAN,
                                  .memory_clock_hz = NAN,
                                  .host_node = NAN,
                                  .other_processes = NAN};
    return gpu;
}

int table_refuse(struct error *error, const struct import_text *text, const char *format, ...)
{
    char said[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
    return error_set(error, ERROR_USAGE, "%s: %s", text->file, said);
}

/* --- kinds --- */

static int compare_factors(const struct factor *a, const struct factor *b)
{
    const char *left = a->text ? a->text : "", *right = b->text ? b->text : "";
    int order = !a->name || !b->name ? !!a->name - !!b->name : strcmp(a->name, b->name);
    if (order == 0 && a->name)
        order = strcmp(left, right);
    if (order == 0 && a->name && !a->text)
        order = (a->number > b->number) - (a->number < b->number);
    return order;
}

static int compare_kinds(const struct table_kind *a, const struct table_kind *b)
{
    int order = strcmp(a->probe, b->probe);
    if (order == 0)
        order = (a->series > b->series) - (a->series < b->series);
    if (order == 0 && !a->series)
        order = strcmp(a->finding, b->finding);
    for (size_t i = 0; i < TABLE_FACTORS && order == 0; i++) {
        order = compare_factors(&a->factors[i], &b->factors[i]);
        if (!a->factors[i].name)
            break;
    }
    return order;
}

void tables_begin(struct tables *tables, struct document *document, struct error *error)
{
    *tables = (struct tables){.document = document, .error = error};
}

/* Most numbers are of the same kind as the one before. Kinds that come again later are joined at
 * the end, for looking for each would take the square of their number. */
static int note_kind(struct tables *tables, const struct table_kind *kind)
{
    struct pool *pool = &tables->document->pool;
    if (tables->kind_count && compare_kinds(&tables->kinds[tables->kind_count - 1], kind) == 0)
        return 0;
    struct table_kind *slot =
        pool_append(pool, (void **)&tables->kinds, &tables->kind_count, sizeof *slot);
    if (!slot)
        return error_out_of_memory(tables->error);
    *slot = *kind;
    bool copied = true;
    for (size_t i = 0; i < TABLE_FACTORS && slot->factors[i].name; i++) {
        const char *text = slot->factors[i].text;
        slot->factors[i].text = pool_strdup(pool, text);
        copied = copied && (!text || slot->factors[i].text);
    }
    slot->finding = pool_strdup(pool, kind->finding);
    copied = copied && (!kind->finding || slot->finding);
    return copied ? 0 : error_out_of_memory(tables->error);
}

int tables_add(struct tables *tables, const struct table_kind *kind, struct table_number number)
{
    int code = note_kind(tables, kind);
    if (code < 0)
        return code;
    struct table_entry *entry = pool_append(&tables->document->pool, (void **)&tables->entries,
                                            &tables->count, sizeof *entry);
    if (!entry)
        return error_out_of_memory(tables->error);
    *entry = (struct table_entry){tables->kind_count - 1, tables->count, number};
    return 0;
}

int tables_add_latency(struct tables *tables, struct table_kind kind, double bytes, double ns,
                       double cycles)
{
    static const struct series model = {
        .name = "latency", .x = {"working set", "B"}, .y = {"latency", "ns"}};
    kind.probe = "latency";
    kind.series = &model;
    return tables_add(tables, &kind,
                      (struct table_number){.x = bytes, .value = ns, .cycles = cycles});
}

int tables_add_value(struct tables *tables, const struct table_kind *kind, double value)
{
    return tables_add(tables, kind, (struct table_number){.value = value, .cycles = NAN});
}

/* --- from entries to points --- */

struct sorted_kind {
    const struct table_kind *kind;
    size_t index;
};

static int by_kind(const void *a, const void *b)
{
    const struct sorted_kind *p = a, *q = b;
    const int order = compare_kinds(p->kind, q->kind);
    return order ? order : (p->index > q->index) - (p->index < q->index);
}

static int by_place(const void *a, const void *b)
{
    const struct table_entry *p = a, *q = b;
    const struct table_number *m = &p->number, *n = &q->number;
    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    if (m->x < n->x || m->x > n->x)
        return m->x < n->x ? -1 : 1;
    if (m->from != n->from)
        return m->from < n->from ? -1 : 1;
    if (m->to != n->to)
        return m->to < n->to ? -1 : 1;
    return (p->order > q->order) - (p->order < q->order);
}

/* Gives entries of equal kinds the first of these. */
static int join_kinds(struct tables *tables)
{
    const size_t count = tables->kind_count;
    struct sorted_kind *sorted = calloc(count + 1, sizeof *sorted);
    size_t *first = calloc(count + 1, sizeof *first);
    for (size_t i = 0; i < count && sorted; i++)
        sorted[i] = (struct sorted_kind){&tables->kinds[i], i};
    if (sorted && first) {
        qsort(sorted, count, sizeof *sorted, by_kind);
        for (size_t i = 0; i < count; i++) {
            const bool same = i && compare_kinds(sorted[i].kind, sorted[i - 1].kind) == 0;
            first[sorted[i].index] = same ? first[sorted[i - 1].index] : sorted[i].index;
        }
        for (size_t i = 0; i < tables->count; i++)
            tables->entries[i].kind = first[tables->entries[i].kind];
    }
    const bool done = sorted && first;
    free(sorted);
    free(first);
    return done ? 0 : error_out_of_memory(tables->error);
}

/* The trials of one place: times and cycles; `values` has room for all of them. */
static void fill_point(struct point *point, const struct table_entry *entries, size_t n, bool ns,
                       double *values)
{
    const struct table_number *first = &entries->number;
    struct summary cycles;
    size_t known = 0;
    for (size_t i = 0; i < n; i++)
        known += isfinite(entries[i].number.cycles) ? 1 : 0;
    for (size_t i = 0; i < n; i++)
        values[i] = entries[i].number.cycles;
    summarize(values, known == n ? n : 0, values, &cycles);
    *point = point_bare();
    point->x = first->x;
    point->from = first->from;
    point->to = first->to;
    point->y = cycles;
    if (!ns)
        return;
    point->cycles = (struct estimate){cycles.median, cycles.low, cycles.high};
    for (size_t i = 0; i < n; i++)
        values[i] = entries[i].number.value;
    summarize(values, n, values, &point->y);
}

static bool same_place(const struct table_entry *a, const struct table_entry *b)
{
    return !(a->number.x < b->number.x || a->number.x > b->number.x) &&
           a->number.from == b->number.from && a->number.to == b->number.to;
}

static int copy_factors(struct tables *tables, const struct table_kind *kind,
                        struct factor **factors, size_t *count)
{
    for (size_t i = 0; i < TABLE_FACTORS && kind->factors[i].name; i++) {
        struct factor *factor =
            pool_append(&tables->document->pool, (void **)factors, count, sizeof *factor);
        if (!factor)
            return error_out_of_memory(tables->error);
        *factor = kind->factors[i];
    }
    return 0;
}

static int make_series(struct tables *tables, struct probe_result *probe,
                       const struct table_kind *kind, const struct table_entry *entries, size_t n,
                       double *values)
{
    struct series *series = table_series(tables->document, probe, kind->series);
    bool value = false;
    if (!series ||
        !(series->points = pool_alloc(&tables->document->pool, n, sizeof *series->points)))
        return error_out_of_memory(tables->error);
    for (size_t i = 0; i < n; i++)
        value = value || isfinite(entries[i].number.value);
    series->headline = kind->headline || kind->series->headline;
    if (!value)
        series->y.unit = "cycles";
    size_t end = 0;
    for (size_t first = 0; first < n; first = end) {
        for (end = first + 1; end < n && same_place(&entries[first], &entries[end]);)
            end++;
        fill_point(&series->points[series->point_count++], &entries[first], end - first, value,
                   values);
    }
    return copy_factors(tables, kind, &series->factors, &series->factor_count);
}

static int make_finding(struct tables *tables, struct probe_result *probe,
                        const struct table_kind *kind, const struct table_entry *entries, size_t n,
                        double *values)
{
    struct pool *pool = &tables->document->pool;
    const double first = entries->number.value; /* as it stands, where a summary would round it */
    struct summary summary;
    for (size_t i = 0; i < n; i++)
        values[i] = entries[i].number.value;
    summarize(values, n, values, &summary);
    struct finding *finding =
        n == 1 ? finding_add_value(probe, pool, kind->finding, kind->unit, first, NAN, NAN, 0)
               : finding_add_summary(probe, pool, kind->finding, kind->unit, &summary, 0);
    if (!finding)
        return error_out_of_memory(tables->error);
    return copy_factors(tables, kind, &finding->factors, &finding->factor_count);
}

/* Of curves of which none was named to be looked at the one of most points, and of these the one of
 * the largest stride, which prefetchers follow least. */
static void choose_headline(struct probe_result *probe)
{
    struct series *best = NULL;
    for (size_t i = 0; i < probe->series_count; i++) {
        struct series *series = &probe->series[i];
        if (series->headline)
            return;
        const struct factor *stride = series_factor(series, "stride");
        const struct factor *other = best ? series_factor(best, "stride") : NULL;
        if (!best || series->point_count > best->point_count ||
            (series->point_count == best->point_count && stride &&
             (!other || stride->number >= other->number)))
            best = series;
    }
    if (best)
        best->headline = true;
}

int tables_end(struct tables *tables)
{
    double *values = calloc(tables->count + 1, sizeof *values);
    int code = values ? join_kinds(tables) : error_out_of_memory(tables->error);
    if (code == 0 && tables->count)
        qsort(tables->entries, tables->count, sizeof *tables->entries, by_place);
    size_t end = 0;
    for (size_t first = 0; first < tables->count && code == 0; first = end) {
        const struct table_entry *entries = &tables->entries[first];
        const struct table_kind *kind = &tables->kinds[entries->kind];
        struct probe_result *probe = table_probe(tables->document, kind->probe, kind->title);
        for (end = first; end < tables->count && tables->entries[end].kind == entries->kind;)
            end++;
        code = !probe         ? error_out_of_memory(tables->error)
               : kind->series ? make_series(tables, probe, kind, entries, end - first, values)
                              : make_finding(tables, probe, kind, entries, end - first, values);
    }
    for (size_t i = 0; i < tables->document->probe_count && code == 0; i++)
        choose_headline(&tables->document->probes[i]);
    free(values);
    return code;
}
