/*
 * A latency curve as a table: size and latency, and where there is a third column the same latency
 * in the other unit (cycles beside ns, or ns beside cycles). Columns stand apart by commas,
 * semicolons, tabs or spaces; empty lines and those that begin with # are skipped, and so is a
 * first line of names. Sizes may come in any order and repeat: repeats are trials of one point.
 */
#include "base/units.h"
#include "import/curves.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { LINE_BYTES = 256, COLUMNS_MOST = 3 };

struct place {
    const char *file;
    size_t line;
};

/* Cuts a line at its separators; how many fields there are, of which at most COLUMNS_MOST + 1 are
 * told. Quotes around a field go. */
static size_t split(char *line, char *fields[COLUMNS_MOST + 1])
{
    static const char *const separators = ",;\t";
    bool by_space = !strpbrk(line, separators);
    size_t count = 0;
    for (char *cursor = line; cursor && count <= COLUMNS_MOST;) {
        cursor += strspn(cursor, " \"");
        size_t length = strcspn(cursor, by_space ? " " : separators);
        char *next = cursor[length] ? cursor + length + 1 : NULL;
        cursor[length] = '\0';
        while (length && strchr(" \"", cursor[length - 1]))
            cursor[--length] = '\0';
        fields[count++] = cursor;
        cursor = next;
    }
    return count;
}

/* Like "48K", or a number of the unit that was named; 0 where it is neither. */
static double read_size(const char *field, double unit)
{
    uint64_t bytes;
    size_t length = strlen(field);
    double size = 0;
    if (length && isalpha((unsigned char)field[length - 1]))
        size = size_parse(field, &bytes, NULL) == 0 ? (double)bytes : 0;
    else
        size = curve_number(field) * unit;
    return size >= 1 && size <= 0x1p62 ? size : 0;
}

static int read_row(struct curve_rows *rows, char *const *fields, size_t count, double unit,
                    bool cycles_first, const struct place *place, struct error *error)
{
    double latency[COLUMNS_MOST] = {0, NAN, NAN};
    if (count < 2 || count > COLUMNS_MOST)
        return error_set(error, ERROR_USAGE,
                         "%s: line %zu has %s: write size and latency, and nothing else or the "
                         "same latency in the other unit",
                         place->file, place->line,
                         count < 2 ? "one column" : "more than three columns");
    double bytes = read_size(fields[0], unit);
    if (bytes == 0)
        return error_set(error, ERROR_USAGE,
                         "%s: line %zu: size '%s' is none: write a positive number, or one like "
                         "48K; --size-unit says what a plain number counts",
                         place->file, place->line, fields[0]);
    for (size_t i = 1; i < count; i++) {
        latency[i] = curve_number(fields[i]);
        if (latency[i] == 0)
            return error_set(error, ERROR_USAGE,
                             "%s: line %zu: latency '%s' is none: write a positive number, or "
                             "leave the line out",
                             place->file, place->line, fields[i]);
    }
    struct curve_row row = {bytes, latency[1], latency[2]};
    if (cycles_first)
        row = (struct curve_row){bytes, latency[2], latency[1]};
    return curve_rows_add(rows, row, error);
}

static bool is_header(char *const *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strspn(fields[i], "0123456789.+-") > 0)
            return false;
    return count >= 2;
}

static int read_rows(const struct import_text *text, const struct settings *settings,
                     struct curve_rows *rows, struct error *error)
{
    const char *cursor = text->text;
    const double unit = exp2(10 * settings_choice(settings, "size-unit"));
    const bool cycles_first = settings_choice(settings, "unit") == 1;
    char line[LINE_BYTES], *fields[COLUMNS_MOST + 1];
    struct place place = {text->file, 0};
    size_t columns = 0;
    bool first = true, whole;
    while (curve_line(&cursor, line, sizeof line, &whole)) {
        place.line++;
        char *begin = line + strspn(line, " ");
        if (!*begin || *begin == '#')
            continue;
        if (!whole)
            return curve_line_refuse(error, place.file, place.line, sizeof line);
        size_t count = split(begin, fields);
        bool header = first && is_header(fields, count);
        first = false;
        if (header)
            continue;
        if (columns && count != columns)
            return error_set(error, ERROR_USAGE,
                             "%s: line %zu: write %zu columns as in the lines before, not %zu",
                             place.file, place.line, columns, count);
        int code = read_row(rows, fields, count, unit, cycles_first, &place, error);
        if (code < 0)
            return code;
        columns = count;
    }
    if (rows->count)
        return 0;
    return error_set(error, ERROR_USAGE, "%s: holds no line of size and latency", text->file);
}

static int read_curve(const struct import_text *text, const struct settings *settings,
                      struct document *document, struct error *error)
{
    struct curve_rows rows = {.pool = &document->pool};
    struct series *series = pool_alloc(&document->pool, 1, sizeof *series);
    if (!series)
        return error_out_of_memory(error);
    int code = read_rows(text, settings, &rows, error);
    if (code == 0)
        code = curve_series(series, &rows, error);
    return code == 0
               ? curve_probe(document, "Latency by working-set size, imported", series, 1, 0, error)
               : code;
}

static const char *const options[] = {"unit", "size-unit", NULL};

const struct import_format curve_format = {
    .name = "curve",
    .place = 20,
    .options = options,
    .summary = "a table of size and latency: the levels in it",
    .read = read_curve,
};
