/*
 * Matrices of core-to-core latency as other tools print them:
 *
 * - CSV (commas, semicolons or tabs): the full square, or the lower triangle with or without its
 *   diagonal, padded with empty cells by core-to-core-latency; without ids, with ids in the first
 *   row and column, or with ids in the first row only;
 * - a table aligned by blanks: a line of ids, then rows that begin with their id. A cell belongs to
 *   the id above it, so the diagonal may be blank. Text before and after the table is skipped
 *   except the processor's name ("CPU: ..."). Several tables may follow one another, as
 *   core-to-core-latency prints them, each below a line that names its operation;
 * - triples with any of these separators: the core that measures, the core that answers, the
 *   latency. They need a line with the three names, or more than four rows.
 *
 * A cell is a number, perhaps with a spread that is ignored ("53±1"). An empty cell, "-", "x",
 * "nan" and 0 mean that there is no measurement: a tool prints 0 for a rounded or missing value.
 * The diagonal is skipped. A row is the core that measures. A table of bandwidths is refused.
 */
#include "base/quantity.h"
#include "conclude/clusters/clusters.h"
#include "speak/import/core_table.h"
#include "speak/import/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- cutting the text into rows --- */

enum { CELLS_MAX = CLUSTERS_CPUS_MAX + 1, TRIPLE = 3, SQUARE_LINES = 4 };
_Static_assert((int)CELLS_MAX < (int)ROWS_FIELDS, "a row of one cell too many has to be noticed");

static void refuse_bandwidth(const struct rows *lines)
{
    text_refuse(lines->source, "line %zu speaks of bandwidths: give a table of latencies",
                lines->number);
}

/* Adds the cells of the current line, which was cut. */
static void keep_row(struct core_rows *rows, const struct rows *lines)
{
    struct pool *pool = lines->source->pool;
    if (lines->count > CELLS_MAX)
        text_refuse(lines->source, "line %zu has more than %d columns: give a smaller table",
                    lines->number, CELLS_MAX);
    struct core_row *row = pool_append(pool, (void **)&rows->list, &rows->count, sizeof *row);
    *row = (struct core_row){.line = lines->number,
                             .cells = pool_alloc(pool, lines->count + 1, sizeof *row->cells),
                             .count = lines->count};
    memcpy(row->cells, lines->fields, lines->count * sizeof *row->cells);
}

/* --- tables by blanks --- */

/* Ids that are too large count too, so that they are refused with their own message. */
static bool is_id(const struct field *field)
{
    return field_id(field) >= 0 || field_is_large_id(field);
}

/* Whether the line is one of ids, "0 1 2" or "CPU 0 1 2", and no row of numbers: the next line
 * begins with an id. Leaves the line cut. */
static bool is_line_of_ids(struct rows *lines)
{
    if (rows_separator(lines) || rows_cut(lines, 0) < 2)
        return false;
    size_t first = !is_id(&lines->fields[0]), ids = first;
    while (ids < lines->count && is_id(&lines->fields[ids]))
        ids++;
    if (ids < lines->count || ids < first + 2)
        return false;
    const struct rows_place here = rows_place(lines);
    const bool row = rows_next_said(lines) && !rows_separator(lines) && rows_cut(lines, 0) &&
                     field_id(&lines->fields[0]) >= 0;
    rows_return(lines, here);
    rows_cut(lines, 0);
    return row;
}

/* The operation that a line above a table names; NULL: none. */
static const char *operation_in(const struct rows *lines)
{
    static const struct {
        const char *words, *op;
    } operations[] = {
        {"CAS latency on a single shared cache line", "cas"},
        {"Single-writer single-reader latency on two shared cache lines", "readwrite"},
        {"Message passing", "message"},
        {"Running CAS Core Benchmark", "cas"},
        {"Running Read/Write Core Benchmark", "readwrite"},
    };
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (rows_behind(lines, operations[i].words))
            return operations[i].op;
    return NULL;
}

/* Lines that summarize the table or say how the tool measured. */
static const char known[] =
    "Num |Running |Min |Max |Mean |CPU|Using |1)|2)|3)|*|Core frequency|Warning|Samples:|"
    "Iterations:|Results";

/* Reads the next table aligned by blanks and the lines above it: a line of ids, and the rows below
 * that begin with a number. Stops before the first other line. */
