/*
 * STREAM's four kernels, as stream.c 5.x prints them: "Triad: 48012.9 0.045 0.044 0.045", the best
 * rate in MB/s of 10^6 bytes and three times. Bytes are counted as in fathom: all that the program
 * loads and stores. "Number of Threads
 * counted" gives the threads; without that line there is one. Several runs in one text are trials
 * of each kernel; runs with different named CPUs or array sizes are distinguished. A line with the
 * rate "inf", from a pass too short for the clock, is not read.
 */
#include "speak/import/reading.h"

#include <math.h>

static const struct {
    const char *label, *one, *all;
} kernels[] = {
    {"Copy:", "bandwidth.copy.1", "bandwidth.copy.all"},
    {"Scale:", "bandwidth.scale.1", "bandwidth.scale.all"},
    {"Add:", "bandwidth.add.1", "bandwidth.add.all"},
    {"Triad:", "bandwidth.triad.1", "bandwidth.triad.all"},
};

struct stream {
    double threads;
    double elements;    /* of an array */
    bool several;       /* the runs have arrays of several sizes */
    bool done;          /* rates followed the CPU's name */
    char cpu[ROWS_CPU]; /* "": none is named */
};

/* Whether the runs have arrays of several sizes. */
static void begin_stream(struct reading *reading)
{
    struct stream *stream = reading->state;
    struct rows rows;
    double first = NAN;
    rows_begin(&rows, reading->text);
    while (rows_next(&rows)) {
        const double elements = rows_number_behind(&rows, "Array size");
        stream->several = stream->several || elements < first || elements > first;
        first = isnan(first) ? elements : first;
    }
}

static void read_kernel(struct reading *reading, size_t which)
{
    struct stream *stream = reading->state;
    struct rows *rows = &reading->rows;
    const struct field missing = {"", 0, 0, 0};
    const struct field *field = rows_cut(rows, 0) > 1 ? &rows->fields[1] : &missing;
    if (field_is(field, "inf") || field_is(field, "nan")) {
        rows_unread_line(rows);
        return;
    }
    const double rate = rows_positive(rows, field, "the best rate in MB/s");
    const bool one = !(stream->threads > 1);
    struct table_kind kind = {.probe = "bandwidth",
                              .title = "STREAM, imported",
                              .finding = one ? kernels[which].one : kernels[which].all,
                              .unit = "B/s",
                              .factors = {{"pass", "best", NAN}}};
    kind_add_number(&kind, "threads", one ? 0 : stream->threads);
    kind_add_number(&kind, "array elements", stream->several ? stream->elements : 0);
    kind_add_text(&kind, "on", stream->cpu);
    tables_add_value(&reading->tables, &kind, rate * 1e6);
    stream->done = true;
}

/* Lines that say how it was measured or repeat values in another unit. */
static const char known[] =
    "STREAM version|This system uses|Array size|Memory per array|Total memory|"
    "Each kernel|Each test|(= |Your clock|you are not|WARNING|For best results|Solution|"
    "Function|Number of Threads|Increase|precision of|The *best*";

static void read_line(struct reading *reading)
{
    struct stream *stream = reading->state;
    const struct rows *rows = &reading->rows;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (rows_begins(rows, kernels[i].label)) {
            read_kernel(reading, i);
            return;
        }
    if (rows_begins(rows, "STREAM version"))
        stream->threads = 1;
    /* The name of a CPU holds for one run. */
    if (rows_begins(rows, "STREAM version") && stream->done)
        stream->cpu[0] = '\0';
    if (rows_begins(rows, "Array size"))
        stream->elements = rows_number_behind(rows, "Array size");
    if (rows_begins(rows, "Number of Threads"))
        stream->threads = rows_number_behind(rows, "=");
    else if (rows_name_cpu(rows, stream->cpu))
        stream->done = false;
    else
        rows_unread_but(rows, known);
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
    .state_bytes = sizeof(struct stream),
    .recognise = recognise,
    .begin = begin_stream,
    .line = read_line,
    .statistic = "the best of its passes",
    .nothing = "holds no rate of STREAM's, like 'Triad: 48012.9 0.045 0.044 0.045'",
};
