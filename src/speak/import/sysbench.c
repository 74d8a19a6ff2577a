/*
 * `sysbench memory`: below its options ("block size: 1KiB", "operation: write", "scope: global")
 * the rate, "102400.00 MiB transferred (7773.22 MiB/sec)"; before version 1.0 the same in "MB",
 * which are 1048576 bytes too. The usual block of 1 KiB fits into a first cache; the block is a
 * factor of each finding, so that none is compared with DRAM. Runs of the same kind are trials, but
 * runs with different named CPUs are distinguished.
 */
#include "speak/import/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 32 };

struct sysbench {
    double threads; /* 0: unknown */
    char block[TEXT_BYTES], operation[TEXT_BYTES], scope[TEXT_BYTES], access[TEXT_BYTES];
    char cpu[ROWS_CPU]; /* "": none is named */
    bool done;          /* a rate followed the CPU's name */
};

static void read_rate(struct reading *reading)
{
    struct sysbench *sysbench = reading->state;
    struct rows *rows = &reading->rows;
    const double rate = rows_number_behind(rows, "transferred (");
    const bool read = strcmp(sysbench->operation, "read") == 0, one = !(sysbench->threads > 1);
    char name[TEXT_BYTES * 2];
    if (!read && strcmp(sysbench->operation, "write") != 0)
        rows_refuse(rows,
                    "a rate without 'operation: read' or 'operation: write' above it: give all "
                    "that sysbench printed");
    if (!(rate > 0))
        rows_refuse(rows, "sysbench prints a positive rate in brackets here, like 1024.00 MiB "
                          "transferred (4683.16 MiB/sec)");
    snprintf(name, sizeof name, "bandwidth.%s.%s", sysbench->operation, one ? "1" : "all");
    struct table_kind kind = {.probe = "bandwidth",
                              .title = "sysbench memory, imported",
                              .finding = name,
                              .unit = "B/s",
                              .factors = {{"block", sysbench->block, NAN}}};
    kind_add_text(&kind, "scope", sysbench->scope);
    kind_add_text(&kind, "order", strcmp(sysbench->access, "rnd") == 0 ? "random" : NULL);
    kind_add_number(&kind, "threads", one ? 0 : sysbench->threads);
    kind_add_text(&kind, "on", sysbench->cpu);
    tables_add_value(&reading->tables, &kind, rate * 0x1p20);
    sysbench->done = true;
}

static const char known[] =
    "sysbench |total size:|Total operations|Operations performed|total time|total number|"
    "min:|avg:|max:|95th|sum:|events (avg|execution time|approx.|per-request|"
    "total time taken";

static void read_line(struct reading *reading)
{
    struct sysbench *sysbench = reading->state;
    struct rows *rows = &reading->rows;
    const struct {
        const char *label;
        char *text; /* filled with the last word of the line */
    } notes[] = {
        {"block size:", sysbench->block},    {"Memory block size:", sysbench->block},
        {"operation:", sysbench->operation}, {"Memory operations type:", sysbench->operation},
        {"scope:", sysbench->scope},         {"Memory scope type:", sysbench->scope},
        {"access mode:", sysbench->access}};
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (rows_begins(rows, notes[i].label)) {
            field_copy(&rows->fields[rows_cut(rows, 0) - 1], notes[i].text, TEXT_BYTES);
            return;
        }
    /* The name of a CPU holds for one run. */
    if (rows_begins(rows, "sysbench ") && sysbench->done)
        sysbench->cpu[0] = '\0';
    if (rows_begins(rows, "Number of threads:"))
        sysbench->threads = rows_number_behind(rows, "Number of threads:");
    else if (rows_behind(rows, "transferred ("))
        read_rate(reading);
    else if (rows_name_cpu(rows, sysbench->cpu))
        sysbench->done = false;
    else
        rows_unread_but(rows, known);
}

static const char *const marks[] = {"MiB transferred (", "MB transferred (", NULL};

const struct import_format sysbench_format = {
    .name = "sysbench",
    .place = 70,
    .summary = "what 'sysbench memory' prints: the bandwidth of its blocks",
    .state_bytes = sizeof(struct sysbench),
    .marks = marks,
    .line = read_line,
    .statistic = "the mean of its run",
    .nothing = "holds no '... transferred (... MiB/sec)' of 'sysbench memory run'",
};