static void find_blanks(struct core_rows *rows, struct rows *lines)
{
    static const char label[] = "CPU: ";
    enum { MOST = 200, LABEL = sizeof label - 1 };
    while (rows_next_said(lines)) {
        if (rows_speak_of_bandwidth(lines))
            refuse_bandwidth(lines);
        const char *op = operation_in(lines);
        rows->op = op ? op : rows->op;
        if (!rows->model && rows_begins(lines, label)) {
            const size_t length = lines->length - LABEL;
            rows->model = pool_printf(lines->source->pool, "%.*s",
                                      (int)(length < MOST ? length : MOST), lines->text + LABEL);
        }
        if (!is_line_of_ids(lines)) {
            rows_unread_but(lines, known);
            continue;
        }
        rows_refuse_large_ids(lines);
        rows->shape = CORE_BLANKS;
        keep_row(rows, lines);
        for (struct rows_place before = rows_place(lines); rows_next_said(lines);
             before = rows_place(lines)) {
            rows_cut(lines, 0);
            if (field_id(&lines->fields[0]) < 0) {
                rows_return(lines, before);
                return;
            }
            keep_row(rows, lines);
        }
        return;
    }
}

/* --- tables by separators --- */

/* --- from, to, latency --- */

static bool is_triple(const struct rows *lines)
{
    return lines->count == TRIPLE && field_id(&lines->fields[0]) >= 0 &&
           field_id(&lines->fields[1]) >= 0 && isfinite(field_number(&lines->fields[2]));
}

static bool are_triples_names(const struct rows *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        if (core_cell_is_empty(&lines->fields[i]))
            return false;
    return lines->count == TRIPLE && columns_are_names(lines);
}

/* Reads rows of two ids and a number. Without names above, there must be more than SQUARE_LINES
 * rows. */
static bool read_triples(struct core_rows *rows, struct rows *lines)
{
    bool named = false;
    struct core_rows found = {.shape = CORE_TRIPLES};
    while (rows_next_said(lines)) {
        rows_split(lines);
        if (is_triple(lines)) {
            keep_row(&found, lines);
        } else if (found.count == 0 && !named && are_triples_names(lines)) {
            named = true;
            found.unit = column_named(&lines->fields[2]);
            if (rows_speak_of_bandwidth(lines))
                refuse_bandwidth(lines);
        } else {
            if (named && lines->count == TRIPLE && is_id(&lines->fields[0]) &&
                is_id(&lines->fields[1]))
                rows_refuse_large_ids(lines);
            return false;
        }
    }
    if (!found.count || (!named && found.count <= SQUARE_LINES))
        return false;
    *rows = found;
    return true;
}

/* Whether the row below a line of ids (the current line, which is cut) begins with the first id, or
 * with the second where a triangle omits its empty first row. Else the line may be a row of two
 * whole numbers. */
static bool row_has_id_of(struct rows *lines)
{
    const size_t first = field_id(&lines->fields[0]) < 0;
    const int ids[] = {field_id(&lines->fields[first]), field_id(&lines->fields[first + 1])};
    const struct rows_place here = rows_place(lines);
    bool found = false;
    if (rows_next_said(lines) && rows_cut(lines, 0))
        found = field_id(&lines->fields[0]) == ids[0] || field_id(&lines->fields[0]) == ids[1];
    rows_return(lines, here);
    return found;
}

/* How sure it is that the text has tables aligned by blanks or triples, with or without names above
 * them. */
static enum import_certainty recognise_rows(struct rows *lines)
{
    const struct rows_place start = rows_place(lines);
    size_t cpus = 0;
    bool named = false;
    if (rows_next_said(lines) && rows_split(lines) == TRIPLE && are_triples_names(lines))
        for (size_t i = 0; i < 2; i++) {
            const enum column_holds holds = column_named(&lines->fields[i]).holds;
            named = named || holds == COLUMN_FROM || holds == COLUMN_TO;
            cpus += holds == COLUMN_CPU;
        }
    if ((named || cpus == 2) && rows_next_said(lines) && rows_split(lines) == TRIPLE &&
        is_id(&lines->fields[0]) && is_id(&lines->fields[1]) &&
        isfinite(field_number(&lines->fields[2])))
        return IMPORT_FORM;
    rows_return(lines, start);
    size_t triples = 0;
    while (rows_next_said(lines) && rows_split(lines) && is_triple(lines))
        triples++;
    if (triples > SQUARE_LINES && !*lines->next)
        return IMPORT_SHAPE;
    rows_return(lines, start);
    while (rows_next_said(lines)) {
        if (rows_speak_of_bandwidth(lines))
            return IMPORT_NONE;
        if (is_line_of_ids(lines) && row_has_id_of(lines))
            return IMPORT_FORM;
    }
    return IMPORT_NONE;
}

/* Cuts the next table into rows, without blank lines and remarks, and stops after it. CORE_NOTHING
 * if no table follows the first. */
