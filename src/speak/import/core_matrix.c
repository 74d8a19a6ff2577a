/*
 * Matrices of core-to-core latency as other tools print them:
 *
 * - CSV (commas, semicolons or tabs): the full square, or the lower triangle with or without its
 *   diagonal, which core-to-core-latency pads with empty cells; without ids, or with a first row
 *   and a first column of ids, or with the row alone;
 * - a table by blanks: a line of ids, then rows that begin with theirs. A cell belongs to the id
 *   that it stands below, so the diagonal may be blank. What stands before and after it is passed
 *   over, but for the processor's name ("CPU: ..."). Several may follow one another, as
 *   core-to-core-latency prints them, each below a line that names its operation;
 * - triples, by any of these separators: the core that measures, the one that answers, the latency,
 *   below a line that names the three, or more than four of them.
 *
 * A cell is a number, perhaps with a spread that is not looked at ("53±1"). Empty, "-", "x" and
 * "nan" say that nothing was measured, and so does 0: a tool that prints it rounded or filled up.
 * The diagonal says nothing of two cores and is passed over. A row is the core that measures. A
 * table of bandwidths between the same is none of latencies.
 */
#include "base/quantity.h"
#include "base/units.h"
#include "speak/import/core_table.h"
#include "speak/import/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int out_of_memory(const struct import_text *text, struct error *error)
{
    return error_set(error, ERROR_SYSTEM, "%s: out of memory", text->file);
}

/* --- the document --- */

static int add_points(struct series *series, struct pool *pool, const struct core_table *table)
{
    size_t n = table->n;
    series->points = pool_alloc(pool, n * n + 1, sizeof *series->points);
    if (!series->points)
        return ERROR_SYSTEM;
    for (size_t row = 0; row < n; row++)
        for (size_t column = 0; column < n; column++) {
            double value = table->latency[row * n + column], scratch;
            if (row == column || isnan(value))
                continue;
            struct point *point = &series->points[series->point_count++];
            *point = point_bare();
            point->x = NAN;
            point->from = table->ids[row];
            point->to = table->ids[column];
            summarize(&value, 1, &scratch, &point->y);
        }
    return 0;
}

static int add_series(struct document *document, const struct core_table *table, const char *op,
                      const char *unit, struct import_text *text, struct error *error)
{
    struct pool *pool = &document->pool;
    struct probe_result *probe = document->probes;
    struct series *series = table_series(
        document, probe,
        &(struct series){
            .name = "hand-off", .matrix = true, .x = {"cpu", ""}, .y = {"latency", unit}});
    if (!series || (op && table_factor(document, series, "op", op, NAN) < 0) ||
        add_points(series, pool, table) < 0)
        return out_of_memory(text, error);
    if (series->point_count == 0)
        return error_set(error, ERROR_USAGE, "%s: holds no latency of two cores: give a matrix",
                         text->file);
    return 0;
}

static int fill_document(struct document *document, const struct core_table *tables, size_t count,
                         struct import_text *text, const struct settings *settings,
                         struct error *error)
{
    struct pool *pool = &document->pool;
    const char *given =
        settings_has(settings, "op") ? pool_strdup(pool, settings_text(settings, "op")) : NULL;
    const char *unit = pool_strdup(pool, settings_text(settings, "unit"));
    document->machine.cpu_model = pool_strdup(pool, tables[0].model);
    if (!unit || !table_probe(document, "cores", "Hand-off latency between cores"))
        return out_of_memory(text, error);
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++) {
        const char *op = given ? given : tables[i].op;
        if (count > 1) /* which have to be distinguished */
            op = tables[i].op ? tables[i].op : pool_printf(pool, "table%zu", i + 1);
        if (count > 1 && !op)
            return out_of_memory(text, error);
        code = add_series(document, &tables[i], op, unit, text, error);
    }
    return code;
}

