/*
 * STREAM's four kernels, as stream.c 5.x prints them: "Triad: 48012.9 0.045 0.044 0.045", the best
 * rate in MB/s of 10^6 bytes and three times. Bytes are counted as fathom counts them: those that
 * the program loads and stores. It is the best pass, so the findings say so; "Number of Threads
 * counted" says how many threads there were, and without that line it is one. Several runs in one
 * text are trials of each kernel.
 */
#include "speak/import/rows.h"
#include "speak/import/tables.h"

#include <math.h>

static const struct {
    const char *label, *one, *all;
} kernels[] = {
    {"Copy:", "bandwidth.copy.1", "bandwidth.copy.all"},
    {"Scale:", "bandwidth.scale.1", "bandwidth.scale.all"},
    {"Add:", "bandwidth.add.1", "bandwidth.add.all"},
    {"Triad:", "bandwidth.triad.1", "bandwidth.triad.all"},
};

struct reading {
    struct rows rows;
    struct tables tables;
    double threads;
    struct error *error;
};

static int read_kernel(struct reading *reading, size_t which)
{
    struct rows *rows = &reading->rows;
    double rate;
    rows_cut(rows, 0);
    const struct field missing = {"", 0, 0, 0};
    int code = rows_positive(rows, rows->count > 1 ? &rows->fields[1] : &missing,
                             "the best rate in MB/s", &rate, reading->error);
    const bool one = !(reading->threads > 1);
    const struct table_kind kind = {
        .probe = "bandwidth",
        .title = "STREAM, imported",
        .finding = one ? kernels[which].one : kernels[which].all,
        .unit = "B/s",
        .factors = {{"pass", "best", NAN}, {one ? NULL : "threads", NULL, reading->threads}}};
    return code == 0 ? tables_add_value(&reading->tables, &kind, rate * 1e6) : code;
}

/* What says how it was measured, or repeats it in another unit. */
static const char *const known[] = {"STREAM version",
                                    "This system uses",
                                    "Array size",
                                    "Memory per array",
                                    "Total memory",
                                    "Each kernel",
                                    "Each test",
                                    "(= ",
                                    "Your clock",
                                    "you are not",
                                    "WARNING",
                                    "For best results",
                                    "Solution",
                                    "Function",
                                    "Number of Threads",
                                    "Increase",
                                    "precision of",
                                    "The *best*",
                                    NULL};

static int read_line(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (rows_begins(rows, kernels[i].label))
            return read_kernel(reading, i);
    if (rows_begins(rows, "STREAM version"))
        reading->threads = 1;
    if (rows_begins(rows, "Number of Threads"))
        reading->threads = rows_number_behind(rows, "=");
    else
        rows_unread_but(rows, known);
    return 0;
}

static int read_stream(struct import_text *text, const struct settings *settings,
                       struct document *document, struct error *error)
{
    (void)settings;
    struct reading reading = {.threads = 1, .error = error};
    rows_begin(&reading.rows, text);
    tables_begin(&reading.tables, document, error);
    int code = 0;
    while (code == 0 && rows_next(&reading.rows))
        code = read_line(&reading);
    if (code == 0 && !reading.tables.count)
        code = table_refuse(error, text,
                            "holds no rate of STREAM's, like 'Triad: 48012.9 0.045 0.044 0.045'");
    return code == 0 ? tables_end(&reading.tables) : code;
}

static enum import_certainty recognise(const struct import_text *text)
{
    const bool kernels_there = text_has_line(text, "Copy:") && text_has_line(text, "Triad:");
    return !kernels_there ? IMPORT_NONE
           : text_has_line(text, "STREAM version") || text_holds(text, "Rate (MB/s)") ||
                   text_holds(text, "Best Rate MB/s")
               ? IMPORT_SURE
               : IMPORT_FORM;
}

const struct import_format stream_format = {
    .name = "stream",
    .place = 70,
    .summary = "what STREAM prints: the best rate of its four kernels",
    .recognise = recognise,
    .read = read_stream,
};