static void read_table(struct core_rows *rows, struct rows *lines)
{
    const bool first = lines->number == 0;
    const struct rows_place start = rows_place(lines);
    const size_t unread = lines->source->unread;
    const bool separated = !first && rows->shape == CORE_SEPARATED;
    *rows = (struct core_rows){.shape = CORE_NOTHING};
    if (first && read_triples(rows, lines))
        return;
    rows_return(lines, start);
    if (!separated)
        find_blanks(rows, lines);
    if ((!first && !separated) || rows->shape != CORE_NOTHING)
        return;
    rows_return(lines, start);
    lines->source->unread = unread; /* the lines that find_blanks() skipped are read now */
    /* Reads up to the end of the text or the blank line below a square. */
    char separator = 0;
    while (!separator && rows_next_said(lines))
        separator = rows_separator(lines);
    rows_return(lines, start);
    while (rows_next(lines)) {
        if (rows->count > 1 && !lines->length && rows->count == rows->list[0].count)
            return;
        if (!lines->length || *lines->text == '#')
            continue;
        rows_cut(lines, separator ? separator : ',');
        /* Lines around the table have no separator; a triangle's first row has none either. */
        if (lines->count == 1 && !field_begins_number(&lines->fields[0]) &&
            !core_cell_is_empty(&lines->fields[0])) {
            rows_unread(lines);
            continue;
        }
        rows->shape = CORE_SEPARATED;
        keep_row(rows, lines);
    }
}

/* --- from squares to series --- */

/* The unit that the last remark with a unit above a table's first line names. */
static struct column unit_of_remarks(const struct import_text *source)
{
    struct import_text text = *source;
    struct rows rows;
    struct column unit = {.holds = COLUMN_UNKNOWN};
    rows_begin(&rows, &text);
    while (rows_next(&rows) && (!rows.length || *rows.text == '#'))
        if (rows.length) {
            const struct column found = column_in_words(rows.text, rows.length);
            unit = found.holds ? found : unit;
        }
    return unit;
}

static void add_points(struct reading *reading, struct series *series,
                       const struct core_table *table, double scale)
{
    const size_t n = table->n;
    static const struct table_kind kind = {.probe = "cores"};
    char where[48];
    size_t below = 0, above = 0; /* cells on either side of the diagonal */
    reading->rows.number = 0;
    reading->tables.where = where;
    series->points = pool_alloc(reading->pool, n * n + 1, sizeof *series->points);
    for (size_t row = 0; row < n; row++)
        for (size_t column = 0; column < n; column++) {
            double value = table->latency[row * n + column] * scale, scratch;
            if (row == column || isnan(value))
                continue;
            snprintf(where, sizeof where, "from %d to %d", table->ids[row], table->ids[column]);
            tables_check(&reading->tables, &kind, series->y.unit, value, NAN);
            *(row > column ? &below : &above) += 1;
            struct point *point = &series->points[series->point_count++];
            *point = point_bare();
            point->x = NAN;
            point->from = table->ids[row];
            point->to = table->ids[column];
            summarize(&value, 1, &scratch, &point->y);
        }
    if (series->point_count == 0)
        text_refuse(reading->text, "holds no latency of two cores: give a matrix");
    /* A triangle has one half. */
    const size_t half = n * (n - 1) / 2, all = (below ? half : 0) + (above ? half : 0);
    if (series->point_count < all)
        text_note(reading->text, "%zu of %zu cells hold no latency", all - series->point_count,
                  all);
    reading->tables.where = NULL;
    reading->tables.values += series->point_count;
    reading->tables.least = reading->tables.most = 1;
}

static const char *given_op(const struct reading *reading)
{
    static const char *const letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    const char *op = reading->asked.op.text;
    if (!op)
        return NULL;
    if (op[strspn(op, letters)] || strlen(op) > 32)
        pool_leave(reading->pool, ERROR_USAGE,
                   "--op: '%.40s' is no operation's name: write small letters, digits and dashes, "
                   "like cas",
                   op);
    return pool_strdup(reading->pool, op);
}

static void add_table(struct reading *reading, const struct core_table *table, const char *op)
{
    const char *unit = reading->asked.unit.text;
    double scale = 1;
    if (table->unit.holds == COLUMN_CYCLES && !quantity_is(unit, DIMENSION_CYCLES))
        text_refuse(reading->text, "names its latencies cycles: say so by --unit cycles");
    if (table->unit.holds == COLUMN_TIME && table->unit.unit > 0 && !reading->asked.unit.given)
        scale = table->unit.unit;
    struct probe_result *probe = document_add_probe(reading->document, reading->pool, "cores",
                                                    "Hand-off latency between cores");
    struct series *series =
        table_series(reading->document, probe,
                     &(struct series){.name = "hand-off",
                                      .matrix = true,
                                      .x = {"cpu", ""},
                                      .y = {"latency", pool_strdup(reading->pool, unit)}});
    if (op) {
        struct factor *factor = pool_append(reading->pool, (void **)&series->factors,
                                            &series->factor_count, sizeof *factor);
        *factor = (struct factor){"op", op, NAN};
    }
    add_points(reading, series, table, scale);
}

