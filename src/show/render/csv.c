/*
 * CSV in long form, with a row for each point, finding and probe: RFC 4180, except that lines end
 * with LF alone. The name of each factor has a column, after the columns that every document has.
 */
#include "base/clean.h"
#include "base/quote.h"
#include "base/units.h"
#include "conclude/registry/factors.h"
#include "document/flag.h"
#include "show/render/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- columns --- */

static const char fixed_columns[] =
    "probe,series,factors,x_name,x_unit,x,from,to,y_name,y_unit,median,low,high,coverage,"
    "min,p10,p25,p75,p90,max,n,cycles_median,cycles_low,cycles_high,line_scatter,"
    "drift_scatter,residual_scatter,failed,flags,row,finding,declared,cpus,status,host,run,started";

static const char prefix[] = "factor_";

struct column {
    const char *name;   /* the factor's; not inert */
    const char *prefix; /* "factor_" if the name alone is or looks like another column's; else "" */
};

struct columns {
    struct column *list; /* in the order in which the factors first occur in series and findings */
    size_t count;
    const struct place *places; /* the same, sorted by name */
};

/* A factor's name and its index: first among all factors of the document, then among the
 * columns. */
struct place {
    const char *name;
    size_t place;
};

/* The most factors in a cell that is repeated in `rows` rows, and the most columns in a table of
 * `rows` rows: at least 128, and fewer than all only where a document from elsewhere would turn a
 * few bytes into millions of cells. */
static size_t factors_most(size_t rows)
{
    enum { ALWAYS = 128, CELLS_MOST = 1 << 20 };
    const size_t most = CELLS_MOST / (rows + 1);
    return most > ALWAYS ? most : ALWAYS;
}

static bool is_fixed(const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = fixed_columns; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0)
            return true;
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    int order = clean_order(left->name, right->name);
    return order ? order : (left->place > right->place) - (left->place < right->place);
}

static int by_place(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    return (left->place > right->place) - (left->place < right->place);
}

struct names {
    struct place *list;
    size_t count, rows;
};

static void add(struct names *names, const struct factor *factors, size_t count, struct pool *pool)
{
    for (size_t i = 0; i < count; i++) {
        struct place *place =
            pool_append(pool, (void **)&names->list, &names->count, sizeof *names->list);
        *place = (struct place){factors[i].name, names->count - 1};
    }
}

static void collect_columns(struct columns *columns, const struct document *document,
                            struct pool *pool)
{
    struct names names = {.list = pool_alloc(pool, 1, sizeof *names.list)};
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        names.rows += 1 + probe->finding_count;
        for (size_t s = 0; s < probe->series_count; s++) {
            names.rows += probe->series[s].point_count;
            add(&names, probe->series[s].factors, probe->series[s].factor_count, pool);
        }
        for (size_t f = 0; f < probe->finding_count; f++)
            add(&names, probe->findings[f].factors, probe->findings[f].factor_count, pool);
    }
    /* Keep the first of each shown name. */
    size_t kept = 0;
    qsort(names.list, names.count, sizeof *names.list, by_name);
    for (size_t i = 0; i < names.count; i++)
        if (!kept || clean_order(names.list[kept - 1].name, names.list[i].name) != 0)
            names.list[kept++] = names.list[i];
    names.count = kept;
    qsort(names.list, names.count, sizeof *names.list, by_place);
    const size_t most = factors_most(names.rows);
    columns->count = names.count < most ? names.count : most;
    columns->list = pool_alloc(pool, columns->count + 1, sizeof *columns->list);
    for (size_t i = 0; i < columns->count; i++) {
        const char *name = names.list[i].name;
        const bool taken = !*name || is_fixed(name) || strncmp(name, prefix, strlen(prefix)) == 0;
        columns->list[i] = (struct column){name, taken ? prefix : ""};
        names.list[i].place = i;
    }
    qsort(names.list, columns->count, sizeof *names.list, by_name);
    columns->places = names.list;
}

/* The index of the column; the number of columns if there is none. */
static size_t column_of(const struct columns *columns, const char *name)
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

/* --- rows --- */

/* Adds at most the first `most` factors. */
static void add_factors(struct csv_cell *cell, const struct factor *factors, size_t count,
                        size_t most)
{
    for (size_t i = 0; i < count && i < most; i++) {
        char number[UNIT_TEXT];
        factor_format(factors[i].number, number);
        csv_cell_add(cell, i ? ";" : "");
        csv_cell_add(cell, factors[i].name);
        csv_cell_add(cell, "=");
        csv_cell_add(cell, factors[i].text ? factors[i].text : number);
    }
    csv_cell_add(cell, count > most ? ";..." : "");
}

/* The source of rows: a probe's points of one series, its findings one by one, or the probe
 * itself. */
struct group {
    const struct columns *columns;
    const struct document *document;
    const struct probe_result *probe;
    const struct factor *factors;
    size_t factor_count;
    const struct factor **cells; /* one for each column of a factor */
    size_t rows;
};

static void put_factors(FILE *out, const struct group *group)
{
    struct csv_cell cell = {0};
    while (csv_cell_pass(&cell, out))
        add_factors(&cell, group->factors, group->factor_count, factors_most(group->rows));
    fputc(',', out);
}

static void put_text(FILE *out, const char *text)
{
    csv_print(out, text);
    fputc(',', out);
}

static void put_number(FILE *out, double number)
{
    if (number == floor(number) && fabs(number) <= 0x1p53)
        fprintf(out, "%.0f,", number);
    else if (isfinite(number))
        fprintf(out, "%.9g,", number);
    else
        fputc(',', out);
}

