#include "base/cpulist.h"
#include "base/units.h"
#include "findings/clusters.h"
#include "import/core_table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { CELLS_MAX = CLUSTERS_CPUS_MAX + 1 };

bool core_cell_is_empty(const struct core_cell *cell)
{
    static const char *const marks[] = {"-", "x", "X", "nan", "NaN", "NAN", "N/A"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strlen(marks[i]) == cell->length && memcmp(marks[i], cell->text, cell->length) == 0)
            return true;
    return cell->length == 0;
}

int core_cell_id(const struct core_cell *cell)
{
    int id = 0;
    for (size_t i = 0; i < cell->length; i++) {
        if (!isdigit((unsigned char)cell->text[i]))
            return -1;
        id = id * 10 + (cell->text[i] - '0');
        if (id > CPU_ID_MAX)
            return -1;
    }
    return cell->length ? id : -1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\r';
}

/* Characters of UTF-8 before `end`. */
static size_t characters(const char *text, const char *end)
{
    size_t count = 0;
    for (; text < end; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static int add_cell(struct core_row *row, struct pool *pool, const char *line, const char *begin,
                    const char *end)
{
    while (begin < end && (is_blank(*begin) || *begin == '"'))
        begin++;
    while (end > begin && (is_blank(end[-1]) || end[-1] == '"'))
        end--;
    void *cells = row->cells;
    struct core_cell *cell = pool_append(pool, &cells, &row->count, sizeof *cell);
    if (!cell)
        return ERROR_SYSTEM;
    row->cells = cells;
    *cell = (struct core_cell){begin, (size_t)(end - begin), characters(line, begin),
                               characters(line, end)};
    return 0;
}

/* Cuts [line, end) at each separator, or at blanks where that is 0. */
static int cut(struct core_row *row, struct pool *pool, const char *line, const char *end,
               char separator)
{
    int code = 0;
    *row = (struct core_row){.line = row->line};
    for (const char *cursor = line; cursor <= end && code == 0 && row->count <= CELLS_MAX;) {
        const char *begin = cursor;
        while (!separator && begin < end && is_blank(*begin))
            begin++;
        if (!separator && begin == end)
            break;
        cursor = begin;
        while (cursor < end && (separator ? *cursor != separator : !is_blank(*cursor)))
            cursor++;
        code = add_cell(row, pool, line, begin, cursor);
        cursor++;
    }
    return code;
}

/* Passes over a line; false at the end of the text. */
static bool next_line(const char **cursor, const char **begin, const char **end)
{
    if (!**cursor)
        return false;
    *begin = *cursor;
    size_t length = strcspn(*cursor, "\n");
    *end = *begin + length;
    *cursor = **end ? *end + 1 : *end;
    return true;
}

/* Whether there is something between the two that is no remark. */
static bool says_something(const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin))
        begin++;
    return begin < end && *begin != '#';
}

static bool line_holds(const char *begin, const char *end, const char *words)
{
    size_t length = strlen(words);
    for (; begin + length <= end; begin++)
        if (memcmp(begin, words, length) == 0)
            return true;
    return false;
}

