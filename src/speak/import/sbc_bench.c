/*
 * ramlat and tinymembench, alone or as sbc-bench prints them among others:
 *
 * - ramlat: "Executing ramlat on cpu0 (Cortex-A53), results in ns:", a line "size: 1x32 2x32 ...
 *   1xPTR 2xPTR" and rows like "4k: 2.671 2.705 ..." in ns. 1xPTR is one chain of pointers, which
 * is what fathom's curve is; the others load 32 or 64 bits, or follow several chains at once.
 * - tinymembench: "C copy : 1409.6 MB/s (2)" in 10^6 bytes, a copy's counted once; and "65536 : 4.6
 *   ns / 7.7 ns" below a line "block size : single random read / dual random read", which are
 *   times beyond the first cache's and so no latencies: they keep a probe of their own.
 *
 * A factor "on" tells tables of several CPUs apart.
 */
#include "speak/import/rows.h"
#include "speak/import/tables.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS_MOST = 16, NAME_BYTES = 64 };

struct reading {
    struct rows rows;
    struct tables tables;
    enum { NOWHERE, RAMLAT, BLOCKS } table;
    char columns[COLUMNS_MOST][NAME_BYTES]; /* of ramlat's table */
    size_t column_count;
    char cpu[NAME_BYTES];   /* "cpu0 (Cortex-A53)"; "" unknown, or the only one */
    char pages[NAME_BYTES]; /* "MADV_HUGEPAGE"; "" unknown */
    bool several;           /* the report names several CPUs */
    struct error *error;
};

static void add_cpu(const struct reading *reading, struct table_kind *kind)
{
    size_t count = 0;
    while (kind->factors[count].name)
        count++;
    if (*reading->cpu)
        kind->factors[count] = (struct factor){"on", reading->cpu, NAN};
}

/* --- ramlat --- */

static int read_columns(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    const size_t fields = rows_cut(rows, 0);
    if (fields < 2 || fields > COLUMNS_MOST)
        return rows_refuse(rows, reading->error, "ramlat names from 1 to %d columns here",
                           COLUMNS_MOST - 1);
    for (size_t i = 1; i < fields; i++)
        field_copy(&rows->fields[i], reading->columns[i], NAME_BYTES);
    reading->column_count = fields;
    reading->table = RAMLAT;
    return 0;
}

/* "  4k: 2.671 2.705" */
static int read_sizes(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    if (rows_cut(rows, 0) != reading->column_count)
        return rows_refuse(rows, reading->error,
                           "the line above names %zu columns: give as many in each row",
                           reading->column_count);
    struct field size = rows->fields[0];
    size.length -= size.text[size.length - 1] == ':';
    const double bytes = field_size(&size, 1);
    int code = bytes > 0 ? 0
                         : rows_refuse(rows, reading->error, "'%.*s' is no size like 128k",
                                       (int)size.length, size.text);
    for (size_t i = 1; i < rows->count && code == 0; i++) {
        const bool plain = strcmp(reading->columns[i], "1xPTR") == 0;
        struct table_kind kind = {.title = "ramlat: latency by working-set size",
                                  .headline = plain,
                                  .factors = {{plain ? NULL : "loads", reading->columns[i], NAN}}};
        double ns;
        code = rows_positive(rows, &rows->fields[i], "latency", &ns, reading->error);
        add_cpu(reading, &kind);
        if (code == 0)
            code = tables_add_latency(&reading->tables, kind, bytes, ns, NAN);
    }
    return code;
}

/* --- tinymembench --- */

/* "65536 : 4.6 ns / 7.7 ns" */
static int read_block(struct reading *reading)
{
    static const struct series model = {
        .name = "beyond L1", .x = {"working set", "B"}, .y = {"latency beyond L1", "ns"}};
    static const char *const reads[] = {"single", "dual"};
    struct rows *rows = &reading->rows;
    const size_t fields = rows_cut(rows, 0);
    const double bytes = fields == 7 ? field_number(&rows->fields[0]) : NAN;
    int code = 0;
    for (size_t i = 0; i < 2 && code == 0; i++) {
        struct table_kind kind = {
            .probe = "tinymembench",
            .title = "tinymembench: what a random read takes beyond one of L1",
            .series = &model,
            .factors = {{"reads", reads[i], NAN},
                        {*reading->pages ? "pages" : NULL, reading->pages, NAN}}};
        const double ns = bytes > 0 ? field_number(&rows->fields[2 + 3 * i]) : NAN;
        if (!(ns >= 0) || !field_is(&rows->fields[3 + 3 * i], "ns"))
            return rows_refuse(rows, reading->error,
                               "tinymembench prints a size and two times here, like 65536 : 4.6 ns "
                               "/ 7.7 ns");
        add_cpu(reading, &kind);
        code = tables_add(&reading->tables, &kind,
                          (struct table_number){.x = bytes, .value = ns, .cycles = NAN});
    }
    return code;
}

static void note_blocks(struct reading *reading)
{
    const struct rows *rows = &reading->rows;
    const char *pages = rows_behind(rows, "[");
    const char *end = rows->text + rows->length;
    reading->table = BLOCKS;
    reading->pages[0] = '\0';
    if (pages && end[-1] == ']')
        snprintf(reading->pages, NAME_BYTES, "%.*s", (int)(end - 1 - pages), pages);
}

