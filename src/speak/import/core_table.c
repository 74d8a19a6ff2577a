#include "speak/import/core_table.h"

#include "base/cpulist.h"
#include "base/units.h"
#include "conclude/clusters/clusters.h"

#include <math.h>
#include <string.h>

/* The square while it is filled. */
struct square {
    struct core_table *table;
    const struct core_rows *rows;
    const struct import_text *text;
    int *index; /* by id: its index in the table plus one; 0: not there */
    int largest_id;
};

/* No latency between cores is longer: a second in ns, and also long in cycles. */
static const double latency_most = 1e9;

bool core_cell_is_empty(const struct field *cell)
{
    static const char *const marks[] = {"-", "x", "X", "nan", "NaN", "NAN", "N/A"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (field_is(cell, marks[i]))
            return true;
    return cell->length == 0;
}

static int shown(const struct field *cell)
{
    return (int)(cell->length < ROWS_SHOWN ? cell->length : ROWS_SHOWN);
}

/* The latency in a cell; NAN: none. */
static double latency_in(const struct square *square, const struct core_row *row,
                         const struct field *cell)
{
    /* Plus-minus signs: as consoles with DOS's and Windows's code pages garble it, as UTF-8, and in
     * ASCII. */
    static const char *const spreads[] = {"\xe2\x94\xac\xe2\x96\x92", "\xc3\x82\xc2\xb1",
                                          "\xc2\xb1", "+-", "+/-"};
    char text[64], *spread = NULL;
    double value, ignored;
    if (core_cell_is_empty(cell))
        return NAN;
    field_copy(cell, text, sizeof text);
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads && !spread; i++)
        if ((spread = strstr(text, spreads[i]))) {
            *spread = '\0';
            spread += strlen(spreads[i]);
        }
    if (number_parse(text, &value, NULL) < 0 ||
        (spread && number_parse(spread, &ignored, NULL) < 0))
        text_refuse(square->text,
                    "line %zu: '%.*s' is no latency: write a number, or nothing where nothing was "
                    "measured",
                    row->line, shown(cell), cell->text);
    if (value < 0 || value > latency_most)
        text_refuse(square->text, "line %zu: %s is %s: write latencies from 0 to 1e9", row->line,
                    text, value < 0 ? "negative" : "too large for a latency");
    return value == 0 ? NAN : value;
}

static void set_cell(const struct square *square, const struct core_row *row, size_t from,
                     size_t to, const struct field *cell)
{
    const double value = latency_in(square, row, cell);
    if (from != to)
        square->table->latency[from * square->table->n + to] = value;
}

/* Makes an empty square of n rows, with ids from 0. */
static void begin_square(struct square *square, size_t n, size_t line)
{
    struct core_table *table = square->table;
    struct pool *pool = square->text->pool;
    if (n < 2 || n > CLUSTERS_CPUS_MAX)
        text_refuse(square->text, "line %zu: a matrix of %zu cores: give one of 2 to %d", line, n,
                    CLUSTERS_CPUS_MAX);
    table->n = n;
    table->ids = pool_alloc(pool, n, sizeof *table->ids);
    table->latency = pool_alloc(pool, n * n, sizeof *table->latency);
    for (size_t i = 0; i < n * n; i++)
        table->latency[i] = NAN;
    for (size_t i = 0; i < n; i++)
        table->ids[i] = (int)i;
}

/* --- with ids --- */

static void read_ids(struct square *square, size_t first)
{
    const struct core_row *row = &square->rows->list[0];
    begin_square(square, row->count > first ? row->count - first : 0, row->line);
    for (size_t i = first; i < row->count; i++)
        if (field_id(&row->cells[i]) > square->largest_id)
            square->largest_id = field_id(&row->cells[i]);
    square->index =
        pool_alloc(square->text->pool, (size_t)square->largest_id + 1, sizeof *square->index);
    for (size_t i = 0; i < square->table->n; i++) {
        const struct field *cell = &row->cells[first + i];
        const int id = field_id(cell);
        if (id < 0)
            text_refuse(square->text,
                        "line %zu: '%.*s' is no core's id: write whole numbers from 0 to %d",
                        row->line, shown(cell), cell->text, CPU_ID_MAX);
        if (square->index[id])
            text_refuse(square->text, "line %zu: id %d occurs twice: give each core one column",
                        row->line, id);
        square->index[id] = (int)i + 1;
        square->table->ids[i] = id;
    }
}