/* Between two of something as between cores, and no time at all. */
static bool is_about_bandwidth(const char *begin, const char *end)
{
    static const char *const units[] = {"GB/s", "MB/s", "GiB/s", "MiB/s", "Gbit/s", "Mbit/s"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (line_holds(begin, end, units[i]))
            return true;
    return false;
}

static char separator_of(const char *begin, const char *end)
{
    static const char separators[] = {';', '\t', ','};
    for (size_t i = 0; i < sizeof separators; i++)
        if (memchr(begin, separators[i], (size_t)(end - begin)))
            return separators[i];
    return 0;
}

static bool all_ids(const struct core_row *row, size_t first)
{
    for (size_t i = first; i < row->count; i++)
        if (core_cell_id(&row->cells[i]) < 0)
            return false;
    return row->count >= first + 2;
}

/* "0 1 2" or "CPU 0 1 2", and not a row of numbers: the line after it begins with an id. */
static bool is_line_of_ids(struct pool *pool, const char *begin, const char *end, const char *rest)
{
    struct core_row row = {0}, next = {0};
    if (separator_of(begin, end) || cut(&row, pool, begin, end, 0) < 0 || row.count < 2)
        return false;
    if (!all_ids(&row, core_cell_id(&row.cells[0]) < 0))
        return false;
    while (next_line(&rest, &begin, &end))
        if (says_something(begin, end))
            return !separator_of(begin, end) && cut(&next, pool, begin, end, 0) == 0 &&
                   core_cell_id(&next.cells[0]) >= 0;
    return false;
}

/* What a line above a table says was measured; NULL where it says nothing of it. */
static const char *operation_in(const char *begin, const char *end)
{
    static const struct {
        const char *words, *op;
    } operations[] = {
        {"CAS latency on a single shared cache line", "cas"},
        {"Single-writer single-reader latency on two shared cache lines", "readwrite"},
        {"Message passing", "message"},
    };
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (line_holds(begin, end, operations[i].words))
            return operations[i].op;
    return NULL;
}

/* The lines of a table by blanks: those after its ids that begin with a number. What follows is
 * passed over up to what may belong to another table. */
static int read_blanks(struct core_rows *rows, struct pool *pool, struct core_cursor *cursor,
                       const struct import_text *text, struct error *error)
{
    const char *begin, *end;
    const char *next = cursor->text;
    for (bool ended = false; next_line(&next, &begin, &end); cursor->line++, cursor->text = next) {
        struct core_row row = {.line = cursor->line};
        if (!says_something(begin, end))
            continue;
        if (ended && (operation_in(begin, end) || is_line_of_ids(pool, begin, end, next)))
            return 0;
        if (ended)
            continue;
        if (cut(&row, pool, begin, end, 0) < 0)
            return error_set(error, ERROR_SYSTEM, "%s: out of memory", text->file);
        if (row.count > CELLS_MAX)
            return error_set(error, ERROR_USAGE,
                             "%s: line %zu has more than %d columns: give a smaller table",
                             text->file, cursor->line, CELLS_MAX);
        ended = rows->count && core_cell_id(&row.cells[0]) < 0;
        if (ended && operation_in(begin, end))
            return 0;
        void *list = rows->list;
        struct core_row *kept = ended ? &row : pool_append(pool, &list, &rows->count, sizeof *kept);
        if (!kept)
            return error_set(error, ERROR_SYSTEM, "%s: out of memory", text->file);
        rows->list = list;
        *kept = row;
    }
    return 0;
}

static int read_separated(struct core_rows *rows, struct pool *pool, const char *cursor,
                          const struct import_text *text, struct error *error)
{
    const char *begin, *end, *first = cursor;
    char separator = 0;
    while (!separator && next_line(&first, &begin, &end))
        separator = says_something(begin, end) ? separator_of(begin, end) : 0;
    separator = separator ? separator : ',';
    for (size_t line = 1; next_line(&cursor, &begin, &end); line++) {
        if (!says_something(begin, end))
            continue;
        void *list = rows->list;
        struct core_row *row = pool_append(pool, &list, &rows->count, sizeof *row);
        if (row)
            *row = (struct core_row){.line = line};
        if (!row || cut(row, pool, begin, end, separator) < 0)
            return error_set(error, ERROR_SYSTEM, "%s: out of memory", text->file);
        rows->list = list;
        if (row->count > CELLS_MAX)
            return error_set(error, ERROR_USAGE,
                             "%s: line %zu has more than %d columns: give a smaller table",
                             text->file, line, CELLS_MAX);
    }
    return 0;
}

/* --- from, to, latency --- */

enum { TRIPLE = 3, SQUARE_LINES = 4 };

static bool is_triple(const struct core_row *row)
{
    double value;
    char text[64];
    if (row->count != TRIPLE || core_cell_id(&row->cells[0]) < 0 ||
        core_cell_id(&row->cells[1]) < 0)
        return false;
    snprintf(text, sizeof text, "%.*s",
             (int)(row->cells[2].length < 63 ? row->cells[2].length : 63), row->cells[2].text);
    return number_parse(text, &value, NULL) == 0;
}

static bool are_names(const struct core_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        if (core_cell_is_empty(&row->cells[i]) || strspn(row->cells[i].text, "0123456789.+-"))
            return false;
    return row->count == TRIPLE;
}

/* Rows of two ids and a number. Without their names above, so many that they are no square. */
static int read_triples(struct core_rows *rows, struct pool *pool, const struct core_cursor *cursor)
{
    const char *begin, *end, *next = cursor->text;
    size_t line = cursor->line;
    bool named = false, fits = true;
    struct core_rows found = {.triples = true};
    for (; fits && next_line(&next, &begin, &end); line++) {
        struct core_row row = {.line = line};
        if (!says_something(begin, end))
            continue;
        if (cut(&row, pool, begin, end, separator_of(begin, end)) < 0)
            return ERROR_SYSTEM;
        if (found.count == 0 && !named && are_names(&row)) {
            named = true;
            found.cycles = line_holds(begin, end, "ycle") || line_holds(begin, end, "clk");
            found.bandwidth = is_about_bandwidth(begin, end);
            continue;
        }
        fits = is_triple(&row);
        void *list = found.list;
        struct core_row *kept = pool_append(pool, &list, &found.count, sizeof *kept);
        if (!kept)
            return ERROR_SYSTEM;
        found.list = list;
        *kept = row;
    }
    if (fits && (named ? found.count > 0 : found.count > SQUARE_LINES))
        *rows = found;
    return 0;
}

/* --- any table --- */

static int refuse_bandwidth(const struct import_text *text, size_t line, struct error *error)
{
    return error_set(error, ERROR_USAGE,
                     "%s: line %zu speaks of bandwidths: give a table of latencies", text->file,
                     line);
}

static const char *read_processor(struct pool *pool, const char *begin, const char *end)
{
    static const char label[] = "CPU: ";
    enum { MOST = 200 };
    if (strncmp(begin, label, sizeof label - 1) != 0)
        return NULL;
    begin += sizeof label - 1;
    while (end > begin && is_blank(end[-1]))
        end--;
    return pool_printf(pool, "%.*s", (int)(end - begin < MOST ? end - begin : MOST), begin);
}

/* Reads the next table by blanks with what stands above it; no rows where there is none. */
static int find_blanks(struct core_rows *rows, struct pool *pool, const struct import_text *text,
                       struct core_cursor *cursor, struct error *error)
{
    const char *begin, *end;
    for (const char *next = cursor->text; next_line(&next, &begin, &end);
         cursor->line++, cursor->text = next) {
        if (!says_something(begin, end))
            continue;
        if (is_about_bandwidth(begin, end))
            return refuse_bandwidth(text, cursor->line, error);
        const char *op = operation_in(begin, end);
        rows->op = op ? op : rows->op;
        rows->model = rows->model ? rows->model : read_processor(pool, begin, end);
        rows->blanks = is_line_of_ids(pool, begin, end, next);
        if (rows->blanks)
            return read_blanks(rows, pool, cursor, text, error);
    }
    return 0;
}

int core_rows_read(struct core_rows *rows, struct pool *pool, const struct import_text *text,
                   struct core_cursor *cursor, struct error *error)
{
    static const char mark[] = "\xef\xbb\xbf";
    bool first = cursor->text == text->text;
    *rows = (struct core_rows){0};
    if (first && strncmp(cursor->text, mark, sizeof mark - 1) == 0)
        cursor->text += sizeof mark - 1;
    struct core_cursor start = *cursor;
    if (first && read_triples(rows, pool, &start) < 0)
        return error_set(error, ERROR_SYSTEM, "%s: out of memory", text->file);
    if (rows->triples && rows->bandwidth)
        return refuse_bandwidth(text, start.line, error);
    int code = rows->triples ? 0 : find_blanks(rows, pool, text, cursor, error);
    if (code == 0 && first && !rows->triples && !rows->blanks)
        code = read_separated(rows, pool, start.text, text, error);
    /* Only tables by blanks may follow one another. */
    if (!rows->blanks)
        cursor->text += strlen(cursor->text);
    return code;
}
