/*
 * lmbench's lat_mem_rd: lines like `0.00049 1.234`, the size in MiB and the latency in ns, below a
 * line like `"stride=128` for each stride; the quote is part of it, and gets lost on some roads.
 * Each stride becomes a series; levels are looked for in that of the largest stride, which
 * prefetchers follow least.
 */
#include "speak/import/rows.h"
#include "speak/import/tables.h"

#include <ctype.h>
#include <math.h>

/* The sizes have five decimals of a MiB, some ten bytes, and are multiples of 512 as lat_mem_rd
 * steps through them; strides smaller than that make no others. */
static double whole_bytes(double mib)
{
    return fmax(512, 512 * round(mib * 0x1p20 / 512));
}

static bool is_stride(const struct rows *rows)
{
    return rows_begins(rows, "\"stride=") || rows_begins(rows, "stride=");
}

static bool is_number(const struct rows *rows)
{
    return isdigit((unsigned char)*rows->text);
}

static int read_stride(const struct rows *rows, double *stride, struct error *error)
{
    *stride = rows_number_behind(rows, "stride=");
    if (*stride > 0)
        return 0;
    return rows_refuse(rows, error, "'%.*s' is no stride: lat_mem_rd writes \"stride=128",
                       (int)(rows->length < ROWS_SHOWN ? rows->length : ROWS_SHOWN), rows->text);
}

static int read_row(struct tables *tables, struct rows *rows, double stride, struct error *error)
{
    struct table_kind kind = {.title = "lat_mem_rd: latency by working-set size",
                              .factors = {{stride > 0 ? "stride" : NULL, NULL, stride}}};
    const bool pair = rows_cut(rows, 0) == 2;
    double size = pair ? field_number(&rows->fields[0]) : NAN;
    double latency = pair ? field_number(&rows->fields[1]) : NAN;
    if (size > 0 && latency > 0)
        return tables_add_latency(tables, kind, whole_bytes(size), latency, NAN);
    return rows_refuse(rows, error,
                       "this is no line of lat_mem_rd's: it writes a size in MiB and a latency in "
                       "ns, both positive, like 0.00049 1.234");
}

static int read_lat_mem_rd(struct import_text *text, const struct settings *settings,
                           struct document *document, struct error *error)
{
    (void)settings;
    struct rows rows;
    struct tables tables;
    double stride = 0;
    size_t empty = 0; /* the line of a stride without sizes below it */
    int code = 0;
    rows_begin(&rows, text);
    tables_begin(&tables, document, error);
    while (code == 0 && rows_next(&rows)) {
        if (is_stride(&rows) && !empty) {
            code = read_stride(&rows, &stride, error);
            empty = rows.number;
        } else if (rows.length && !empty && !is_number(&rows)) {
            rows_unread(&rows); /* what a script wrote around it */
        } else if (rows.length) {
            code = read_row(&tables, &rows, stride, error);
            empty = 0;
        }
    }
    if (code == 0 && (empty || !tables.count))
        code = table_refuse(error, text,
                            "holds no line of size and latency%s: give what lat_mem_rd wrote",
                            empty ? " below one of its strides" : "");
    return code == 0 ? tables_end(&tables) : code;
}

static enum import_certainty recognise(const struct import_text *text)
{
    return text_has_line(text, "\"stride=") || text_has_line(text, "stride=") ? IMPORT_SURE
                                                                              : IMPORT_NONE;
}

const struct import_format lat_mem_rd_format = {
    .name = "lat_mem_rd",
    .place = 30,
    .summary = "what lmbench's lat_mem_rd prints: the levels in the largest stride's curve",
    .recognise = recognise,
    .read = read_lat_mem_rd,
};