/* What the name of a test says that it does; NULL where it says nothing of it. */
static const char *kernel_of(const char *test)
{
    static const struct {
        const char *word, *finding;
    } words[] = {{"copy", "bandwidth.copy.1"},  {"memcpy", "bandwidth.copy.1"},
                 {"fill", "bandwidth.write.1"}, {"memset", "bandwidth.write.1"},
                 {"load", "bandwidth.read.1"},  {"scan", "bandwidth.read.1"},
                 {"read", "bandwidth.read.1"},  {"write", "bandwidth.write.1"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(test, words[i].word))
            return words[i].finding;
    return NULL;
}

/* Whether a number in MB/s follows the first colon. */
static bool is_rate(const struct rows *rows)
{
    const char *text = rows_behind(rows, ":"), *end = rows->text + rows->length;
    while (text && text < end && *text == ' ')
        text++;
    return text && text < end && isdigit((unsigned char)*text) && rows_behind(rows, " MB/s");
}

/* " C copy backwards : 1495.6 MB/s (3, 5.2%)" */
static int read_rate(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    char test[NAME_BYTES];
    rows_cut(rows, ':');
    field_copy(&rows->fields[0], test, sizeof test);
    const double rate = rows_number_behind(rows, ":");
    const char *name = kernel_of(test);
    if (!(rate > 0))
        return rows_refuse(rows, reading->error,
                           "tinymembench prints a positive rate here, like C copy : 1409.6 MB/s");
    if (!name)
        return rows_unread(rows), 0;
    const bool copies = strcmp(name, "bandwidth.copy.1") == 0;
    struct table_kind kind = {
        .probe = "bandwidth",
        .title = "tinymembench, imported",
        .finding = name,
        .unit = "B/s",
        .factors = {{"test", test, NAN}, {copies ? "counted" : NULL, "once", NAN}}};
    add_cpu(reading, &kind);
    return tables_add_value(&reading->tables, &kind, rate * 1e6);
}

/* --- all of it --- */

/* "Executing ramlat on cpu4 (Cortex-A76), results in ns:"; "" where none is named. */
static void read_cpu(const struct rows *rows, char cpu[NAME_BYTES])
{
    const char *text = rows_behind(rows, " on cpu"), *end = rows->text + rows->length;
    size_t length = 0;
    cpu[0] = '\0';
    while (text && text + length < end && !strchr(",:", text[length]))
        length++;
    if (text)
        snprintf(cpu, NAME_BYTES, "cpu%.*s", (int)length, text);
}

static bool names_cpu(const struct rows *rows)
{
    return rows_begins(rows, "Executing ramlat on ") ||
           rows_begins(rows, "Executing benchmark on ");
}

/* Tables of one CPU alone need no factor. */
static bool has_several_cpus(struct import_text *text)
{
    struct rows rows;
    char first[NAME_BYTES] = "", cpu[NAME_BYTES];
    rows_begin(&rows, text);
    while (rows_next(&rows))
        if (names_cpu(&rows)) {
            read_cpu(&rows, cpu);
            if (*first && strcmp(first, cpu) != 0)
                return true;
            strcpy(first, cpu);
        }
    return false;
}

static int read_line(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    if (!rows->length)
        return 0;
    if (names_cpu(rows)) {
        reading->table = NOWHERE;
        if (reading->several)
            read_cpu(rows, reading->cpu);
        return 0;
    }
    if (rows_begins(rows, "size:"))
        return read_columns(reading);
    if (rows_begins(rows, "block size :")) {
        note_blocks(reading);
        return 0;
    }
    if (is_rate(rows))
        return read_rate(reading);
    if (reading->table != NOWHERE && isdigit((unsigned char)*rows->text))
        return reading->table == RAMLAT ? read_sizes(reading) : read_block(reading);
    if (!rows_begins(rows, "==") && !rows_begins(rows, "tinymembench"))
        rows_unread(rows);
    if (!isdigit((unsigned char)*rows->text))
        reading->table = NOWHERE;
    return 0;
}

static int read_sbc_bench(struct import_text *text, const struct settings *settings,
                          struct document *document, struct error *error)
{
    (void)settings;
    struct reading reading = {.several = has_several_cpus(text), .error = error};
    rows_begin(&reading.rows, text);
    tables_begin(&reading.tables, document, error);
    int code = 0;
    while (code == 0 && rows_next(&reading.rows))
        code = read_line(&reading);
    if (code == 0 && !reading.tables.count)
        code = table_refuse(error, text, "holds no table of ramlat's or tinymembench's");
    return code == 0 ? tables_end(&reading.tables) : code;
}

static enum import_certainty recognise(const struct import_text *text)
{
    const bool ramlat = text_has_line(text, "size:") && text_holds(text, "1xPTR");
    const bool blocks = text_has_line(text, "block size :") && text_holds(text, "random read");
    return ramlat || blocks || text_has_line(text, "tinymembench v") ? IMPORT_SURE : IMPORT_NONE;
}

const struct import_format sbc_bench_format = {
    .name = "sbc-bench",
    .place = 70,
    .summary = "the tables of ramlat and tinymembench, alone or in what sbc-bench prints",
    .recognise = recognise,
    .read = read_sbc_bench,
};
