/*
 * `perf bench mem`: "# Running 'mem/memcpy' benchmark:", then for each function of it "# function
 * 'default' (...)", "# Copying 1MB bytes ..." and "11.625744 GB/sec", of 1024^3 bytes. Bytes copied
 * count once. perf's other benchmarks measure no memory.
 */
#include "base/units.h"
#include "speak/import/columns.h"
#include "speak/import/reading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 48 };

struct perf {
    char name[TEXT_BYTES], function[TEXT_BYTES], size[TEXT_BYTES];
    size_t waiting; /* the line whose rate follows; 0: none does */
};

/* Copies the text between the words and the character `last`. */
static bool note(const struct rows *rows, const char *words, char last, char text[TEXT_BYTES])
{
    const char *begin = rows_behind(rows, words), *end = rows->text + rows->length;
    size_t length = 0;
    while (begin && begin + length < end && begin[length] != last)
        length++;
    if (begin)
        snprintf(text, TEXT_BYTES, "%.*s", (int)length, begin);
    return begin;
}

/* Notes a test whose rate is missing. */
static void end_test(struct reading *reading)
{
    struct perf *perf = reading->state;
    if (perf->waiting)
        text_note(reading->text, "line %zu is followed by no rate", perf->waiting);
}

static void read_line(struct reading *reading)
{
    struct perf *perf = reading->state;
    struct rows *rows = &reading->rows;
    char size[TEXT_BYTES];
    /* Versions before 3.15 write no quotes. */
    if (note(rows, "# Running 'mem/", '\'', perf->name) ||
        note(rows, "# Running mem/", ' ', perf->name)) {
        perf->function[0] = perf->size[0] = '\0';
        return;
    }
    if (note(rows, "# function '", '\'', perf->function))
        return;
    if (note(rows, "# Copying ", ' ', size) || note(rows, "# Memory set ", ' ', size)) {
        uint64_t bytes = 0;
        end_test(reading);
        perf->waiting = rows->number;
        if (size_parse(size, &bytes, NULL) == 0)
            size_exact_format(bytes, perf->size);
        return;
    }
    const size_t fields = rows_cut(rows, 0);
    const bool set = strcmp(perf->name, "memset") == 0;
    const bool rate = rows_behind(rows, "B/sec") || rows_behind(rows, "B/Sec");
    if (!rate || (!set && strcmp(perf->name, "memcpy") != 0)) {
        rows_unread(rows);
        return;
    }
    if (fields < 2 || column_named(&rows->fields[1]).holds != COLUMN_RATE)
        rows_refuse(rows, "perf prints a rate here, like 11.625744 GB/sec");
    struct table_kind kind = {.probe = "bandwidth",
                              .title = "perf bench mem, imported",
                              .finding = set ? "bandwidth.write.1" : "bandwidth.copy.1",
                              .unit = "B/s"};
    perf->waiting = 0;
    kind_add_text(&kind, "test", perf->function);
    kind_add_text(&kind, "working set", perf->size);
    kind_add_text(&kind, "counted", set ? NULL : "once");
    kind_add_text(&kind, "pages", rows_behind(rows, "(with prefault)") ? "prefaulted" : NULL);
    /* perf's prefixes are binary. */
    const double power = round(log10(column_named(&rows->fields[1]).unit) / 3);
    tables_add_value(&reading->tables, &kind,
                     rows_positive(rows, &rows->fields[0], "the rate") * pow(1024, power));
}

static const char *const marks[] = {"# Running 'mem/", "# Running mem/", NULL};

const struct import_format perf_bench_format = {
    .name = "perf-bench",
    .place = 70,
    .summary = "what 'perf bench mem' prints: bandwidth of memcpy and memset",
    .state_bytes = sizeof(struct perf),
    .marks = marks,
    .line = read_line,
    .end = end_test,
    .statistic = "the mean of its run",
    .nothing = "holds no rate of 'perf bench mem memcpy' or 'memset'",
};
