/*
 * `sysbench memory`: below its options ("block size: 1KiB", "operation: write", "scope: global")
 * the rate, "102400.00 MiB transferred (7773.22 MiB/sec)"; before version 1.0 the same in "MB",
 * which are 1048576 bytes too. Blocks are usually of 1 KiB, which a first cache holds: the block is
 * a factor beside each finding, so none is compared with what DRAM gives.
 */
#include "base/units.h"
#include "speak/import/rows.h"
#include "speak/import/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 32 };

struct reading {
    struct rows rows;
    struct tables tables;
    double threads;
    char block[TEXT_BYTES], operation[TEXT_BYTES], scope[TEXT_BYTES], access[TEXT_BYTES];
    struct error *error;
};

/* The last word of a line "  operation: write". */
static void note(struct rows *rows, char text[TEXT_BYTES])
{
    const size_t fields = rows_cut(rows, 0);
    field_copy(&rows->fields[fields - 1], text, TEXT_BYTES);
}

static int read_rate(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    const double rate = rows_number_behind(rows, "transferred (");
    const bool read = strcmp(reading->operation, "read") == 0;
    char name[TEXT_BYTES * 2];
    if (!read && strcmp(reading->operation, "write") != 0)
        return rows_refuse(rows, reading->error,
                           "a rate without 'operation: read' or 'operation: write' above it: give "
                           "all that sysbench printed");
    if (!(rate > 0))
        return rows_refuse(rows, reading->error,
                           "sysbench prints a positive rate in brackets here, like 1024.00 MiB "
                           "transferred (4683.16 MiB/sec)");
    const bool one = !(reading->threads > 1);
    snprintf(name, sizeof name, "bandwidth.%s.%s", reading->operation, one ? "1" : "all");
    struct table_kind kind = {.probe = "bandwidth",
                              .title = "sysbench memory, imported",
                              .finding = name,
                              .unit = "B/s",
                              .factors = {{"block", reading->block, NAN}}};
    size_t count = 1;
    if (*reading->scope)
        kind.factors[count++] = (struct factor){"scope", reading->scope, NAN};
    if (strcmp(reading->access, "rnd") == 0)
        kind.factors[count++] = (struct factor){"order", "random", NAN};
    if (!one)
        kind.factors[count++] = (struct factor){"threads", NULL, reading->threads};
    return tables_add_value(&reading->tables, &kind, rate * 0x1p20);
}

static const char *const known[] = {"sysbench ",
                                    "total size:",
                                    "Total operations",
                                    "Operations performed",
                                    "total time",
                                    "total number",
                                    "min:",
                                    "avg:",
                                    "max:",
                                    "95th",
                                    "sum:",
                                    "events (avg",
                                    "execution time",
                                    "approx.",
                                    "per-request",
                                    "total time taken",
                                    NULL};

static int read_line(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    if (rows_begins(rows, "Number of threads:"))
        reading->threads = rows_number_behind(rows, "Number of threads:");
    else if (rows_begins(rows, "block size:") || rows_begins(rows, "Memory block size:"))
        note(rows, reading->block);
    else if (rows_begins(rows, "operation:"))
        note(rows, reading->operation);
    else if (rows_begins(rows, "Memory operations type:"))
        note(rows, reading->operation);
    else if (rows_begins(rows, "scope:") || rows_begins(rows, "Memory scope type:"))
        note(rows, reading->scope);
    else if (rows_begins(rows, "access mode:"))
        note(rows, reading->access);
    else if (rows_behind(rows, "transferred ("))
        return read_rate(reading);
    else
        rows_unread_but(rows, known);
    return 0;
}

static int read_sysbench(struct import_text *text, const struct settings *settings,
                         struct document *document, struct error *error)
{
    (void)settings;
    struct reading reading = {.threads = NAN, .error = error};
    rows_begin(&reading.rows, text);
    tables_begin(&reading.tables, document, error);
    int code = 0;
    while (code == 0 && rows_next(&reading.rows))
        code = read_line(&reading);
    if (code == 0 && !reading.tables.count)
        code = table_refuse(error, text,
                            "holds no '... transferred (... MiB/sec)' of 'sysbench memory run'");
    return code == 0 ? tables_end(&reading.tables) : code;
}

static enum import_certainty recognise(const struct import_text *text)
{
    return text_holds(text, "MiB transferred (") || text_holds(text, "MB transferred (")
               ? IMPORT_SURE
               : IMPORT_NONE;
}

const struct import_format sysbench_format = {
    .name = "sysbench",
    .place = 70,
    .summary = "what 'sysbench memory' prints: the bandwidth of its blocks",
    .recognise = recognise,
    .read = read_sysbench,
};
