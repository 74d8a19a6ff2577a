/*
 * ramlat and tinymembench, alone or in the output of sbc-bench:
 *
 * - ramlat: "Executing ramlat on cpu0 (Cortex-A53), results in ns:", a line "size: 1x32 2x32 ...
 *   1xPTR 2xPTR" and rows like "4k: 2.671 2.705 ..." in ns. 1xPTR is one chain of pointers, like
 *   fathom's curve; the other columns load 32 or 64 bits, or follow several chains at once.
 * - tinymembench: "C copy : 1409.6 MB/s (2)" in 10^6 bytes, with copied bytes counted once; and
 *   "65536 : 4.6 ns / 7.7 ns" below a line "block size : single random read / dual random read".
 *   These are times in addition to the first cache's and so no latencies: they go to a separate
 *   probe.
 *
 * A factor "on" distinguishes tables of several CPUs.
 */
#include "speak/import/reading.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS_MOST = 16, NAME_BYTES = 64 };

struct sbc_bench {
    enum { NOWHERE, RAMLAT, BLOCKS } table;
    char columns[COLUMNS_MOST][NAME_BYTES]; /* of ramlat's table */
    size_t column_count;
    char cpu[NAME_BYTES];   /* "cpu0 (Cortex-A53)"; "": unknown, or the only one */
    char pages[NAME_BYTES]; /* "MADV_HUGEPAGE"; "": unknown */
    bool several;           /* the report names several CPUs */
};

/* --- ramlat --- */

/* Reads "  4k: 2.671 2.705". */
static void read_sizes(struct reading *reading)
{
    const struct sbc_bench *bench = reading->state;
    struct rows *rows = &reading->rows;
    if (rows_cut(rows, 0) != bench->column_count)
        rows_refuse(rows, "the line above names %zu columns: give as many in each row",
                    bench->column_count);
    struct field size = rows->fields[0];
    size.length -= size.text[size.length - 1] == ':';
    const double bytes = field_size(&size, 1);
    if (!(bytes > 0))
        rows_refuse(rows, "'%.*s' is no size like 128k", (int)size.length, size.text);
    for (size_t i = 1; i < rows->count; i++) {
        const bool plain = strcmp(bench->columns[i], "1xPTR") == 0;
        struct table_kind kind = {.title = "ramlat: latency by working-set size",
                                  .headline = plain};
        kind_add_text(&kind, "loads", plain ? NULL : bench->columns[i]);
        kind_add_text(&kind, "on", bench->cpu);
        tables_add_latency(&reading->tables, kind, bytes,
                           rows_positive(rows, &rows->fields[i], "latency"), NAN);
    }
}

/* --- tinymembench --- */

/* Reads "65536 : 4.6 ns / 7.7 ns". */
static void read_block(struct reading *reading)
{
    static const struct series model = {
        .name = "beyond L1", .x = {"working set", "B"}, .y = {"latency beyond L1", "ns"}};
    static const char *const reads[] = {"single", "dual"};
    const struct sbc_bench *bench = reading->state;
    struct rows *rows = &reading->rows;
    const double bytes = rows_cut(rows, 0) == 7 ? field_number(&rows->fields[0]) : NAN;
    for (size_t i = 0; i < 2; i++) {
        struct table_kind kind = {.probe = "tinymembench",
                                  .title =
                                      "tinymembench: what a random read takes beyond one of L1",
                                  .series = &model,
                                  .factors = {{"reads", reads[i], NAN}}};
        const double ns = bytes > 0 ? field_number(&rows->fields[2 + 3 * i]) : NAN;
        if (!(ns >= 0) || !field_is(&rows->fields[3 + 3 * i], "ns"))
            rows_refuse(rows,
                        "tinymembench prints a size and two times here, like 65536 : 4.6 ns / "
                        "7.7 ns");
        kind_add_text(&kind, "pages", bench->pages);
        kind_add_text(&kind, "on", bench->cpu);
        tables_add_point(&reading->tables, &kind, bytes, ns);
    }
}

/* The kernel that a test's name names; NULL: none. */
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
    while (text && text < end && isblank((unsigned char)*text))
        text++;
    return text && text < end && isdigit((unsigned char)*text) && rows_behind(rows, "MB/s");
}

/* Reads " C copy backwards : 1495.6 MB/s (3, 5.2%)". */
static void read_rate(struct reading *reading)
{
    const struct sbc_bench *bench = reading->state;
    struct rows *rows = &reading->rows;
    char test[NAME_BYTES];
    rows_cut(rows, ':');
    field_copy(&rows->fields[0], test, sizeof test);
    const double rate = rows_number_behind(rows, ":");
    const char *name = kernel_of(test);
    if (!(rate > 0))
        rows_refuse(rows, "tinymembench prints a positive rate here, like C copy : 1409.6 MB/s");
    if (!name) {
        rows_unread(rows);
        return;
    }
    struct table_kind kind = {.probe = "bandwidth",
                              .title = "tinymembench, imported",
                              .finding = name,
                              .unit = "B/s",
                              .factors = {{"test", test, NAN}}};
    kind_add_text(&kind, "counted", strcmp(name, "bandwidth.copy.1") == 0 ? "once" : NULL);
    kind_add_text(&kind, "on", bench->cpu);
    tables_add_value(&reading->tables, &kind, rate * 1e6);
}

/* --- all of it --- */

/* The CPU of "Executing ramlat on cpu4 (Cortex-A76), results in ns:"; "": none is named. */
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

static void begin_sbc_bench(struct reading *reading)
{
    struct sbc_bench *bench = reading->state;
    bench->several = has_several_cpus(reading->text);
}

static void read_line(struct reading *reading)
{
    struct sbc_bench *bench = reading->state;
    struct rows *rows = &reading->rows;
    if (!rows->length)
        return;
    const bool digit = isdigit((unsigned char)*rows->text);
    if (names_cpu(rows)) {
        bench->table = NOWHERE;
        if (bench->several)
            read_cpu(rows, bench->cpu);
    } else if (rows_begins(rows, "size:")) {
        const size_t fields = rows_cut(rows, 0);
        if (fields < 2 || fields > COLUMNS_MOST)
            rows_refuse(rows, "ramlat names from 1 to %d columns here", COLUMNS_MOST - 1);
        for (size_t i = 1; i < fields; i++)
            field_copy(&rows->fields[i], bench->columns[i], NAME_BYTES);
        bench->column_count = fields;
        bench->table = RAMLAT;
    } else if (rows_begins(rows, "block size :")) {
        bench->table = BLOCKS;
        rows_between(rows, "[", "]", bench->pages, NAME_BYTES);
    } else if (is_rate(rows)) {
        read_rate(reading);
    } else if (bench->table != NOWHERE && digit) {
        (bench->table == RAMLAT ? read_sizes : read_block)(reading);
    } else {
        if (!rows_begins(rows, "==") && !rows_begins(rows, "tinymembench"))
            rows_unread(rows);
        if (!digit)
            bench->table = NOWHERE;
    }
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
    .state_bytes = sizeof(struct sbc_bench),
    .recognise = recognise,
    .begin = begin_sbc_bench,
    .line = read_line,
    .statistic = "the best of its passes",
    .nothing = "holds no table of ramlat's or tinymembench's",
};
