#include "show/render/csv_columns.h"

#include "base/clean.h"

#include <stdlib.h>
#include <string.h>

const char csv_fixed_columns[] =
    "probe,series,factors,x_name,x_unit,x,from,to,y_name,y_unit,median,low,high,coverage,"
    "min,p10,p25,p75,p90,max,n,cycles_median,cycles_low,cycles_high,line_scatter,"
    "drift_scatter,residual_scatter,failed,flags,row,finding,declared,cpus,status,host,run,started";

static const char prefix[] = "factor_";

/* A factor's name, and where it stands: first among all factors of the document, then among the
 * columns. */
struct csv_place {
    const char *name;
    size_t place;
};

size_t csv_factors_most(size_t rows)
{
    enum { ALWAYS = 128, CELLS_MOST = 1 << 20 };
    const size_t most = CELLS_MOST / (rows + 1);
    return most > ALWAYS ? most : ALWAYS;
}

static bool is_fixed(const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = csv_fixed_columns; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0)
            return true;
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    const struct csv_place *left = a, *right = b;
    int order = clean_order(left->name, right->name);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

static int by_place(const void *a, const void *b)
{
    const struct csv_place *left = a, *right = b;
    return (left->place > right->place) - (left->place < right->place);
}

struct names {
    struct csv_place *list; /* NULL: they are only counted */
    size_t count, rows;
};

static void add(struct names *names, const struct factor *factors, size_t count)
{
    for (size_t i = 0; i < count; i++, names->count++)
        if (names->list)
            names->list[names->count] = (struct csv_place){factors[i].name, names->count};
}

static void add_all(struct names *names, const struct document *document)
{
    names->count = names->rows = 0;
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        names->rows += 1 + probe->finding_count;
        for (size_t s = 0; s < probe->series_count; s++) {
            names->rows += probe->series[s].point_count;
            add(names, probe->series[s].factors, probe->series[s].factor_count);
        }
        for (size_t f = 0; f < probe->finding_count; f++)
            add(names, probe->findings[f].factors, probe->findings[f].factor_count);
    }
}

/* Of each name, as it is shown, the first. */
static void keep_first(struct names *names)
{
    size_t kept = 0;
    qsort(names->list, names->count, sizeof *names->list, by_name);
    for (size_t i = 0; i < names->count; i++)
        if (!kept || clean_order(names->list[kept - 1].name, names->list[i].name) != 0)
            names->list[kept++] = names->list[i];
    names->count = kept;
}

bool csv_columns_collect(struct csv_columns *columns, const struct document *document,
                         struct pool *pool)
{
    struct names names = {0};
    *columns = (struct csv_columns){0};
    add_all(&names, document);
    names.list = pool_alloc(pool, names.count + 1, sizeof *names.list);
    if (!names.list)
        return false;
    add_all(&names, document);
    keep_first(&names);
    qsort(names.list, names.count, sizeof *names.list, by_place);
    const size_t most = csv_factors_most(names.rows);
    columns->count = names.count < most ? names.count : most;
    columns->list = pool_alloc(pool, columns->count + 1, sizeof *columns->list);
    if (!columns->list)
        return false;
    for (size_t i = 0; i < columns->count; i++) {
        const char *name = names.list[i].name;
        const bool taken = !*name || is_fixed(name) || strncmp(name, prefix, strlen(prefix)) == 0;
        columns->list[i] = (struct csv_column){name, taken ? prefix : ""};
        names.list[i].place = i;
    }
    qsort(names.list, columns->count, sizeof *names.list, by_name);
    columns->places = names.list;
    return true;
}

/* The column's number; their count where it has none. */
static size_t column_of(const struct csv_columns *columns, const char *name)
{
    size_t low = 0, high = columns->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = clean_order(columns->places[middle].name, name);
        if (order == 0)
            return columns->places[middle].place;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return columns->count;
}

void csv_columns_fill(const struct csv_columns *columns, const struct factor **cells,
                      const struct factor *factors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t column = column_of(columns, factors[i].name);
        if (column < columns->count && !cells[column])
            cells[column] = &factors[i];
    }
}

void csv_columns_clear(const struct csv_columns *columns, const struct factor **cells,
                       const struct factor *factors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t column = column_of(columns, factors[i].name);
        if (column < columns->count)
            cells[column] = NULL;
    }
}