/* An option that is about one table, and a unit that is not the table's. */
static int check_tables(const struct core_table *tables, size_t count, struct import_text *text,
                        const struct settings *settings, struct error *error)
{
    if (count > 1 && settings_has(settings, "op"))
        return error_set(error, ERROR_USAGE,
                         "--op: %s holds %zu tables, each with its own operation: leave it out",
                         text->file, count);
    for (size_t i = 0; i < count; i++)
        if (tables[i].cycles && !quantity_is(settings_text(settings, "unit"), DIMENSION_CYCLES))
            return error_set(error, ERROR_USAGE,
                             "%s: names its latencies cycles: say so by --unit cycles", text->file);
    return 0;
}

static int check_op(const struct settings *settings, struct error *error)
{
    static const char *const letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    if (!settings_has(settings, "op"))
        return 0;
    const char *op = settings_text(settings, "op");
    if (op[strspn(op, letters)] || strlen(op) > 32)
        return error_set(error, ERROR_USAGE,
                         "--op: '%.40s' is no operation's name: write small letters, digits and "
                         "dashes, like cas",
                         op);
    return 0;
}

int core_matrix_read(struct import_text *text, const struct settings *settings,
                     struct document *document, struct error *error)
{
    struct pool scratch = {0};
    struct core_table *tables = NULL;
    size_t count = 0;
    int code = check_op(settings, error);
    if (code == 0)
        code = rows_refuse_bandwidth(text, error);
    if (code == 0)
        code = core_tables_read(&tables, &count, &scratch, text, settings_choice(settings, "ids"),
                                error);
    if (code == 0)
        code = check_tables(tables, count, text, settings, error);
    if (code == 0)
        code = fill_document(document, tables, count, text, settings, error);
    pool_free(&scratch);
    return code;
}

/* --- recognising --- */

/* Whether rows by a separator have as many cells as there are rows, ids aside, or one more each. */
static bool is_square_or_triangle(struct rows *rows)
{
    size_t first = 0, last = 0, count = 0;
    bool equal = true, rising = true, ids = true, zero = false;
    const struct rows_place start = rows_place(rows);
    char separator = 0;
    while (!separator && rows_next_said(rows))
        separator = rows_separator(rows);
    rows_return(rows, start);
    for (; rows_next_said(rows) && (equal || rising); count++) {
        rows_cut(rows, separator);
        first = count ? first : rows->count;
        equal = equal && rows->count == first;
        rising = rising && (!count || rows->count == last + 1);
        last = rows->count;
        if (rows_speak_of_bandwidth(rows))
            return false;
        for (size_t i = 0; i < rows->count && !count; i++) {
            ids = ids && field_id(&rows->fields[i]) >= 0;
            zero = zero || field_is(&rows->fields[i], "0");
        }
        for (size_t i = 1; i < rows->count && count; i++)
            if (!core_cell_is_empty(&rows->fields[i]) && !field_begins_number(&rows->fields[i]))
                return false;
    }
    const bool square = equal && (first == count || (ids && zero && first + 1 == count));
    return separator && count > 1 && (square || (rising && last > 2));
}

/* A line of ids above rows that begin with one, or names above triples, are recognised by more than
 * their shape. */
static enum import_certainty recognise(const struct import_text *source)
{
    struct import_text text = *source;
    struct rows rows;
    rows_begin(&rows, &text);
    const enum import_certainty certainty = core_rows_recognise(&rows);
    rows_begin(&rows, &text);
    return certainty != IMPORT_NONE       ? certainty
           : is_square_or_triangle(&rows) ? IMPORT_SHAPE
                                          : IMPORT_NONE;
}

static const char *const options[] = {"unit", "op", "ids", NULL};

const struct import_format core_matrix_format = {
    .name = "core-matrix",
    .place = 10,
    .options = options,
    .summary = "latency between cores, as CSV or a table: square, lower triangle or from,to,ns",
    .recognise = recognise,
    .read = core_matrix_read,
};
