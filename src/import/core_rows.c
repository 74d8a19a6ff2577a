#include "base/cpulist.h"
#include "findings/clusters.h"
#include "import/core_table.h"

#include <ctype.h>
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

/* The lines of a table by blanks: those after its ids that begin with a number. */
static int read_blanks(struct core_rows *rows, struct pool *pool, const char *cursor, size_t line,
                       const struct import_text *text, struct error *error)
{
    const char *begin, *end;
    for (bool ended = false; next_line(&cursor, &begin, &end); line++) {
        struct core_row row = {.line = line};
        if (!says_something(begin, end))
            continue;
        if (ended && is_line_of_ids(pool, begin, end, cursor))
            return error_set(error, ERROR_USAGE,
                             "%s: line %zu begins a second table: give one at a time", text->file,
                             line);
        if (cut(&row, pool, begin, end, 0) < 0)
            return error_set(error, ERROR_SYSTEM, "%s: out of memory", text->file);
        if (row.count > CELLS_MAX)
            return error_set(error, ERROR_USAGE,
                             "%s: line %zu has more than %d columns: give a smaller table",
                             text->file, line, CELLS_MAX);
        ended = ended || (rows->count && core_cell_id(&row.cells[0]) < 0);
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

int core_rows_read(struct core_rows *rows, struct pool *pool, const struct import_text *text,
                   struct error *error)
{
    static const char mark[] = "\xef\xbb\xbf", processor[] = "CPU: ";
    const char *start = text->text, *begin, *end;
    *rows = (struct core_rows){0};
    if (strncmp(start, mark, sizeof mark - 1) == 0)
        start += sizeof mark - 1;
    size_t line = 1;
    for (const char *cursor = start; next_line(&cursor, &begin, &end); line++) {
        if (strncmp(begin, processor, sizeof processor - 1) == 0 && !rows->model) {
            begin += sizeof processor - 1;
            while (end > begin && is_blank(end[-1]))
                end--;
            rows->model =
                pool_printf(pool, "%.*s", (int)(end - begin < 200 ? end - begin : 200), begin);
        } else if (says_something(begin, end) && is_line_of_ids(pool, begin, end, cursor)) {
            rows->blanks = true;
            return read_blanks(rows, pool, begin, line, text, error);
        }
    }
    return read_separated(rows, pool, start, text, error);
}
