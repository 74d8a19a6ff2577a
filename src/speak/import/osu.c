/*
 * The OSU micro-benchmarks: "# OSU MPI Latency Test v7.5", a line "# Size  Avg Latency(us)" and
 * rows of a message's size and a value. Latencies in us are between two processes, through MPI, and
 * rates in MB/s count 10^6 bytes: neither is a machine's alone, so they keep a probe of their own,
 * with the test's name beside them. Of further columns (least, most, iterations) nothing is read. A
 * test without sizes, like a barrier's, has one row of one value.
 */
#include "speak/import/rows.h"
#include "speak/import/tables.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 64 };

struct reading {
    struct rows rows;
    struct tables tables;
    char test[NAME_BYTES]; /* "MPI Latency"; "" before the first */
    bool sizes;            /* the first column is a size */
    enum { UNKNOWN, LATENCY, RATE } measure;
    struct error *error;
};

/* "# OSU MPI-CUDA Bandwidth Test v5.8" */
static void read_test(struct reading *reading)
{
    const struct rows *rows = &reading->rows;
    const char *begin = rows_behind(rows, "OSU "), *end = rows_behind(rows, " Test");
    reading->test[0] = '\0';
    reading->measure = UNKNOWN;
    if (begin && end && end - 5 > begin)
        snprintf(reading->test, NAME_BYTES, "%.*s", (int)(end - 5 - begin), begin);
}

/* Names are set apart by two blanks or more: "Min Latency(us)   Max Latency(us)". */
static void name_columns(const struct rows *rows, const char *from)
{
    const char *end = rows->text + rows->length;
    char *names = rows->source->columns;
    size_t length = 0;
    for (; from < end && length + 3 < sizeof rows->source->columns; from++) {
        const bool blank = *from == ' ' || *from == '\t';
        if (!blank)
            names[length++] = *from;
        else if (length && from + 1 < end && from[1] != ' ' && from[1] != '\t')
            length += (size_t)sprintf(names + length, from[-1] == ' ' ? ", " : " ");
    }
    names[length] = '\0';
}

/* "# Size  Bandwidth (MB/s)": the first column behind the size is read. */
static void read_columns(struct reading *reading)
{
    const struct rows *rows = &reading->rows;
    const bool us = rows_behind(rows, "(us)"), rate = rows_behind(rows, "MB/s");
    if (!us && !rate)
        return;
    reading->sizes = rows_behind(rows, "Size");
    reading->measure = rate ? RATE : LATENCY;
    const char *further = rows_behind(rows, us ? "(us)" : "MB/s");
    if (further)
        name_columns(rows, further + strspn(further, ")"));
}

static int read_row(struct reading *reading)
{
    static const struct series latency = {.name = "message latency",
                                          .x = {"message size", "B"},
                                          .y = {"latency", "ns"}},
                               rate = {.name = "message bandwidth",
                                       .x = {"message size", "B"},
                                       .y = {"bandwidth", "B/s"}};
    struct rows *rows = &reading->rows;
    const size_t fields = rows_cut(rows, 0), column = reading->sizes ? 1 : 0;
    if (!*reading->test || reading->measure == UNKNOWN)
        return rows_refuse(rows, reading->error,
                           "numbers before the lines '# OSU ... Test' and '# Size ...' that say "
                           "what they are");
    const double size = reading->sizes ? field_number(&rows->fields[0]) : 0;
    const double value = fields > column ? field_number(&rows->fields[column]) : NAN;
    if (!(size >= 0) || !(value >= 0))
        return rows_refuse(rows, reading->error,
                           "the test prints a message's size and a value here, like 1024   %s",
                           reading->measure == RATE ? "1893.21" : "1.42");
    const bool rates = reading->measure == RATE;
    const struct table_kind kind = {.probe = "mpi",
                                    .title = "OSU: between MPI processes, imported",
                                    .series = rates ? &rate : &latency,
                                    .headline = true,
                                    .factors = {{"test", reading->test, NAN}}};
    return tables_add(
        &reading->tables, &kind,
        (struct table_number){.x = size, .value = value * (rates ? 1e6 : 1e3), .cycles = NAN});
}

static int read_osu(struct import_text *text, const struct settings *settings,
                    struct document *document, struct error *error)
{
    (void)settings;
    struct reading reading = {.error = error};
    int code = 0;
    rows_begin(&reading.rows, text);
    tables_begin(&reading.tables, document, error);
    while (code == 0 && rows_next(&reading.rows)) {
        const struct rows *rows = &reading.rows;
        if (rows_begins(rows, "# OSU ") || rows_begins(rows, "#OSU "))
            read_test(&reading);
        else if (rows->length && *rows->text == '#')
            read_columns(&reading);
        else if (*reading.test && rows->length && isdigit((unsigned char)*rows->text))
            code = read_row(&reading);
        else
            rows_unread(rows);
    }
    if (code == 0 && !reading.tables.count)
        code = table_refuse(error, text, "holds no row below a line '# OSU ... Test'");
    return code == 0 ? tables_end(&reading.tables) : code;
}

static enum import_certainty recognise(const struct import_text *text)
{
    return text_has_line(text, "# OSU ") ? IMPORT_SURE : IMPORT_NONE;
}

const struct import_format osu_format = {
    .name = "osu",
    .place = 70,
    .summary = "the OSU micro-benchmarks: latency and bandwidth between MPI processes",
    .recognise = recognise,
    .read = read_osu,
};