/* The column whose id the cell is below; n if none or several are. */
static size_t column_below(const struct square *square, const struct field *cell, size_t first)
{
    const struct core_row *ids = &square->rows->list[0];
    size_t found = square->table->n;
    for (size_t i = 0; i < square->table->n; i++) {
        const struct field *id = &ids->cells[first + i];
        if (cell->column < id->end && id->column < cell->end) {
            if (found < square->table->n)
                return square->table->n;
            found = i;
        }
    }
    return found;
}

/* Finds the columns of a row's values, by position or by their number; false if neither fits. */
static bool place_values(const struct square *square, const struct core_row *row, size_t at,
                         size_t first_id, size_t *columns)
{
    const size_t n = square->table->n, values = row->count - 1;
    const bool blanks = square->rows->shape == CORE_BLANKS;
    bool below = blanks;
    for (size_t i = 0; i < values && below; i++) {
        columns[i] = column_below(square, &row->cells[i + 1], first_id);
        below = columns[i] < n && (i == 0 || columns[i] > columns[i - 1]);
    }
    if (below)
        return true;
    /* A triangle may include its diagonal; a square may omit it only if blanks align the table. */
    const bool skip = blanks && values == n - 1 && at + 1 < n && values != at + 1;
    if (values != n && values != at && values != at + 1 && !skip)
        return false;
    for (size_t i = 0; i < values; i++)
        columns[i] = i + (skip && i >= at);
    return true;
}

static void read_with_ids(struct square *square, size_t first_id)
{
    const struct core_rows *rows = square->rows;
    read_ids(square, first_id);
    const size_t n = square->table->n;
    size_t seen = 0, *columns = pool_alloc(square->text->pool, n + 2, sizeof *columns);
    bool *done = pool_alloc(square->text->pool, n + 1, sizeof *done);
    for (size_t r = 1; r < rows->count; r++) {
        struct core_row row = rows->list[r];
        /* Spreadsheets and scripts end lines with an additional separator. */
        if (row.count > n + 1 && core_cell_is_empty(&row.cells[row.count - 1]))
            row.count--;
        const int id = field_id(&row.cells[0]),
                  at = id < 0 || id > square->largest_id ? 0 : square->index[id];
        if (at == 0)
            text_refuse(square->text,
                        "line %zu begins with '%.*s', which is none of the ids in line %zu: begin "
                        "each row with its core's id",
                        row.line, shown(&row.cells[0]), row.cells[0].text, rows->list[0].line);
        const size_t from = (size_t)at - 1;
        if (done[from])
            text_refuse(square->text, "line %zu: id %d has a second row: give each core one",
                        row.line, id);
        done[from] = true;
        seen++;
        if (row.count - 1 > n || !place_values(square, &row, from, first_id, columns))
            text_refuse(square->text,
                        "line %zu has %zu latencies, and that fits neither a square nor a lower "
                        "triangle of %zu cores: write all or those before the diagonal",
                        row.line, row.count - 1, n);
        for (size_t i = 1; i < row.count; i++)
            set_cell(square, &row, from, columns[i - 1], &row.cells[i]);
    }
    /* A triangle may omit its empty first row. */
    if (seen + 1 < n + done[0])
        text_refuse(square->text,
                    "line %zu is the last, and %zu of %zu cores have no row: give the whole table",
                    rows->list[rows->count - 1].line, n - seen, n);
}

/* --- without ids --- */

/* The first line that breaks the shape, in which each row has `step` cells more than the one
 * before; 0: none. */
