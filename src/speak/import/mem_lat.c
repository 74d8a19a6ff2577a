/*
 * mem-lat, the small pointer chase of articles on cache latency, run size by size: "Buffer size: 64
 * KB, stride 64, time 0.007423 s, latency 7.08 ns". KB are 1024 bytes, and so are MB of KB. Each
 * stride is a curve. Numbers of lines before it, as web pages print them, are passed over, and so
 * are remarks.
 */
#include "speak/import/columns.h"
#include "speak/import/reading.h"

#include <math.h>

/* The unit behind the number of the buffer's size; 0 where it is none of size. */
static double size_unit(const struct rows *rows)
{
    const char *text = rows_behind(rows, "Buffer size:"), *end = rows->text + rows->length;
    const char *stop = text;
    while (stop < end && *stop != ',')
        stop++;
    const struct field words = {text, (size_t)(stop - text), 0, 0};
    const struct column column = column_named(&words);
    return column.holds == COLUMN_SIZE ? column.unit : 0;
}

static void read_line(struct reading *reading)
{
    const struct rows *rows = &reading->rows;
    const double size = rows_number_behind(rows, "Buffer size:");
    const double stride = rows_number_behind(rows, "stride");
    const double ns = rows_number_behind(rows, "latency");
    struct table_kind kind = {.title = "mem-lat: latency by working-set size"};
    /* An article may hold the program beside what it prints. */
    if (!rows_begins(rows, "Buffer size:") && !(size > 0)) {
        if (!rows_behind(rows, "//"))
            rows_unread(rows);
        return;
    }
    if (!(size > 0) || !(stride > 0) || !(ns > 0) || !rows_behind(rows, "ns") ||
        size_unit(rows) == 0)
        rows_refuse(rows, "mem-lat prints size, stride and latency here, all positive, like Buffer "
                          "size: 64 KB, stride 64, time 0.007423 s, latency 7.08 ns");
    kind_add_number(&kind, "stride", stride);
    tables_add_latency(&reading->tables, kind, size * size_unit(rows), ns, NAN);
}

static enum import_certainty recognise(const struct import_text *source)
{
    struct import_text text = *source;
    struct rows rows;
    rows_begin(&rows, &text);
    while (rows_next(&rows))
        if (rows_behind(&rows, "Buffer size:") && rows_behind(&rows, ", stride ") &&
            rows_behind(&rows, ", latency "))
            return IMPORT_SURE;
    return IMPORT_NONE;
}

const struct import_format mem_lat_format = {
    .name = "mem-lat",
    .place = 70,
    .summary = "what mem-lat prints size by size: the levels in the curve",
    .recognise = recognise,
    .line = read_line,
    .nothing = "holds no line 'Buffer size: ...' of mem-lat's",
};
