/*
 * A latency curve as a table: size and latency, and where there is a third column the same latency
 * in the other unit (cycles beside ns, or ns beside cycles). Columns stand apart by semicolons,
 * tabs, commas or blanks; empty lines and those that begin with # are skipped. A first line of
 * names may say what the columns are in. Sizes may come in any order and repeat: repeats are trials
 * of one point. A size needs its unit: a suffix, a name above it, or --size-unit; 32 may be 32
 * bytes or 32 KiB, and one of them would be a false capacity.
 */
#include "speak/import/rows.h"
#include "speak/import/tables.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { COLUMNS_MOST = 3 };

struct reading {
    struct rows rows;
    struct tables tables;
    double size_unit; /* of sizes without a suffix; 0: unknown */
    bool cycles_first;
    size_t columns; /* 0: no row yet */
    struct error *error;
};

/* Whether a field of the line of names has the word in it. */
static bool names(const struct field *field, const char *word)
{
    char text[64];
    return strstr(field_copy(field, text, sizeof text), word);
}

/* Whether one of the field's words, runs of letters, is this one, in capitals or not. */
static bool has_word(const struct field *field, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0, end; i < field->length; i = end + 1) {
        for (end = i; end < field->length && isalpha((unsigned char)field->text[end]);)
            end++;
        if (end - i == length && strncasecmp(field->text + i, word, length) == 0)
            return true;
    }
    return false;
}

/* "size_kb", "Size (KiB)", "kbytes"; capitals mark a unit at the end of a word, as in "SizeKB".
 * "Region" heads the sizes in KiB of the tool MemoryLatency (Chips and Cheese). */
static double size_unit_of(const struct field *field)
{
    static const char *const prefixes[] = {"",     "k",    "ki", "kilo", "kibi", "m",   "mi",
                                           "mega", "mebi", "g",  "gi",   "giga", "gibi"};
    static const char *const units[] = {"b", "byte", "bytes"};
    static const char *const capitals[] = {"Byte", "KB", "KiB", "kB", "",   "MB",
                                           "MiB",  "",   "",    "GB", "GiB"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
            char word[16];
            snprintf(word, sizeof word, "%s%s", prefixes[i], units[u]);
            if (has_word(field, word))
                return exp2(10 * (double)((i + 3) / 4));
        }
    for (size_t i = sizeof capitals / sizeof *capitals; i-- > 0;)
        if (*capitals[i] && names(field, capitals[i]))
            return exp2(10 * (double)((i + 3) / 4));
    return has_word(field, "Region") ? 0x1p10 : 0;
}

/* A unit of time that is not read. */
static bool names_other_time(const struct field *field)
{
    static const char *const words[] = {"us",           "usec", "microseconds", "ms",      "msec",
                                        "milliseconds", "s",    "sec",          "seconds", "ps"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(field, words[i]))
            return true;
    return false;
}

static bool is_line_of_names(const struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        if (field_begins_number(&rows->fields[i]))
            return false;
    return rows->count >= 2;
}

/* What the names say that no option said. */
static int read_names(struct reading *reading, const struct settings *settings)
{
    const struct field *latency = &reading->rows.fields[1];
    if (rows_speak_of_bandwidth(&reading->rows))
        return rows_refuse(&reading->rows, reading->error,
                           "this names a bandwidth: give a table of latencies");
    if (names_other_time(latency))
        return rows_refuse(&reading->rows, reading->error,
                           "latencies in ns or cycles are read, and this names another unit: "
                           "convert them");
    if (reading->size_unit == 0)
        reading->size_unit = size_unit_of(&reading->rows.fields[0]);
    if (!settings_given(settings, "unit"))
        reading->cycles_first = names(latency, "ycle") || names(latency, "clk");
    return 0;
}