static size_t broken_at(const struct core_rows *rows, size_t first, int step)
{
    for (size_t r = first + 1; r < rows->count; r++)
        if ((long)rows->list[r].count != (long)rows->list[r - 1].count + step)
            return rows->list[r].line;
    return 0;
}

/* Whether the last (or first) cells of all rows are an empty diagonal. */
static bool is_diagonal(const struct core_rows *rows, size_t first, bool last)
{
    for (size_t r = first; r < rows->count; r++) {
        const struct core_row *row = &rows->list[r];
        const struct field *cell = &row->cells[last ? row->count - 1 : 0];
        if (!core_cell_is_empty(cell) && (isnan(field_number(cell)) || field_number(cell) != 0))
            return false;
    }
    return true;
}

/* Reads a square, a lower triangle or an upper one. */
static void read_without_ids(struct square *square, size_t first)
{
    const struct core_rows *rows = square->rows;
    const struct core_row *begin = &rows->list[first], *last = &rows->list[rows->count - 1];
    const size_t lines = rows->count - first;
    const size_t next = lines > 1 ? rows->list[first + 1].count : begin->count + 1;
    const int step = next > begin->count ? 1 : next < begin->count ? -1 : 0;
    size_t n = lines, above = 0, broken = broken_at(rows, first, step);
    if (lines == 1 && begin->count > 1)
        broken = begin->line;
    if (broken && step < 0)
        broken = rows->list[first + 1].line;
    if (!broken && step > 0) {
        /* A lower triangle may omit its first line and its diagonal. */
        const bool diagonal = begin->count <= 2 && is_diagonal(rows, first, true);
        above = diagonal ? begin->count - 1 : 1;
        if (!diagonal && begin->count > 1)
            broken = begin->count > 2 ? last->line : begin->line;
        n = lines + above;
    } else if (!broken && step < 0) {
        n = begin->count + !is_diagonal(rows, first, false);
        if (n != lines && n != lines + 1)
            broken = last->line;
    } else if (!broken && begin->count != lines) {
        broken = last->line;
    }
    if (broken)
        text_refuse(square->text,
                    "line %zu: rows of %zu and on, %zu of them, are neither a square nor a lower "
                    "triangle: write as many columns as rows, or one more in each",
                    broken, begin->count, lines);
    begin_square(square, n, last->line);
    for (size_t r = first; r < rows->count; r++) {
        const struct core_row *row = &rows->list[r];
        const size_t before = step < 0 ? n - row->count : 0;
        for (size_t i = 0; i < row->count && before + i < n; i++)
            set_cell(square, row, r - first + above, before + i, &row->cells[i]);
    }
}

/* --- from, to, latency --- */

static void read_triples(struct square *square)
{
    const struct core_rows *rows = square->rows;
    struct core_table *table = square->table;
    for (size_t r = 0; r < rows->count; r++)
        for (int which = 0; which < 2; which++) {
            const int id = field_id(&rows->list[r].cells[which]);
            square->largest_id = id > square->largest_id ? id : square->largest_id;
        }
    /* The ids of the table, ascending, get indexes from 0. */
    int *index = pool_alloc(square->text->pool, (size_t)square->largest_id + 1, sizeof *index);
    size_t n = 0;
    for (size_t r = 0; r < rows->count; r++)
        for (int which = 0; which < 2; which++)
            index[field_id(&rows->list[r].cells[which])] = 1;
    for (int id = 0; id <= square->largest_id; id++)
        if (index[id])
            index[id] = (int)n++;
    begin_square(square, n, rows->list[rows->count - 1].line);
    for (size_t r = 0; r < rows->count; r++) {
        const struct core_row *row = &rows->list[r];
        const int from = field_id(&row->cells[0]), to = field_id(&row->cells[1]);
        double *cell = &table->latency[(size_t)index[from] * n + (size_t)index[to]];
        const double value = latency_in(square, row, &row->cells[2]);
        table->ids[index[from]] = from;
        table->ids[index[to]] = to;
        if (from == to || isnan(value))
            continue;
        if (!isnan(*cell))
            text_refuse(square->text,
                        "line %zu: from %d to %d has a second latency: give each pair one",
                        row->line, from, to);
        *cell = value;
    }
}

