/*
 * lmbench's lat_mem_rd: lines like `0.00049 1.234`, the size in MiB and the latency in ns, below a
 * line like `"stride=128` for each stride; the quote is part of it, and gets lost on some roads.
 * Each stride becomes a series; levels are looked for in that of the largest stride, which
 * prefetchers follow least.
 */
#include "speak/import/reading.h"

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

struct strides {
    double stride; /* 0: unknown */
    bool empty;    /* no line of sizes stands below it yet */
};

static void read_row(struct reading *reading)
{
    const struct strides *strides = reading->state;
    struct rows *rows = &reading->rows;
    struct table_kind kind = {.title = "lat_mem_rd: latency by working-set size"};
    const bool pair = rows_cut(rows, 0) == 2;
    const double size = pair ? field_number(&rows->fields[0]) : NAN;
    const double latency = pair ? field_number(&rows->fields[1]) : NAN;
    if (!(size > 0) || !(latency > 0))
        rows_refuse(rows,
                    "this is no line of lat_mem_rd's: it writes a size in MiB and a latency in "
                    "ns, both positive, like 0.00049 1.234");
    kind_add_number(&kind, "stride", strides->stride);
    tables_add_latency(&reading->tables, kind, whole_bytes(size), latency, NAN);
}

static void read_line(struct reading *reading)
{
    struct strides *strides = reading->state;
    const struct rows *rows = &reading->rows;
    if (!rows->length)
        return;
    if (is_stride(rows) && !strides->empty) {
        strides->stride = rows_number_behind(rows, "stride=");
        strides->empty = true;
        if (!(strides->stride > 0))
            rows_refuse(rows, "'%.*s' is no stride: lat_mem_rd writes \"stride=128",
                        (int)(rows->length < ROWS_SHOWN ? rows->length : ROWS_SHOWN), rows->text);
    } else if (!strides->empty && !isdigit((unsigned char)*rows->text)) {
        rows_unread(rows); /* what a script wrote around it */
    } else {
        read_row(reading);
        strides->empty = false;
    }
}

static void end_strides(struct reading *reading)
{
    const struct strides *strides = reading->state;
    if (strides->empty)
        text_refuse(reading->text, "holds no line of size and latency below one of its strides: "
                                   "give what lat_mem_rd wrote");
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
    .state_bytes = sizeof(struct strides),
    .recognise = recognise,
    .line = read_line,
    .end = end_strides,
    .nothing = "holds no line of size and latency: give what lat_mem_rd wrote",
};