static void put_float(FILE *out, float number)
{
    char text[UNIT_TEXT];
    fprintf(out, "%s,", isfinite(number) ? float_format(number, text) : "");
}

/* --- the end of every row --- */

static void put_flags(FILE *out, unsigned flags)
{
    const char *separator = "";
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        if (flags & FLAG_BIT(flag)) {
            fprintf(out, "%s%s", separator, flag_texts[flag].name);
            separator = ";";
        }
    fputc(',', out);
}

static void put_end(FILE *out, const struct group *group, const char *row,
                    const struct finding *finding)
{
    const struct run_facts *run = &group->document->run;
    fprintf(out, "%s,", row);
    put_text(out, finding ? finding->name : NULL);
    put_number(out, finding ? finding->declared : NAN);
    put_text(out, finding ? finding->cpus : NULL);
    fprintf(out, "%s,", probe_status_names[group->probe->status]);
    put_text(out, group->document->machine.hostname);
    put_text(out, run->id);
    csv_print(out, run->started);
    /* The last cell of a row has no comma after it, so each factor has one before it. */
    for (size_t i = 0; i < group->columns->count; i++) {
        const struct factor *factor = group->cells[i];
        char number[UNIT_TEXT];
        fputc(',', out);
        if (factor && factor->text)
            csv_print(out, factor->text);
        else if (factor && isfinite(factor->number))
            fputs(factor_format(factor->number, number), out);
    }
    fputc('\n', out);
}

static void put_point(FILE *out, const struct group *group, const struct series *series,
                      const struct point *point)
{
    const struct summary *y = &point->y;
    const float values[] = {y->median, y->low, y->high, y->coverage, y->min,
                            y->p10,    y->p25, y->p75,  y->p90,      y->max};
    const struct estimate *cycles = &point->cycles;
    const struct scatter *scatter = &point->scatter;
    const float rest[] = {cycles->median, cycles->low,    cycles->high,
                          scatter->line,  scatter->drift, scatter->residual};
    put_text(out, group->probe->name);
    put_text(out, series->name);
    put_factors(out, group);
    put_text(out, series->x.name);
    put_text(out, series->x.unit);
    if (series->matrix)
        fprintf(out, ",%d,%d,", point->from, point->to);
    else
        put_number(out, point->x);
    fputs(series->matrix ? "" : ",,", out);
    put_text(out, series->y.name);
    put_text(out, series->y.unit);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        put_float(out, values[i]);
    fprintf(out, "%u,", y->n);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        put_float(out, rest[i]);
    put_text(out, point->failed);
    put_flags(out, point->flags);
    put_end(out, group, "point", NULL);
}

static void put_finding(FILE *out, const struct group *group, const struct finding *finding)
{
    put_text(out, group->probe->name);
    put_text(out, NULL);
    put_factors(out, group);
    fputs(",,,,,,", out); /* x_name to y_name */
    put_text(out, finding->unit);
    put_number(out, finding->value);
    put_number(out, finding->low);
    put_number(out, finding->high);
    fputs(",,,,,,,,,,,,,,,", out); /* coverage to failed */
    put_flags(out, finding->flags);
    put_end(out, group, "finding", finding);
}

/* Puts each of the group's factors that has a column into its cell, or removes it. */
static void fill_cells(struct group *group, bool fill)
{
    for (size_t i = 0; i < group->factor_count; i++) {
        const size_t column = column_of(group->columns, group->factors[i].name);
        if (column < group->columns->count && !(fill && group->cells[column]))
            group->cells[column] = fill ? &group->factors[i] : NULL;
    }
}

/* Sets the factors of the rows that follow. */
static void set_factors(struct group *group, const struct factor *factors, size_t count)
{
    fill_cells(group, false);
    group->factors = factors;
    group->factor_count = count;
    fill_cells(group, true);
}

static void write_csv(FILE *out, const struct output_content *content, struct pool *pool)
{
    const struct document *document = content->documents[0];
    struct columns columns;
    collect_columns(&columns, document, pool);
    struct group group = {.columns = &columns,
                          .document = document,
                          .cells = pool_alloc(pool, columns.count + 1, sizeof *group.cells)};
    fputs(fixed_columns, out);
    for (size_t i = 0; i < columns.count; i++) {
        fputc(',', out);
        struct csv_cell cell = {0};
        while (csv_cell_pass(&cell, out)) {
            csv_cell_add(&cell, columns.list[i].prefix);
            csv_cell_add(&cell, columns.list[i].name);
        }
    }
    fputc('\n', out);
    for (size_t p = 0; p < document->probe_count; p++) {
        group.probe = &document->probes[p];
        const struct probe_result *probe = group.probe;
        for (size_t s = 0; s < probe->series_count; s++) {
            const struct series *series = &probe->series[s];
            group.rows = series->point_count;
            set_factors(&group, series->factors, series->factor_count);
            for (size_t i = 0; i < series->point_count; i++)
                put_point(out, &group, series, &series->points[i]);
        }
        group.rows = 1;
        for (size_t i = 0; i < probe->finding_count; i++) {
            set_factors(&group, probe->findings[i].factors, probe->findings[i].factor_count);
            put_finding(out, &group, &probe->findings[i]);
        }
        set_factors(&group, NULL, 0);
        /* A row for the probe itself, so that one that failed before its first point is seen, with
         * the reason. */
        put_text(out, probe->name);
        fputs(",,,,,,,,,,,,,,,,,,,,,,,,,,", out); /* series to the scatter */
        put_text(out, probe->reason);
        put_flags(out, 0);
        put_end(out, &group, "probe", NULL);
    }
}

const struct output csv_output = {
    .name = "csv",
    .help = "a row for each point, finding and probe",
    .place = 20,
    .write = write_csv,
};
