/*
 * mem-lat, the small pointer chase of articles on cache latency, run size by size: "Buffer size: 64
 * KB, stride 64, time 0.007423 s, latency 7.08 ns". KB are 1024 bytes. Each stride is a curve.
 * Numbers of lines before it, as web pages print them, are passed over, and so are remarks.
 */
#include "speak/import/rows.h"
#include "speak/import/tables.h"

#include <math.h>

static int read_line(struct rows *rows, struct tables *tables, struct error *error)
{
    const double kibibytes = rows_number_behind(rows, "Buffer size:");
    const double stride = rows_number_behind(rows, "stride");
    const double ns = rows_number_behind(rows, "latency");
    if (!(kibibytes > 0) || !(stride > 0) || !(ns > 0) || !rows_behind(rows, "ns"))
        return rows_refuse(rows, error,
                           "mem-lat prints size, stride and latency here, all positive, like "
                           "Buffer size: 64 KB, stride 64, time 0.007423 s, latency 7.08 ns");
    return tables_add_latency(tables,
                              (struct table_kind){.title = "mem-lat: latency by working-set size",
                                                  .factors = {{"stride", NULL, stride}}},
                              kibibytes * 1024, ns, NAN);
}

/* An article may hold the program beside what it prints. */
static bool is_line(const struct rows *rows)
{
    return rows_begins(rows, "Buffer size:") || rows_number_behind(rows, "Buffer size:") > 0;
}

static int read_mem_lat(struct import_text *text, const struct settings *settings,
                        struct document *document, struct error *error)
{
    (void)settings;
    struct rows rows;
    struct tables tables;
    int code = 0;
    rows_begin(&rows, text);
    tables_begin(&tables, document, error);
    while (code == 0 && rows_next(&rows))
        if (is_line(&rows))
            code = read_line(&rows, &tables, error);
        else if (!rows_behind(&rows, "//"))
            rows_unread(&rows);
    if (code == 0 && !tables.count)
        code = table_refuse(error, text, "holds no line 'Buffer size: ...' of mem-lat's");
    return code == 0 ? tables_end(&tables) : code;
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
    .read = read_mem_lat,
};