/* --- which shape it is --- */

enum ids { NO_IDS, IDS_ABOVE, IDS_BOTH };

/* Whether the table is a square whose diagonal has empty cells of one spelling: then its first row
 * and column may be latencies instead of ids. */
static bool is_square_of_latencies(const struct core_rows *rows)
{
    for (size_t r = 0; r < rows->count; r++) {
        const struct core_row *row = &rows->list[r];
        if (row->count != rows->count || !core_cell_is_empty(&row->cells[r]) ||
            row->cells[r].length != rows->list[0].cells[0].length)
            return false;
    }
    return true;
}

/* Ids are recognised by a name in the corner, by a 0 among them, which is no latency, or because
 * they ascend and the rows begin with the same ones. */
static enum ids find_ids(const struct square *square)
{
    const struct core_rows *rows = square->rows;
    const struct core_row *ids = &rows->list[0];
    const bool corner = core_cell_is_empty(&ids->cells[0]);
    bool small = false, zero = false, ascending = true, same = true;
    if (!corner && field_id(&ids->cells[0]) < 0 && strspn(ids->cells[0].text, "0123456789.+-") == 0)
        return IDS_BOTH;
    for (size_t i = 0; i < ids->count; i++) {
        const int id = field_id(&ids->cells[i]);
        if (id < 0 && (i || !corner))
            return NO_IDS;
        zero = zero || id == 0;
        small = small || (id >= 0 && id < 2);
        ascending = ascending && (i < 2 || id > field_id(&ids->cells[i - 1]));
    }
    if (!corner)
        return zero && ids->count > 1 && rows->count == ids->count + 1 ? IDS_ABOVE : NO_IDS;
    for (size_t r = 1; r < rows->count; r++) {
        const int id = field_id(&rows->list[r].cells[0]);
        const bool at = r < ids->count && id == field_id(&ids->cells[r]);
        const bool later = r + 1 < ids->count && id == field_id(&ids->cells[r + 1]);
        same = same && id >= 0 && (at || later);
    }
    if (!zero && !(ascending && same && rows->count > 1))
        return NO_IDS;
    if (!small && is_square_of_latencies(rows)) /* no hand-off takes less than 2 ns */
        text_refuse(square->text,
                    "line %zu: these may be the cores' ids or latencies: say which, --ids "
                    "yes or --ids no",
                    ids->line);
    return IDS_BOTH;
}

void core_table_read(struct core_table *table, const struct core_rows *rows,
                     const struct import_text *text, enum core_ids ids)
{
    struct square square = {.table = table, .rows = rows, .text = text};
    const bool separated = rows->shape == CORE_SEPARATED;
    const struct field *corner = &rows->list[0].cells[0];
    *table = (struct core_table){.model = rows->model, .op = rows->op, .unit = rows->unit};
    if (separated && !field_begins_number(corner) && corner->length)
        table->unit = column_in_words(corner->text, corner->length);
    if (rows->shape == CORE_TRIPLES) {
        read_triples(&square);
    } else if (rows->shape == CORE_BLANKS) {
        read_with_ids(&square, field_id(corner) < 0);
    } else {
        const enum ids found = ids == CORE_IDS_YES  ? IDS_BOTH
                               : ids == CORE_IDS_NO ? NO_IDS
                                                    : find_ids(&square);
        if (found == IDS_BOTH)
            read_with_ids(&square, 1);
        if (found == IDS_ABOVE)
            read_ids(&square, 0);
        int *above = found == IDS_ABOVE ? table->ids : NULL;
        const size_t named = table->n;
        if (found != IDS_BOTH)
            read_without_ids(&square, found == IDS_ABOVE);
        if (above && table->n != named)
            text_refuse(square.text, "line %zu names %zu cores, and the rows below it are of %zu",
                        rows->list[0].line, named, table->n);
        if (above)
            table->ids = above;
    }
}
