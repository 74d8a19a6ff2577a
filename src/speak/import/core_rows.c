#include "conclude/clusters/clusters.h"
#include "speak/import/core_table.h"

#include <math.h>
#include <string.h>

enum { CELLS_MAX = CLUSTERS_CPUS_MAX + 1, TRIPLE = 3, SQUARE_LINES = 4 };
_Static_assert((int)CELLS_MAX < (int)ROWS_FIELDS, "a row of one cell too many has to be noticed");

bool core_cell_is_empty(const struct field *cell)
{
    static const char *const marks[] = {"-", "x", "X", "nan", "NaN", "NAN", "N/A"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (field_is(cell, marks[i]))
            return true;
    return cell->length == 0;
}

static void refuse_bandwidth(const struct rows *lines)
{
    text_refuse(lines->source, "line %zu speaks of bandwidths: give a table of latencies",
                lines->number);
}

/* Keeps the cells of the line at hand, which was cut. */
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

/* A fence of Markdown ends a table. */
static bool is_fence(const struct rows *lines)
{
    return rows_begins(lines, "```") || rows_begins(lines, "~~~");
}

/* --- tables by blanks --- */

/* One that is too large is one too, and is refused as such. */
static bool is_id(const struct field *field)
{
    return field_id(field) >= 0 || field_is_large_id(field);
}

/* "0 1 2" or "CPU 0 1 2", and not a row of numbers: the line after it begins with an id. Leaves the
 * line cut. */
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

/* What a line above a table says was measured; NULL where it says nothing of it. */
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

/* Summaries of what stands in the table, and what the tool says of how it measured. */
static const char known[] =
    "Num |Running |Min |Max |Mean |CPU|Using |1)|2)|3)|*|Core frequency|Warning|Samples:|"
    "Iterations:|Results";

static const char *read_processor(const struct rows *lines)
{
    static const char label[] = "CPU: ";
    enum { MOST = 200, LABEL = sizeof label - 1 };
    if (!rows_begins(lines, label))
        return NULL;
    const size_t length = lines->length - LABEL;
    return pool_printf(lines->source->pool, "%.*s", (int)(length < MOST ? length : MOST),
                       lines->text + LABEL);
}

/* Reads the next table by blanks with what stands above it: a line of ids, and the rows below that
 * begin with a number. Leaves the lines before the first that is none. */
static void find_blanks(struct core_rows *rows, struct rows *lines)
{
    while (rows_next_said(lines)) {
        if (rows_speak_of_bandwidth(lines))
            refuse_bandwidth(lines);
        const char *op = operation_in(lines);
        rows->op = op ? op : rows->op;
        rows->model = rows->model ? rows->model : read_processor(lines);
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

/* Up to the end of the text, the end of the code fence around it, or the empty line below a square.
 */
static void read_separated(struct core_rows *rows, struct rows *lines)
{
    const struct rows_place start = rows_place(lines);
    bool inside = !text_has_line(lines->source, "```");
    const bool fenced = !inside;
    char separator = 0;
    while (!separator && rows_next_said(lines)) {
        inside = inside != is_fence(lines);
        separator = inside && !is_fence(lines) ? rows_separator(lines) : 0;
    }
    rows_return(lines, start);
    for (inside = !fenced; rows_next(lines);) {
        const bool fence = is_fence(lines);
        const bool square = rows->count > 1 && rows->count == rows->list[0].count;
        inside = fenced ? inside != fence : inside;
        if (rows->count && (fence || (!lines->length && square)))
            return;
        if (!lines->length || *lines->text == '#' || fence || !inside)
            continue;
        rows_cut(lines, separator ? separator : ',');
        if (!fenced || lines->count > 1) {
            rows->shape = CORE_SEPARATED;
            keep_row(rows, lines);
        }
    }
}

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

/* Rows of two ids and a number. Without their names above there are not as many as a square has. */
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

/* Whether the row below a line of ids, which is at hand and cut, begins with the first of them, or
 * with the second where a triangle has nothing to say of the first: two columns of whole numbers
 * look much the same. */
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

enum import_certainty core_rows_recognise(struct rows *lines)
{
    const struct rows_place start = rows_place(lines);
    bool named = false;
    if (rows_next_said(lines) && rows_split(lines) == TRIPLE && are_triples_names(lines))
        for (size_t i = 0; i < 2; i++) {
            const enum column_holds holds = column_named(&lines->fields[i]).holds;
            named = named || holds == COLUMN_FROM || holds == COLUMN_TO;
        }
    if (named && rows_next_said(lines) && rows_split(lines) == TRIPLE && is_id(&lines->fields[0]) &&
        is_id(&lines->fields[1]) && isfinite(field_number(&lines->fields[2])))
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

/* --- any table --- */

void core_rows_read(struct core_rows *rows, struct rows *lines)
{
    const bool first = lines->number == 0;
    const struct rows_place start = rows_place(lines);
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
    lines->source->unread = 0; /* they were no table by blanks, and are read now */
    read_separated(rows, lines);
}