static int read_row(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    double latency[COLUMNS_MOST] = {0, NAN, NAN};
    if (rows->count < 2 || rows->count > COLUMNS_MOST)
        return rows_refuse(rows, reading->error,
                           "has %s: write size and latency, and nothing else or the same latency "
                           "in the other unit",
                           rows->count < 2 ? "one column" : "more than three columns");
    const struct field *size = &rows->fields[0];
    if (!field_has_unit(size) && reading->size_unit == 0 && field_number(size) > 0)
        return rows_refuse(rows, reading->error,
                           "size '%.*s' has no unit: write 48K, or say by --size-unit B, K, M or G "
                           "what plain numbers count",
                           (int)size->length, size->text);
    const double bytes = field_size(size, reading->size_unit);
    if (bytes == 0)
        return rows_refuse(rows, reading->error,
                           "size '%.*s' is none: write a positive number, or one like 48K; "
                           "--size-unit says what a plain number counts",
                           (int)(size->length < ROWS_SHOWN ? size->length : ROWS_SHOWN),
                           size->text);
    for (size_t i = 1; i < rows->count; i++) {
        int code = rows_positive(rows, &rows->fields[i], "latency", &latency[i], reading->error);
        if (code < 0)
            return code;
    }
    const struct table_kind kind = {.title = "Latency by working-set size, imported"};
    return tables_add_latency(&reading->tables, kind, bytes, latency[reading->cycles_first ? 2 : 1],
                              latency[reading->cycles_first ? 1 : 2]);
}

static int read_curve(struct import_text *text, const struct settings *settings,
                      struct document *document, struct error *error)
{
    struct reading reading = {.cycles_first = settings_choice(settings, "unit") == 1,
                              .error = error};
    if (settings_has(settings, "size-unit"))
        reading.size_unit = exp2(10 * settings_choice(settings, "size-unit"));
    tables_begin(&reading.tables, document, error);
    rows_begin(&reading.rows, text);
    int code = rows_refuse_bandwidth(text, error);
    for (bool first = true; code == 0 && rows_next_said(&reading.rows); first = false) {
        rows_split(&reading.rows);
        if (first && is_line_of_names(&reading.rows)) {
            code = read_names(&reading, settings);
            continue;
        }
        if (reading.columns && reading.rows.count != reading.columns)
            return rows_refuse(&reading.rows, error,
                               "write %zu columns as in the lines before, not %zu", reading.columns,
                               reading.rows.count);
        code = read_row(&reading);
        reading.columns = reading.rows.count;
    }
    if (code == 0 && !reading.tables.count)
        code = table_refuse(error, text, "holds no line of size and latency");
    return code == 0 ? tables_end(&reading.tables) : code;
}

/* Two or three columns of which the first are sizes, at most one line of names above them. */
static enum import_certainty recognise(const struct import_text *source)
{
    struct import_text text = *source;
    struct rows rows;
    size_t lines = 0, columns = 0;
    bool units = false;
    rows_begin(&rows, &text);
    while (rows_next_said(&rows)) {
        rows_split(&rows);
        if (rows_speak_of_bandwidth(&rows))
            return IMPORT_NONE;
        if (!lines && !columns && is_line_of_names(&rows)) {
            columns = rows.count;
            units = size_unit_of(&rows.fields[0]) > 0;
            continue;
        }
        if (rows.count < 2 || rows.count > COLUMNS_MOST || (columns && rows.count != columns) ||
            !(field_size(&rows.fields[0], 1) > 0 || field_number(&rows.fields[0]) > 0) ||
            !(field_number(&rows.fields[1]) > 0))
            return IMPORT_NONE;
        columns = rows.count;
        units = units || field_has_unit(&rows.fields[0]);
        lines++;
    }
    return lines < 2 ? IMPORT_NONE : units ? IMPORT_FORM : IMPORT_SHAPE;
}

static const char *const options[] = {"unit", "size-unit", NULL};

const struct import_format curve_format = {
    .name = "curve",
    .place = 20,
    .options = options,
    .summary = "a table of size and latency: the levels in it",
    .recognise = recognise,
    .read = read_curve,
};
