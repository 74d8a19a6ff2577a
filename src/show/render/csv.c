/*
 * CSV in long form, a row a point, a finding and a probe: RFC 4180, except that lines end with LF
 * alone. Each factor's name has a column of its own, behind those that every document has.
 */
#include "base/quote.h"
#include "base/units.h"
#include "conclude/registry/factors.h"
#include "document/flag.h"
#include "show/render/csv_columns.h"
#include "show/render/output.h"
#include "show/report/figure.h"

#include <math.h>
#include <string.h>

/* The first `most` of them. */
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

/* Whose rows: a probe's points of one series, its findings one by one, or itself. */
struct group {
    const struct csv_columns *columns;
    const struct document *document;
    const struct probe_result *probe;
    const struct factor *factors;
    size_t factor_count;
    const struct factor **cells; /* of the columns of factors */
    size_t rows;
};

static void put_factors(FILE *out, const struct group *group)
{
    struct csv_cell cell = {0};
    while (csv_cell_pass(&cell, out))
        add_factors(&cell, group->factors, group->factor_count, csv_factors_most(group->rows));
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

/* --- what every row ends with --- */

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

/* The last cell of a row has no comma behind it, so a factor's has one before it. */
static void put_factor(FILE *out, const struct factor *factor)
{
    char number[UNIT_TEXT];
    fputc(',', out);
    if (factor && factor->text)
        csv_print(out, factor->text);
    else if (factor && isfinite(factor->number))
        fputs(factor_format(factor->number, number), out);
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
    for (size_t i = 0; i < group->columns->count; i++)
        put_factor(out, group->cells[i]);
    fputc('\n', out);
}

/* --- rows --- */

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

static void put_empty(FILE *out, int cells)
{
    while (cells-- > 0)
        fputc(',', out);
}

static void put_finding(FILE *out, const struct group *group, const struct finding *finding)
{
    enum { X_TO_Y_NAME = 6, COVERAGE_TO_FAILED = 15 };
    put_text(out, group->probe->name);
    put_empty(out, 1);
    put_factors(out, group);
    put_empty(out, X_TO_Y_NAME);
    put_text(out, finding->unit);
    put_number(out, finding->value);
    put_number(out, finding->low);
    put_number(out, finding->high);
    put_empty(out, COVERAGE_TO_FAILED);
    put_flags(out, finding->flags);
    put_end(out, group, "finding", finding);
}

/* So that a probe that failed before its first point is seen, with why. */
static void put_probe(FILE *out, const struct group *group)
{
    enum { SERIES_TO_SCATTER = 26 };
    put_text(out, group->probe->name);
    put_empty(out, SERIES_TO_SCATTER);
    put_text(out, group->probe->reason);
    put_flags(out, 0);
    put_end(out, group, "probe", NULL);
}

static void put_series(FILE *out, struct group *group, const struct series *series)
{
    group->factors = series->factors;
    group->factor_count = series->factor_count;
    group->rows = series->point_count;
    csv_columns_fill(group->columns, group->cells, series->factors, series->factor_count);
    for (size_t i = 0; i < series->point_count; i++)
        put_point(out, group, series, &series->points[i]);
    csv_columns_clear(group->columns, group->cells, series->factors, series->factor_count);
}

static void put_findings(FILE *out, struct group *group)
{
    for (size_t i = 0; i < group->probe->finding_count; i++) {
        const struct finding *finding = &group->probe->findings[i];
        group->factors = finding->factors;
        group->factor_count = finding->factor_count;
        group->rows = 1;
        csv_columns_fill(group->columns, group->cells, finding->factors, finding->factor_count);
        put_finding(out, group, finding);
        csv_columns_clear(group->columns, group->cells, finding->factors, finding->factor_count);
    }
}

static void put_head(FILE *out, const struct csv_columns *columns)
{
    fputs(csv_fixed_columns, out);
    for (size_t i = 0; i < columns->count; i++) {
        fputc(',', out);
        struct csv_cell cell = {0};
        while (csv_cell_pass(&cell, out)) {
            csv_cell_add(&cell, columns->list[i].prefix);
            csv_cell_add(&cell, columns->list[i].name);
        }
    }
    fputc('\n', out);
}

static int write_csv(FILE *out, const struct output_content *content, struct error *error)
{
    (void)error;
    const struct document *document = content->documents[0];
    struct csv_columns columns;
    struct pool pool = {0};
    struct group group = {.columns = &columns, .document = document};
    if (csv_columns_collect(&columns, document, &pool))
        group.cells = pool_alloc(&pool, columns.count + 1, sizeof *group.cells);
    if (!group.cells)
        columns.count = 0; /* no memory: rather without them than not at all */
    put_head(out, &columns);
    for (size_t p = 0; p < document->probe_count; p++) {
        group.probe = &document->probes[p];
        for (size_t s = 0; s < group.probe->series_count; s++)
            put_series(out, &group, &group.probe->series[s]);
        put_findings(out, &group);
        put_probe(out, &group);
    }
    pool_free(&pool);
    return 0;
}

const struct output csv_output = {
    .name = "csv",
    .help = "a row a point, finding and probe",
    .place = 20,
    .write = write_csv,
};
