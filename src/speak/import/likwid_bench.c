/*
 * likwid-bench: "Test: copy_avx", "Using 4 threads", "Size (Byte): 2000000000" and "MByte/s:
 * 14479.33", in MB of 10^6 bytes. The rate depends on the working set, which may fit into a cache,
 * and on the instructions in the test's name: both are factors of each finding. A test whose name
 * begins with a kernel of fathom gets that kernel's name. Selected lines are read too; what they
 * lack (the test, the threads) is not guessed.
 */
#include "base/units.h"
#include "speak/import/reading.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 48 };

struct likwid {
    char test[NAME_BYTES]; /* "" before the first */
    double threads, bytes; /* 0: unknown */
};

/* The kernel of a test; its own name if fathom has no such kernel. likwid's triad has four arrays;
 * the triad of fathom and STREAM is likwid's stream. */
static const char *kernel_of(const char *test, char kernel[NAME_BYTES])
{
    static const struct {
        const char *begins, *kernel;
    } kernels[] = {{"", "unnamed"},      {"load", "read"},     {"clload", "read"},
                   {"store", "write"},   {"clstore", "write"}, {"copy", "copy"},
                   {"clcopy", "copy"},   {"stream", "triad"},  {"triad", "triad4"},
                   {"update", "update"}, {"sum", "read"}};
    if (!*test)
        return kernels[0].kernel;
    for (size_t i = 1; i < sizeof kernels / sizeof *kernels; i++)
        if (strncmp(test, kernels[i].begins, strlen(kernels[i].begins)) == 0)
            return kernels[i].kernel;
    snprintf(kernel, NAME_BYTES, "%.*s", (int)strcspn(test, "_."), test);
    return kernel;
}

static void read_rate(struct reading *reading)
{
    const struct likwid *likwid = reading->state;
    char kernel[NAME_BYTES], name[2 * NAME_BYTES], size[UNIT_TEXT] = "";
    const double rate = rows_number_behind(&reading->rows, "MByte/s:");
    /* These tests load nothing, and print 0. */
    if (strncmp(likwid->test, "peakflops", 9) == 0) {
        rows_unread(&reading->rows);
        return;
    }
    if (!(rate > 0))
        rows_refuse(&reading->rows,
                    "likwid-bench prints a positive rate here, like MByte/s: 14479.33");
    if (likwid->bytes >= 1 && likwid->bytes < 0x1p62)
        size_exact_format((uint64_t)likwid->bytes, size);
    snprintf(name, sizeof name, "bandwidth.%s%s", kernel_of(likwid->test, kernel),
             likwid->threads > 1   ? ".all"
             : likwid->threads > 0 ? ".1"
                                   : "");
    struct table_kind kind = {
        .probe = "bandwidth", .title = "likwid-bench, imported", .finding = name, .unit = "B/s"};
    kind_add_text(&kind, "test", likwid->test);
    kind_add_text(&kind, "working set", size);
    if (likwid->threads > 1)
        kind_add_number(&kind, "threads", likwid->threads);
    else if (!(likwid->threads > 0))
        kind_add_text(&kind, "threads", "not said");
    tables_add_value(&reading->tables, &kind, rate * 1e6);
}

/* Lines that repeat what is read, or have other counts. */
static const char known[] =
    "Allocate:|Group:|Using |Cycles|CPU Clock:|Cycle Clock:|Time:|Iterations|Inner loop|"
    "Size per thread|Number of Flops|MFlops/s|Data volume|Loads per|Stores per|"
    "Load bytes|Store bytes|Load/store|Instructions|UOPs|Warning|Running|Sanitizing|"
    "Vectorlength|Initialization";

static void read_line(struct reading *reading)
{
    struct likwid *likwid = reading->state;
    struct rows *rows = &reading->rows;
    if (rows_begins(rows, "LIKWID MICRO BENCHMARK"))
        *likwid = (struct likwid){.threads = 0};
    if (rows_begins(rows, "Test:") && rows_cut(rows, 0) >= 2) {
        *likwid = (struct likwid){.threads = 0};
        field_copy(&rows->fields[1], likwid->test, NAME_BYTES);
    } else if (rows_begins(rows, "Using ") && rows_behind(rows, " threads")) {
        likwid->threads = rows_number_behind(rows, "Using ");
    } else if (rows_begins(rows, "Size (Byte):")) {
        likwid->bytes = rows_number_behind(rows, "Size (Byte):");
    } else if (rows_begins(rows, "Size:")) { /* before version 5 */
        likwid->bytes = rows_number_behind(rows, "Size:");
    } else if (rows_behind(rows, "MByte/s:")) { /* grep may have added a file name before it */
        read_rate(reading);
    } else {
        rows_unread_but(rows, known);
    }
}

static enum import_certainty recognise(const struct import_text *text)
{
    return text_has_line(text, "LIKWID MICRO BENCHMARK") ? IMPORT_SURE
           : text_holds(text, "MByte/s:")                ? IMPORT_FORM
                                                         : IMPORT_NONE;
}

const struct import_format likwid_bench_format = {
    .name = "likwid-bench",
    .place = 70,
    .summary = "what likwid-bench prints, or its lines 'MByte/s:': the bandwidth of its tests",
    .state_bytes = sizeof(struct likwid),
    .recognise = recognise,
    .line = read_line,
    .statistic = "the mean of its run",
    .nothing = "holds no 'MByte/s:' of likwid-bench's",
};
