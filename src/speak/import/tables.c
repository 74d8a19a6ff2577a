#include "speak/import/tables.h"

#include "base/quantity.h"
#include "base/sort.h"
#include "conclude/registry/finding.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct table_entry {
    size_t kind, order;
    struct table_number number;
};

#define BETWEEN_NODES(what, in)                                                                    \
    {                                                                                              \
        .name = what, .matrix = true, .headline = true, .x = {"node", ""}, .y = { what, in }       \
    }
const struct series table_loaded = {.name = "latency",
                                    .headline = true,
                                    .x = {"bandwidth", "B/s"},
                                    .y = {"latency", "ns"}},
                    table_node_latency = BETWEEN_NODES("latency", "ns"),
                    table_node_bandwidth = BETWEEN_NODES("bandwidth", "B/s");
#undef BETWEEN_NODES

/* --- additions to the document --- */

struct series *table_series(struct document *document, struct probe_result *probe,
                            const struct series *model)
{
    struct series *series =
        pool_append(&document->pool, (void **)&probe->series, &probe->series_count, sizeof *series);
    *series = *model;
    return series;
}

struct gpu_facts *table_gpu(struct document *document, int id)
{
    struct machine_facts *machine = &document->machine;
    for (size_t i = 0; i < machine->gpu_count; i++)
        if (machine->gpus[i].id == id)
            return &machine->gpus[i];
    struct gpu_facts *gpu =
        pool_append(&document->pool, (void **)&machine->gpus, &machine->gpu_count, sizeof *gpu);
    *gpu = (struct gpu_facts){.id = id,
                              .name = "unknown GPU",
                              .clock_hz = NAN,
                              .memory_clock_hz = NAN,
                              .host_node = NAN,
                              .other_processes = NAN};
    return gpu;
}

static void add_factor(struct table_kind *kind, struct factor factor)
{
    size_t i = 0;
    while (i < TABLE_FACTORS && kind->factors[i].name)
        i++;
    assert(i < TABLE_FACTORS);
    kind->factors[i] = factor;
}

void kind_add_text(struct table_kind *kind, const char *name, const char *text)
{
    if (text && *text)
        add_factor(kind, (struct factor){name, text, NAN});
}

