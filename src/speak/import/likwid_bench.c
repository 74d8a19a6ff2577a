/*
 * likwid-bench: "Test: copy_avx", "Using 4 threads", "Size (Byte): 2000000000" and "MByte/s:
 * 14479.33", in MB of 10^6 bytes. What it moved depends on the working set, which may lie in a
 * cache, and on the instructions that the test's name says: both stand beside each finding. Tests
 * whose names begin with a kernel that fathom has bear that kernel's name.
 */
#include "base/units.h"
#include "speak/import/rows.h"
#include "speak/import/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 48 };

struct reading {
    struct rows rows;
    struct tables tables;
    char test[NAME_BYTES]; /* "" before the first */
    double threads, bytes; /* NAN: unknown */
    struct error *error;
};

/* A test's kernel; what it is called itself where fathom has none of that kind. likwid's triad has
 * four arrays; what fathom and STREAM call so is its stream. */
static const char *kernel_of(const char *test, char kernel[NAME_BYTES])
{
    static const struct {
        const char *begins, *kernel;
    } kernels[] = {{"load", "read"},     {"clload", "read"},  {"store", "write"},
                   {"clstore", "write"}, {"copy", "copy"},    {"clcopy", "copy"},
                   {"stream", "triad"},  {"triad", "triad4"}, {"update", "update"},
                   {"sum", "read"}};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strncmp(test, kernels[i].begins, strlen(kernels[i].begins)) == 0)
            return kernels[i].kernel;
    snprintf(kernel, NAME_BYTES, "%.*s", (int)strcspn(test, "_."), test);
    return kernel;
}

static int read_rate(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    char kernel[NAME_BYTES], name[2 * NAME_BYTES], size[UNIT_TEXT] = "";
    const double rate = rows_number_behind(rows, "MByte/s:");
    if (!*reading->test)
        return rows_refuse(rows, reading->error,
                           "a rate before the line 'Test: ...' that says what was measured");
    if (!(rate > 0))
        return rows_refuse(rows, reading->error,
                           "likwid-bench prints a positive rate here, like MByte/s: 14479.33");
    if (reading->bytes >= 1)
        size_exact_format((uint64_t)reading->bytes, size);
    const bool one = !(reading->threads > 1);
    snprintf(name, sizeof name, "bandwidth.%s.%s", kernel_of(reading->test, kernel),
             one ? "1" : "all");
    struct table_kind kind = {.probe = "bandwidth",
                              .title = "likwid-bench, imported",
                              .finding = name,
                              .unit = "B/s",
                              .factors = {{"test", reading->test, NAN}}};
    size_t count = 1;
    if (*size)
        kind.factors[count++] = (struct factor){"working set", size, NAN};
    if (!one)
        kind.factors[count++] = (struct factor){"threads", NULL, reading->threads};
    return tables_add_value(&reading->tables, &kind, rate * 1e6);
}

/* Lines that say the same in other words, or what else was counted. */
static const char *const known[] = {"Allocate:",       "Group:",
                                    "Using ",          "Cycles",
                                    "CPU Clock:",      "Cycle Clock:",
                                    "Time:",           "Iterations",
                                    "Inner loop",      "Size per thread",
                                    "Number of Flops", "MFlops/s",
                                    "Data volume",     "Loads per",
                                    "Stores per",      "Load bytes",
                                    "Store bytes",     "Load/store",
                                    "Instructions",    "UOPs",
                                    "Warning",         "Running",
                                    "Sanitizing",      "Vectorlength",
                                    "Initialization",  NULL};

static int read_line(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    if (rows_begins(rows, "Test:") && rows_cut(rows, 0) >= 2) {
        field_copy(&rows->fields[1], reading->test, NAME_BYTES);
        reading->threads = reading->bytes = NAN;
    } else if (rows_begins(rows, "Using ") && rows_behind(rows, " threads")) {
        reading->threads = rows_number_behind(rows, "Using ");
    } else if (rows_begins(rows, "Size (Byte):")) {
        reading->bytes = rows_number_behind(rows, "Size (Byte):");
    } else if (rows_begins(rows, "Size:")) { /* of before version 5 */
        reading->bytes = rows_number_behind(rows, "Size:");
    } else if (rows_begins(rows, "MByte/s:")) {
        return read_rate(reading);
    } else {
        rows_unread_but(rows, known);
    }
    return 0;
}

static int read_likwid_bench(struct import_text *text, const struct settings *settings,
                             struct document *document, struct error *error)
{
    (void)settings;
    struct reading reading = {.threads = NAN, .bytes = NAN, .error = error};
    rows_begin(&reading.rows, text);
    tables_begin(&reading.tables, document, error);
    int code = 0;
    while (code == 0 && rows_next(&reading.rows))
        code = read_line(&reading);
    if (code == 0 && !reading.tables.count)
        code = table_refuse(error, text, "holds no 'MByte/s:' of likwid-bench's");
    return code == 0 ? tables_end(&reading.tables) : code;
}

static enum import_certainty recognise(const struct import_text *text)
{
    return text_has_line(text, "LIKWID MICRO BENCHMARK")                     ? IMPORT_SURE
           : text_has_line(text, "Test:") && text_has_line(text, "MByte/s:") ? IMPORT_FORM
                                                                             : IMPORT_NONE;
}

const struct import_format likwid_bench_format = {
    .name = "likwid-bench",
    .place = 70,
    .summary = "what likwid-bench prints: the bandwidth of its tests",
    .recognise = recognise,
    .read = read_likwid_bench,
};
