#include "conclude/clusters/clusters.h"
#include "speak/import/core_table.h"

#include <math.h>
#include <string.h>

enum { CELLS_MAX = CLUSTERS_CPUS_MAX + 1 };
_Static_assert((int)CELLS_MAX < (int)ROWS_FIELDS, "a row of one cell too many has to be noticed");

bool core_cell_is_empty(const struct field *cell)
{
    static const char *const marks[] = {"-", "x", "X", "nan", "NaN", "NAN", "N/A"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (field_is(cell, marks[i]))
            return true;
    return cell->length == 0;
}

static int no_memory(const struct rows *lines, struct error *error)
{
    return error_set(error, ERROR_SYSTEM, "%s: out of memory", lines->source->file);
}

static int refuse_bandwidth(const struct rows *lines, struct error *error)
{
    return error_set(error, ERROR_USAGE,
                     "%s: line %zu speaks of bandwidths: give a table of latencies",
                     lines->source->file, lines->number);
}

/* Keeps the cells of the line at hand, which was cut. */
static int keep_row(struct core_rows *rows, struct pool *pool, const struct rows *lines,
                    struct error *error)
{
    if (lines->count > CELLS_MAX)
        return error_set(error, ERROR_USAGE,
                         "%s: line %zu has more than %d columns: give a smaller table",
                         lines->source->file, lines->number, CELLS_MAX);
    void *list = rows->list;
    struct core_row *row = pool_append(pool, &list, &rows->count, sizeof *row);
    struct field *cells = pool_alloc(pool, lines->count + 1, sizeof *cells);
    if (!row || !cells)
        return no_memory(lines, error);
    rows->list = list;
    memcpy(cells, lines->fields, lines->count * sizeof *cells);
    *row = (struct core_row){.line = lines->number, .cells = cells, .count = lines->count};
    return 0;
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
static const char *const known[] = {
    "Num ",    "Running ", "Min ",        "Max ",    "Mean ", "CPU",
    "Using ",  "1)",       "2)",          "3)",      "*",     "Core frequency",
    "Warning", "Samples:", "Iterations:", "Results", NULL};

/* The rows below a line of ids, which is at hand and cut: those that begin with a number. Leaves
 * the lines before the first that is none. */
static int read_blanks(struct core_rows *rows, struct pool *pool, struct rows *lines,
                       struct error *error)
{
    struct rows_place before;
    int code = keep_row(rows, pool, lines, error);
    for (before = rows_place(lines); code == 0 && rows_next_said(lines);
         before = rows_place(lines)) {
        rows_cut(lines, 0);
        if (field_id(&lines->fields[0]) < 0) {
            rows_return(lines, before);
            break;
        }
        code = keep_row(rows, pool, lines, error);
    }
    return code;
}

static const char *read_processor(struct pool *pool, const struct rows *lines)
{
    static const char label[] = "CPU: ";
    enum { MOST = 200, LABEL = sizeof label - 1 };
    if (!rows_begins(lines, label))
        return NULL;
    const size_t length = lines->length - LABEL;
    return pool_printf(pool, "%.*s", (int)(length < MOST ? length : MOST), lines->text + LABEL);
}

/* Reads the next table by blanks with what stands above it; no rows where there is none. */
static int find_blanks(struct core_rows *rows, struct pool *pool, struct rows *lines,
                       struct error *error)
{
    while (rows_next_said(lines)) {
        if (rows_speak_of_bandwidth(lines))
            return refuse_bandwidth(lines, error);
        const char *op = operation_in(lines);
        rows->op = op ? op : rows->op;
        rows->model = rows->model ? rows->model : read_processor(pool, lines);
        rows->blanks = is_line_of_ids(lines);
        if (rows->blanks && rows_refuse_large_ids(lines, error) < 0)
            return ERROR_USAGE;
        if (rows->blanks)
            return read_blanks(rows, pool, lines, error);
        rows_unread_but(lines, known);
    }
    return 0;
}

/* --- tables by separators --- */

static int read_separated(struct core_rows *rows, struct pool *pool, struct rows *lines,
                          struct error *error)
{
    const struct rows_place start = rows_place(lines);
    char separator = 0;
    while (!separator && rows_next_said(lines))
        separator = rows_separator(lines);
    rows_return(lines, start);
    int code = 0;
    while (code == 0 && rows_next_said(lines)) {
        rows_cut(lines, separator ? separator : ',');
        code = keep_row(rows, pool, lines, error);
    }
    return code;
}

/* --- from, to, latency --- */

enum { TRIPLE = 3, SQUARE_LINES = 4 };

static bool is_triple(const struct rows *lines)
{
    return lines->count == TRIPLE && field_id(&lines->fields[0]) >= 0 &&
           field_id(&lines->fields[1]) >= 0 && isfinite(field_number(&lines->fields[2]));
}

static bool are_names(const struct rows *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        if (core_cell_is_empty(&lines->fields[i]) || field_begins_number(&lines->fields[i]))
            return false;
    return lines->count == TRIPLE;
}

/* Rows of two ids and a number. Without their names above there are not as many as a square has. */
static int read_triples(struct core_rows *rows, struct pool *pool, struct rows *lines,
                        struct error *error)
{
    bool named = false, fits = true;
    struct core_rows found = {.triples = true};
    int code = 0;
    while (fits && code == 0 && rows_next_said(lines)) {
        rows_split(lines);
        if (found.count == 0 && !named && are_names(lines)) {
            named = true;
            found.cycles = rows_speak_of_cycles(lines);
            if (rows_speak_of_bandwidth(lines))
                code = refuse_bandwidth(lines, error);
            continue;
        }
        fits = is_triple(lines);
        if (fits)
            code = keep_row(&found, pool, lines, error);
        else if (named && lines->count == TRIPLE && is_id(&lines->fields[0]) &&
                 is_id(&lines->fields[1]))
            code = rows_refuse_large_ids(lines, error);
    }
    if (code == 0 && fits && (named ? found.count > 0 : found.count > SQUARE_LINES))
        *rows = found;
    return code;
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
    static const char *const cores[] = {"from", "From", "core",  "Core",  "cpu",
                                        "CPU",  "src",  "hread", "writer"};
    const struct rows_place start = rows_place(lines);
    bool named = false;
    if (rows_next_said(lines) && rows_split(lines) == TRIPLE && are_names(lines))
        for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
            named = named || rows_behind(lines, cores[i]);
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

int core_rows_read(struct core_rows *rows, struct pool *pool, struct rows *lines,
                   struct error *error)
{
    const bool first = lines->number == 0;
    const struct rows_place start = rows_place(lines);
    *rows = (struct core_rows){0};
    int code = first ? read_triples(rows, pool, lines, error) : 0;
    if (code < 0 || rows->triples)
        return code;
    rows_return(lines, start);
    code = find_blanks(rows, pool, lines, error);
    if (code == 0 && first && !rows->blanks) {
        rows_return(lines, start);
        lines->source->unread = 0; /* they were no table by blanks, and are read now */
        code = read_separated(rows, pool, lines, error);
    }
    return code;
}