void kind_add_number(struct table_kind *kind, const char *name, double number)
{
    if (number > 0)
        add_factor(kind, (struct factor){name, NULL, number});
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

/* Most numbers have the same kind as the one before. Kinds that repeat later are joined at the end,
 * because searching for each would take quadratic time. */
static void note_kind(struct tables *tables, const struct table_kind *kind)
{
    struct pool *pool = &tables->document->pool;
    if (tables->kind_count && compare_kinds(&tables->kinds[tables->kind_count - 1], kind) == 0)
        return;
    struct table_kind *slot =
        pool_append(pool, (void **)&tables->kinds, &tables->kind_count, sizeof *slot);
    *slot = *kind;
    for (size_t i = 0; i < TABLE_FACTORS && slot->factors[i].name; i++)
        slot->factors[i].text = pool_strdup(pool, slot->factors[i].text);
    slot->finding = pool_strdup(pool, kind->finding);
}

/* Values outside these limits were not measured, or are in another unit; the first entry for a
 * probe (NULL: any) and a dimension counts. */
static const struct bounds {
    const char *probe;
    enum dimension dimension;
    double least, most;
} bounds[] = {
    {"latency", DIMENSION_TIME, 0.2, 1e5}, /* a load, from a first level to far memory */
    {"latency", DIMENSION_CYCLES, 0.5, 1e6}, {"window", DIMENSION_TIME, 0.2, 1e5},
    {"loaded", DIMENSION_TIME, 0.2, 1e6},    {"numa", DIMENSION_TIME, 10, 1e5},
    {"transfers", DIMENSION_TIME, 2, 1e5}, /* hand-offs */
    {"cores", DIMENSION_TIME, 2, 1e5},       {"gpu", DIMENSION_TIME, 1, 1e6},
    {"gpu", DIMENSION_CYCLES, 1, 1e6},       {"tinymembench", DIMENSION_TIME, 0, 1e5},
    {"mpi", DIMENSION_TIME, 10, 1e11},       {"mpi", DIMENSION_BANDWIDTH, 1e3, 1e14},
    {"mpi", DIMENSION_RATE, 1, 1e12},        {"mpi", DIMENSION_SIZE, 0, 1e16},
    {NULL, DIMENSION_SHARE, 0, 100},         {NULL, DIMENSION_BANDWIDTH, 1e6, 1e14},
    {NULL, DIMENSION_SIZE, 1, 1e16},
};
/* A load from a first level takes some cycles at 0.3 to 6 GHz; a GPU's takes some hundred. */
static const double first_level_most_ns = 20, gpu_level_most_ns = 200;
enum { FIRST_LEVEL_BYTES = 16384 };

_Noreturn static void refuse_number(const struct tables *tables, const char *text)
{
    rows_refuse(tables->rows, "%s%s%s%s", tables->where ? tables->where : "",
                tables->where ? ": " : "", text,
                tables->takes_unit ? ": it may be in another unit; say which by its column's "
                                     "name, by a remark above like '# latency in us', or by "
                                     "--unit cycles"
                                   : ": give what the tool printed, whole and in its own units");
}

void tables_check(const struct tables *tables, const struct table_kind *kind, const char *unit,
                  double value, double x)
{
    const struct bounds *limits = bounds, *end = bounds + sizeof bounds / sizeof *bounds;
    while (limits < end && ((limits->probe && strcmp(limits->probe, kind->probe) != 0) ||
                            !quantity_is(unit, limits->dimension)))
        limits++;
    if (limits == end || isnan(value))
        return;
    /* In MPI's tests all columns but the headline's may be 0, as where nothing was waited for. */
    const bool waited = strcmp(kind->probe, "mpi") == 0 && !kind->headline && value == 0;
    const bool first = strcmp(kind->probe, "latency") == 0 && kind->series &&
                       limits->dimension == DIMENSION_TIME && x <= FIRST_LEVEL_BYTES;
    const double least = waited ? 0 : limits->least;
    const double most = !first       ? limits->most
                        : kind->said ? gpu_level_most_ns
                                     : first_level_most_ns;
    if (!(value >= least && value <= most))
        refuse_number(tables, pool_printf(&tables->document->pool,
                                          "%g %s is outside of what there is (%g to %g)", value,
                                          unit, least, most));
}

static void check_number(const struct tables *tables, const struct table_kind *kind,
                         const struct table_number *number)
{
    if (isnan(number->value) && isnan(number->cycles))
        refuse_number(tables, "the value is no number");
    for (size_t i = 0; i < TABLE_FACTORS && kind->factors[i].name; i++)
        if (strcmp(kind->factors[i].name, "loads") == 0)
            return; /* several loads in flight have no minimum time */
    tables_check(tables, kind, kind->series ? kind->series->y.unit : kind->unit, number->value,
                 number->x);
    tables_check(tables, kind, "cycles", number->cycles, number->x);
    if (kind->series && !kind->series->matrix)
        tables_check(tables, kind, kind->series->x.unit, number->x, number->x);
}

void tables_add(struct tables *tables, const struct table_kind *kind, struct table_number number)
{
    check_number(tables, kind, &number);
    note_kind(tables, kind);
    struct table_entry *entry = pool_append(&tables->document->pool, (void **)&tables->entries,
                                            &tables->count, sizeof *entry);
    *entry = (struct table_entry){tables->kind_count - 1, tables->count, number};
}

void tables_add_point(struct tables *tables, const struct table_kind *kind, double x, double value)
{
    tables_add(tables, kind, (struct table_number){.x = x, .value = value, .cycles = NAN});
}

void tables_add_cell(struct tables *tables, const struct table_kind *kind, int from, int to,
                     double value)
{
    tables_add(
        tables, kind,
        (struct table_number){.x = NAN, .from = from, .to = to, .value = value, .cycles = NAN});
}

void tables_add_latency(struct tables *tables, struct table_kind kind, double bytes, double ns,
                        double cycles)
{
    static const struct series model = {
        .name = "latency", .x = {"working set", "B"}, .y = {"latency", "ns"}};
    kind.probe = "latency";
    kind.series = &model;
    tables_add(tables, &kind, (struct table_number){.x = bytes, .value = ns, .cycles = cycles});
}

void tables_add_value(struct tables *tables, const struct table_kind *kind, double value)
{
    tables_add_point(tables, kind, 0, value);
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
    return ORDER_BY({p->kind, q->kind}, {m->x, n->x}, {m->from, n->from}, {m->to, n->to},
                    {p->order, q->order});
}

/* Gives all entries of equal kinds the first of these kinds. */
static void join_kinds(struct tables *tables)
{
    struct pool *pool = &tables->document->pool;
    const size_t count = tables->kind_count;
    struct sorted_kind *sorted = pool_alloc(pool, count, sizeof *sorted);
    size_t *first = pool_alloc(pool, count, sizeof *first);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct sorted_kind){&tables->kinds[i], i};
    qsort(sorted, count, sizeof *sorted, by_kind);
    for (size_t i = 0; i < count; i++) {
        const bool same = i && compare_kinds(sorted[i].kind, sorted[i - 1].kind) == 0;
        first[sorted[i].index] = same ? first[sorted[i - 1].index] : sorted[i].index;
    }
    for (size_t i = 0; i < tables->count; i++)
        tables->entries[i].kind = first[tables->entries[i].kind];
    pool_give_back(pool, sorted);
    pool_give_back(pool, first);
}

