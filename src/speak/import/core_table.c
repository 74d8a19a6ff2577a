#include "speak/import/core_table.h"

#include "base/units.h"
#include "conclude/clusters/clusters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is being read. */
struct reading {
    struct core_table *table;
    struct pool *pool;
    const struct core_rows *rows;
    const char *file;
    int *index; /* of each id in the table, plus one, up to the largest */
    int largest_id;
    struct error *error;
};

/* A second in ns, and some time in cycles, is no latency between cores. */
static const double latency_most = 1e9;

static int out_of_memory(const struct reading *reading)
{
    return error_set(reading->error, ERROR_SYSTEM, "%s: out of memory", reading->file);
}

int core_cell_latency(const struct field *cell, const struct core_row *row, const char *file,
                      double *value, struct error *error)
{
    /* The sign itself, what consoles of DOS's and of Windows's tables make of it, and without it.
     */
    static const char *const spreads[] = {"\xe2\x94\xac\xe2\x96\x92", "\xc3\x82\xc2\xb1",
                                          "\xc2\xb1", "+-", "+/-"};
    char text[64], *spread = NULL;
    double ignored;
    *value = NAN;
    if (core_cell_is_empty(cell))
        return 0;
    snprintf(text, sizeof text, "%.*s", (int)(cell->length < 63 ? cell->length : 63), cell->text);
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads && !spread; i++)
        if ((spread = strstr(text, spreads[i]))) {
            *spread = '\0';
            spread += strlen(spreads[i]);
        }
    if (number_parse(text, value, NULL) < 0 || (spread && number_parse(spread, &ignored, NULL) < 0))
        return error_set(error, ERROR_USAGE,
                         "%s: line %zu: '%.*s' is no latency: write a number, or nothing where "
                         "nothing was measured",
                         file, row->line, (int)(cell->length < 40 ? cell->length : 40), cell->text);
    if (*value < 0 || *value > latency_most)
        return error_set(error, ERROR_USAGE,
                         "%s: line %zu: %s is %s: write latencies from 0 to 1e9", file, row->line,
                         text, *value < 0 ? "negative" : "too large for a latency");
    if (*value == 0)
        *value = NAN;
    return 0;
}

static int set_cell(const struct reading *reading, const struct core_row *row, size_t to_row,
                    size_t to_column, const struct field *cell)
{
    struct core_table *table = reading->table;
    double value;
    int code = core_cell_latency(cell, row, reading->file, &value, reading->error);
    if (code == 0 && to_row != to_column)
        table->latency[to_row * table->n + to_column] = value;
    return code;
}

int core_table_begin(struct core_table *table, struct pool *pool, size_t n, size_t line,
                     const char *file, struct error *error)
{
    if (n < 2 || n > CLUSTERS_CPUS_MAX)
        return error_set(error, ERROR_USAGE,
                         "%s: line %zu: a matrix of %zu cores: give one of 2 to %d", file, line, n,
                         CLUSTERS_CPUS_MAX);
    table->n = n;
    table->ids = pool_alloc(pool, n, sizeof *table->ids);
    table->latency = pool_alloc(pool, n * n, sizeof *table->latency);
    if (!table->ids || !table->latency)
        return error_set(error, ERROR_SYSTEM, "%s: out of memory", file);
    for (size_t i = 0; i < n * n; i++)
        table->latency[i] = NAN;
    for (size_t i = 0; i < n; i++)
        table->ids[i] = (int)i;
    return 0;
}

static int make_square(struct reading *reading, size_t n, size_t line)
{
    return core_table_begin(reading->table, reading->pool, n, line, reading->file, reading->error);
}

/* --- with ids --- */

static int read_ids(struct reading *reading, size_t first)
{
    const struct core_row *row = &reading->rows->list[0];
    int code = make_square(reading, row->count > first ? row->count - first : 0, row->line);
    reading->largest_id = 0;
    for (size_t i = first; i < row->count; i++)
        if (field_id(&row->cells[i]) > reading->largest_id)
            reading->largest_id = field_id(&row->cells[i]);
    reading->index =
        pool_alloc(reading->pool, (size_t)reading->largest_id + 1, sizeof *reading->index);
    if (code == 0 && !reading->index)
        return out_of_memory(reading);
    for (size_t i = 0; code == 0 && i < reading->table->n; i++) {
        const struct field *cell = &row->cells[first + i];
        int id = field_id(cell);
        if (id < 0)
            return error_set(reading->error, ERROR_USAGE,
                             "%s: line %zu: '%.*s' is no core's id: write whole numbers from 0 to "
                             "%d",
                             reading->file, row->line, (int)(cell->length < 40 ? cell->length : 40),
                             cell->text, CPU_ID_MAX);
        if (reading->index[id])
            return error_set(reading->error, ERROR_USAGE,
                             "%s: line %zu: id %d stands there twice: give each core one column",
                             reading->file, row->line, id);
        reading->index[id] = (int)i + 1;
        reading->table->ids[i] = id;
    }
    return code;
}