static void read_matrices(struct reading *reading)
{
    struct import_text *text = reading->text;
    struct core_table *tables = NULL;
    const char *given = given_op(reading);
    size_t count = 0;
    rows_refuse_bandwidth(text);
    const struct column unit = unit_of_remarks(text);
    struct core_rows rows = {.shape = CORE_NOTHING};
    while (*reading->rows.next || count == 0) {
        read_table(&rows, &reading->rows);
        if (rows.count == 0 && count == 0)
            text_refuse(text, "holds no table: give a matrix of latencies");
        if (rows.count == 0)
            break;
        struct core_table *table =
            pool_append(reading->pool, (void **)&tables, &count, sizeof *table);
        core_table_read(table, &rows, text, (enum core_ids)reading->asked.ids.choice);
        if (!table->unit.holds || table->unit.unit == 0)
            table->unit = unit;
    }
    if (count > 1 && given)
        pool_leave(reading->pool, ERROR_USAGE,
                   "--op: %s holds %zu tables, each with its own operation: leave it out",
                   text->file, count);
    reading->document->machine.cpu_model = pool_strdup(reading->pool, tables[0].model);
    for (size_t i = 0; i < count; i++) {
        const char *op = given ? given : tables[i].op;
        if (!op && count > 1) /* distinguishes several tables */
            op = pool_printf(reading->pool, "table%zu", i + 1);
        add_table(reading, &tables[i], op);
    }
}

/* --- recognising --- */

/* Whether the rows have as many cells as there are rows, without ids, or each row has one cell more
 * or fewer than the row before. */
static bool is_square_or_triangle(struct rows *rows)
{
    size_t first = 0, last = 0, count = 0;
    bool equal = true, rising = true, falling = true, ids = true, zero = false;
    const struct rows_place start = rows_place(rows);
    char separator = 0;
    while (!separator && rows_next_said(rows))
        separator = rows_separator(rows);
    rows_return(rows, start);
    while (rows_next(rows) && (equal || rising || falling)) {
        if (!rows->length && equal && count == first && count > 1)
            break; /* another square may follow */
        if (!rows->length || *rows->text == '#')
            continue;
        rows_cut(rows, separator);
        first = count ? first : rows->count;
        equal = equal && rows->count == first;
        rising = rising && (!count || rows->count == last + 1);
        falling = falling && (!count || rows->count + 1 == last);
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
        count++;
    }
    const bool square = equal && (first == count || (ids && zero && first + 1 == count));
    return separator && count > 1 && (square || (rising && last > 2) || (falling && first > 2));
}

/* Whether most of the first rows, as many as the first has cells, are rows of a square. */
static bool is_nearly_square(struct rows *rows)
{
    size_t columns = 0, count = 0, whole = 0;
    while (rows_next_said(rows) && (count == 0 || count < columns)) {
        size_t numbers = 0;
        if (!rows_separator(rows))
            continue;
        rows_split(rows);
        columns = count++ ? columns : rows->count;
        for (size_t i = 0; i < rows->count; i++)
            numbers +=
                core_cell_is_empty(&rows->fields[i]) || !isnan(field_number(&rows->fields[i]));
        whole += rows->count == columns && numbers + 1 >= columns;
    }
    return columns > TRIPLE && count + 1 >= columns && 3 * whole >= 2 * count;
}

/* IMPORT_FORM: a line of ids above rows that begin with one, or names above triples. */
static enum import_certainty recognise(const struct import_text *source)
{
    struct import_text text = *source;
    struct rows rows;
    rows_begin(&rows, &text);
    const enum import_certainty certainty = recognise_rows(&rows);
    rows_begin(&rows, &text);
    if (certainty != IMPORT_NONE || is_square_or_triangle(&rows))
        return certainty != IMPORT_NONE ? certainty : IMPORT_SHAPE;
    rows_begin(&rows, &text);
    return is_nearly_square(&rows) ? IMPORT_BROKEN : IMPORT_NONE;
}

static const char *const options[] = {"unit", "op", "ids", NULL};

const struct import_format core_matrix_format = {
    .name = "core-matrix",
    .place = 10,
    .options = options,
    .summary = "latency between cores, as CSV or a table: square, lower triangle or from,to,ns",
    .recognise = recognise,
    .begin = read_matrices,
    .nothing = "",
};

/* The output of core-to-core-latency: tables below a line that names the operation, or with --csv
 * the lower triangle in ns. */
static const char *const marks[] = {"CAS latency on a single shared cache line",
                                    "Single-writer single-reader latency on two shared cache",
                                    "Message passing. One writer and one reader", NULL};
const struct import_format core_to_core_latency_format = {
    .name = "core-to-core-latency",
    .place = 60,
    .options = options,
    .summary = "what core-to-core-latency prints, with --csv or without: all its tables",
    .marks = marks,
    .begin = read_matrices,
    .statistic = "the mean of its samples",
    .nothing = "",
};