/* Fills a point from its trials, times and cycles; `values` has room for all of them. */
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

static void copy_factors(struct pool *pool, const struct table_kind *kind, struct factor **factors,
                         size_t *count)
{
    for (size_t i = 0; i < TABLE_FACTORS && kind->factors[i].name; i++) {
        struct factor *factor = pool_append(pool, (void **)factors, count, sizeof *factor);
        *factor = kind->factors[i];
    }
}

static void count_trials(struct tables *tables, size_t n)
{
    tables->least = tables->values && tables->least < n ? tables->least : n;
    tables->most = n > tables->most ? n : tables->most;
    tables->values++;
}

static void make_series(struct tables *tables, struct probe_result *probe,
                        const struct table_kind *kind, const struct table_entry *entries, size_t n,
                        double *values)
{
    struct pool *pool = &tables->document->pool;
    struct series *series = table_series(tables->document, probe, kind->series);
    bool value = false;
    series->points = pool_alloc(pool, n, sizeof *series->points);
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
        count_trials(tables, end - first);
    }
    copy_factors(pool, kind, &series->factors, &series->factor_count);
}

static void make_finding(struct tables *tables, struct probe_result *probe,
                         const struct table_kind *kind, const struct table_entry *entries, size_t n,
                         double *values)
{
    struct pool *pool = &tables->document->pool;
    const double first = entries->number.value; /* not rounded, unlike a summary's median */
    struct summary summary;
    for (size_t i = 0; i < n; i++)
        values[i] = entries[i].number.value;
    summarize(values, n, values, &summary);
    struct finding *finding =
        n == 1 ? finding_add_value(probe, pool, kind->finding, kind->unit,
                                   (struct interval){first, NAN, NAN}, 0)
               : finding_add_summary(probe, pool, kind->finding, kind->unit, &summary, 0);
    copy_factors(pool, kind, &finding->factors, &finding->factor_count);
    if (n > 1)
        finding->text = pool_printf(pool, "n = %zu: the median of as many runs", n);
    count_trials(tables, n);
}

/* If no series is a headline, chooses the curve with most points; among equals the one with the
 * largest stride, which prefetchers follow least. */
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

void tables_end(struct tables *tables)
{
    struct document *document = tables->document;
    double *values = pool_alloc(&document->pool, tables->count, sizeof *values);
    if (!tables->count)
        return;
    join_kinds(tables);
    qsort(tables->entries, tables->count, sizeof *tables->entries, by_place);
    size_t end = 0;
    for (size_t first = 0; first < tables->count; first = end) {
        const struct table_entry *entries = &tables->entries[first];
        const struct table_kind *kind = &tables->kinds[entries->kind];
        struct probe_result *probe =
            document_add_probe(document, &document->pool, kind->probe, kind->title);
        for (end = first; end < tables->count && tables->entries[end].kind == entries->kind;)
            end++;
        (kind->series ? make_series : make_finding)(tables, probe, kind, entries, end - first,
                                                    values);
    }
    for (size_t i = 0; i < document->probe_count; i++)
        choose_headline(&document->probes[i]);
    pool_give_back(&document->pool, values);
}