static int refuse_ragged(const struct reading *reading, const struct core_row *row, size_t values)
{
    return error_set(reading->error, ERROR_USAGE,
                     "%s: line %zu has %zu latencies, and that fits neither a square nor a lower "
                     "triangle of %zu cores: write all or those before the diagonal",
                     reading->file, row->line, values, reading->table->n);
}

/* Which column a cell of a table by blanks stands below; n where that can't be known. */
static size_t column_below(const struct reading *reading, const struct field *cell, size_t first)
{
    const struct core_row *ids = &reading->rows->list[0];
    size_t found = reading->table->n;
    for (size_t i = 0; i < reading->table->n; i++) {
        const struct field *id = &ids->cells[first + i];
        if (cell->column < id->end && id->column < cell->end) {
            if (found < reading->table->n)
                return reading->table->n;
            found = i;
        }
    }
    return found;
}

/* The columns of a row's values, as they stand or as their number says; false for neither. */
static bool place_values(const struct reading *reading, const struct core_row *row, size_t at,
                         size_t first_id, size_t *columns)
{
    size_t n = reading->table->n, values = row->count - 1;
    bool below = reading->rows->blanks;
    for (size_t i = 0; i < values && below; i++) {
        columns[i] = column_below(reading, &row->cells[i + 1], first_id);
        below = columns[i] < n && (i == 0 || columns[i] > columns[i - 1]);
    }
    if (below)
        return true;
    /* A triangle may have its diagonal; a square without it can only be recognised by blanks. */
    bool skip = reading->rows->blanks && values == n - 1 && at + 1 < n && values != at + 1;
    if (values != n && values != at && values != at + 1 && !skip)
        return false;
    for (size_t i = 0; i < values; i++)
        columns[i] = i + (skip && i >= at);
    return true;
}

/* Spreadsheets and loops leave a separator at the end of a line. */
static size_t without_last_empty(const struct core_row *row, size_t most)
{
    return row->count > most && core_cell_is_empty(&row->cells[row->count - 1]) ? row->count - 1
                                                                                : row->count;
}

static int read_with_ids(struct reading *reading, size_t first_id)
{
    const struct core_rows *rows = reading->rows;
    int code = read_ids(reading, first_id);
    size_t n = reading->table->n, seen = 0;
    size_t *columns = pool_alloc(reading->pool, n + 2, sizeof *columns);
    bool *done = pool_alloc(reading->pool, n + 1, sizeof *done);
    if (code == 0 && (!columns || !done))
        return out_of_memory(reading);
    for (size_t r = 1; r < rows->count && code == 0; r++) {
        struct core_row row = rows->list[r];
        row.count = without_last_empty(&row, n + 1);
        const int id = field_id(&row.cells[0]),
                  at = id < 0 || id > reading->largest_id ? 0 : reading->index[id];
        if (at == 0)
            return error_set(reading->error, ERROR_USAGE,
                             "%s: line %zu begins with '%.*s', which is none of the ids in line "
                             "%zu: begin each row with its core's id",
                             reading->file, row.line,
                             (int)(row.cells[0].length < 40 ? row.cells[0].length : 40),
                             row.cells[0].text, rows->list[0].line);
        if (done[at - 1])
            return error_set(reading->error, ERROR_USAGE,
                             "%s: line %zu: id %d has had its row: give each core one",
                             reading->file, row.line, id);
        done[at - 1] = true;
        seen++;
        if (row.count - 1 > n || !place_values(reading, &row, (size_t)at - 1, first_id, columns))
            return refuse_ragged(reading, &row, row.count - 1);
        for (size_t i = 1; i < row.count && code == 0; i++)
            code = set_cell(reading, &row, (size_t)at - 1, columns[i - 1], &row.cells[i]);
    }
    /* A triangle has nothing to say in its first row. */
    if (code == 0 && seen + 1 < n + done[0])
        code = error_set(reading->error, ERROR_USAGE,
                         "%s: line %zu is the last, and %zu of %zu cores have no row: give the "
                         "whole table",
                         reading->file, rows->list[rows->count - 1].line, n - seen, n);
    return code;
}

/* --- without --- */

/* The line of a shape that is broken first, or 0: counts that all equal the first, or that rise by
 * one. */
static size_t broken_at(const struct core_rows *rows, size_t first, size_t rise)
{
    for (size_t r = first; r < rows->count; r++)
        if (rows->list[r].count != rows->list[first].count + (r - first) * rise)
            return rows->list[r].line;
    return 0;
}

static bool last_cells_are_nothing(const struct core_rows *rows, size_t first)
{
    for (size_t r = first; r < rows->count; r++) {
        const struct field *last = &rows->list[r].cells[rows->list[r].count - 1];
        if (!core_cell_is_empty(last) && (isnan(field_number(last)) || field_number(last) != 0))
            return false;
    }
    return true;
}

