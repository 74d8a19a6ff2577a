/*
 * The OSU micro-benchmarks: "# OSU MPI Latency Test v7.5", a line "# Size  Avg Latency(us)" and
 * rows of a message's size and values. Latencies in us and rates in MB/s (10^6 bytes) are between
 * processes through MPI and not of the machine alone, so they go to a separate probe, with the
 * test's name as a factor. Each further column with a time, a rate, messages a second or a share
 * (minimum, maximum; of non-blocking tests: compute, overlap) is a series with the column's name as
 * a factor; counts of iterations are not read. A test without sizes, like a barrier, has one row.
 * Rows without a line of the test's name are read too.
 */
#include "speak/import/columns.h"
#include "speak/import/reading.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { NAME_BYTES = 64, COLUMNS = 16 };

/* By the end of a column's name: what the column holds, and the series that it becomes. */
static const struct measure {
    const char *ending;
    double scale;
    struct series series;
} measures[] = {
    {"(us)", 1e3, {.name = "message latency", .x = {"message size", "B"}, .y = {"latency", "ns"}}},
    {"MB/s",
     1e6,
     {.name = "message bandwidth", .x = {"message size", "B"}, .y = {"bandwidth", "B/s"}}},
    {"Messages/s",
     1,
     {.name = "message rate", .x = {"message size", "B"}, .y = {"messages", "1/s"}}},
    {"(%)", 1, {.name = "overlap", .x = {"message size", "B"}, .y = {"overlap", "%"}}},
};
enum { MEASURES = sizeof measures / sizeof *measures };

struct osu {
    char test[NAME_BYTES]; /* "MPI Latency"; "" unknown */
    bool sizes;            /* the first column is a size */
    size_t count;          /* of the columns after it; 0: no line of names yet */
    struct osu_column {
        const struct measure *measure; /* NULL: it is not read */
        char name[NAME_BYTES];         /* "Min Latency(us)"; "": the first of its measure */
    } columns[COLUMNS];
};

/* Adds the next column by its name. */
static void name_column(struct reading *reading, const struct field *name)
{
    struct osu *osu = reading->state;
    struct osu_column *column = &osu->columns[osu->count];
    field_copy(name, column->name, NAME_BYTES);
    column->measure = NULL;
    for (size_t i = 0; i < MEASURES && !column->measure; i++)
        if (strstr(column->name, measures[i].ending))
            column->measure = &measures[i];
    bool first = true;
    for (size_t i = 0; i < osu->count; i++)
        first = first && osu->columns[i].measure != column->measure;
    if (!column->measure && !strstr(reading->text->columns, column->name))
        column_unread(reading->text, name);
    if (first)
        column->name[0] = '\0';
    osu->count++;
}

/* Whether the names above columns end here: at two blanks or more, a tab or the line's end. */
static bool ends_name(const char *at, const char *end)
{
    return at == end || *at == '\t' ||
           (*at == ' ' && (at + 1 == end || isblank((unsigned char)at[1])));
}

/* Reads "# Size  Avg Latency(us)   Min Latency(us)". */
static void read_columns(struct reading *reading)
{
    struct osu *osu = reading->state;
    const struct rows *rows = &reading->rows;
    const char *end = rows->text + rows->length, *at = rows->text + 1;
    bool measured = false;
    for (size_t i = 0; i < MEASURES; i++)
        measured = measured || rows_behind(rows, measures[i].ending);
    if (!measured)
        return;
    osu->sizes = rows_behind(rows, "Size");
    if (osu->sizes)
        at = rows_behind(rows, "Size");
    osu->count = 0;
    while (at < end && osu->count < COLUMNS) {
        while (at < end && isblank((unsigned char)*at))
            at++;
        const char *stop = at;
        while (!ends_name(stop, end))
            stop++;
        const struct field name = {.text = at, .length = (size_t)(stop - at)};
        if (name.length)
            name_column(reading, &name);
        at = stop;
    }
}

static void read_row(struct reading *reading)
{
    const struct osu *osu = reading->state;
    struct rows *rows = &reading->rows;
    const size_t before = osu->sizes ? 1 : 0, fields = rows_cut(rows, 0);
    if (!osu->count)
        rows_refuse(rows, "numbers before the line '# Size ...' that says what they are");
    const double size = osu->sizes ? field_number(&rows->fields[0]) : 0;
    for (size_t i = 0; i < osu->count; i++) {
        const struct osu_column *column = &osu->columns[i];
        const double value = fields > before + i ? field_number(&rows->fields[before + i]) : NAN;
        if (!column->measure)
            continue;
        if (!(size >= 0) || size != floor(size) || !(value >= 0))
            rows_refuse(rows,
                        "the test prints a message's size and %zu values here, like 1024   %s",
                        osu->count, column->measure == measures ? "1.42" : "1893.21");
        struct table_kind kind = {.probe = "mpi",
                                  .title = "OSU: between MPI processes, imported",
                                  .series = &column->measure->series,
                                  .headline = !*column->name};
        kind_add_text(&kind, "test", osu->test);
        kind_add_text(&kind, "column", column->name);
        tables_add_point(&reading->tables, &kind, size, value * column->measure->scale);
    }
}

static void read_line(struct reading *reading)
{
    struct osu *osu = reading->state;
    const struct rows *rows = &reading->rows;
    if (rows_begins(rows, "# OSU ") || rows_begins(rows, "#OSU ")) {
        *osu = (struct osu){.count = 0}; /* "# OSU MPI-CUDA Bandwidth Test v5.8" */
        rows_between(rows, "OSU ", " Test", osu->test, NAME_BYTES);
    } else if (rows->length && *rows->text == '#') {
        read_columns(reading);
    } else if ((osu->count || *osu->test) && rows->length && isdigit((unsigned char)*rows->text)) {
        read_row(reading);
    } else {
        rows_unread(rows);
    }
}

static enum import_certainty recognise(const struct import_text *source)
{
    struct import_text text = *source;
    struct rows rows;
    rows_begin(&rows, &text);
    if (text_has_line(source, "# OSU "))
        return IMPORT_SURE;
    while (rows_next(&rows))
        if (rows_begins(&rows, "# Size ") &&
            (rows_behind(&rows, "(us)") || rows_behind(&rows, "MB/s")))
            return IMPORT_SURE;
    return IMPORT_NONE;
}

const struct import_format osu_format = {
    .name = "osu",
    .place = 70,
    .summary = "the OSU micro-benchmarks: latency, bandwidth and rates between MPI processes",
    .state_bytes = sizeof(struct osu),
    .recognise = recognise,
    .line = read_line,
    .statistic = "the mean of its iterations",
    .nothing = "holds no row below a line '# OSU ... Test' or '# Size ...'",
};