static int read_without_ids(struct reading *reading, size_t first)
{
    const struct core_rows *rows = reading->rows;
    size_t lines = rows->count - first, above = 0, n = lines;
    const struct core_row *begin = &rows->list[first];
    size_t broken = broken_at(rows, first, lines > 1 && rows->list[first + 1].count > begin->count);
    bool triangle = lines == 1 || rows->list[first + 1].count > begin->count;
    if (lines == 1 && begin->count > 1)
        broken = begin->line;
    if (!broken && triangle && begin->count <= 2) {
        /* Its first line may be left out, and its diagonal be there or not. */
        bool diagonal = last_cells_are_nothing(rows, first);
        above = diagonal ? begin->count - 1 : 1;
        if (!diagonal && begin->count > 1)
            broken = begin->line;
        n = lines + above;
    } else if (!broken && (triangle || begin->count != lines)) {
        broken = rows->list[rows->count - 1].line;
    }
    if (broken)
        return error_set(reading->error, ERROR_USAGE,
                         "%s: line %zu: rows of %zu and on, %zu of them, are neither a square nor "
                         "a lower triangle: write as many columns as rows, or one more in each",
                         reading->file, broken, begin->count, lines);
    int code = make_square(reading, n, rows->list[rows->count - 1].line);
    for (size_t r = first; r < rows->count && code == 0; r++)
        for (size_t i = 0; i < rows->list[r].count && i < n && code == 0; i++)
            code = set_cell(reading, &rows->list[r], r - first + above, i, &rows->list[r].cells[i]);
    return code;
}

/* --- which of them it is --- */

enum shape { NO_IDS, IDS_ABOVE, IDS_BOTH };

/* Ids are recognised by a name in the corner, or by a 0 among them, which is no latency, or by
 * ascending and standing before the rows as they stand above. */
static enum shape find_shape(const struct core_rows *rows)
{
    const struct core_row *ids = &rows->list[0];
    bool corner = core_cell_is_empty(&ids->cells[0]), zero = false, ascending = true, same = true;
    if (!corner && field_id(&ids->cells[0]) < 0 && strspn(ids->cells[0].text, "0123456789.+-") == 0)
        return IDS_BOTH;
    for (size_t i = 0; i < ids->count; i++) {
        int id = field_id(&ids->cells[i]);
        if (id < 0 && (i || !corner))
            return NO_IDS;
        zero = zero || id == 0;
        ascending = ascending && (i < 2 || id > field_id(&ids->cells[i - 1]));
    }
    if (!corner)
        return zero && ids->count > 1 && rows->count == ids->count + 1 ? IDS_ABOVE : NO_IDS;
    for (size_t r = 1; r < rows->count; r++) {
        int id = field_id(&rows->list[r].cells[0]);
        bool at = r < ids->count && id == field_id(&ids->cells[r]);
        bool later = r + 1 < ids->count && id == field_id(&ids->cells[r + 1]);
        same = same && id >= 0 && (at || later);
    }
    return zero || (ascending && same && rows->count > 1) ? IDS_BOTH : NO_IDS;
}

static int read_ids_above(struct reading *reading)
{
    struct core_table *table = reading->table;
    int code = read_ids(reading, 0);
    int *ids = table->ids;
    if (code == 0)
        code = read_without_ids(reading, 1);
    table->ids = ids;
    return code;
}

static int read_table(struct core_table *table, struct pool *pool, const struct core_rows *rows,
                      const char *file, int ids, struct error *error)
{
    struct reading reading = {
        .table = table, .pool = pool, .rows = rows, .file = file, .error = error};
    *table = (struct core_table){.model = rows->model, .op = rows->op, .cycles = rows->cycles};
    if (rows->triples)
        return core_triples_read(table, pool, rows, file, error);
    if (rows->blanks)
        return read_with_ids(&reading, field_id(&rows->list[0].cells[0]) < 0);
    enum shape shape = ids == CORE_IDS_YES  ? IDS_BOTH
                       : ids == CORE_IDS_NO ? NO_IDS
                                            : find_shape(rows);
    return shape == IDS_BOTH    ? read_with_ids(&reading, 1)
           : shape == IDS_ABOVE ? read_ids_above(&reading)
                                : read_without_ids(&reading, 0);
}

int core_tables_read(struct core_table **tables, size_t *count, struct pool *pool,
                     struct import_text *text, int ids, struct error *error)
{
    struct rows lines;
    *tables = NULL;
    *count = 0;
    for (rows_begin(&lines, text); *lines.next || *count == 0;) {
        struct core_rows rows;
        int code = core_rows_read(&rows, pool, &lines, error);
        if (code < 0)
            return code;
        if (rows.count == 0 && *count)
            break;
        if (rows.count == 0)
            return error_set(error, ERROR_USAGE, "%s: holds no table: give a matrix of latencies",
                             text->file);
        void *list = *tables;
        struct core_table *table = pool_append(pool, &list, count, sizeof *table);
        if (!table)
            return error_set(error, ERROR_SYSTEM, "%s: out of memory", text->file);
        *tables = list;
        code = read_table(table, pool, &rows, text->file, ids, error);
        if (code < 0)
            return code;
    }
    return 0;
}
