/* Curves of latency by working set as three small pointer chases print them. */
#include "speak/import/columns.h"
#include "speak/import/reading.h"

#include <ctype.h>
#include <math.h>

/* --- lat_mem_rd --- */

/*
 * lmbench's lat_mem_rd: for each stride a line like `"stride=128`, then lines like `0.00049 1.234`,
 * the size in MiB and the latency in ns. The quote belongs to the output but is often lost in
 * copying. Each stride becomes a series; levels are searched in the one with the largest stride,
 * which prefetchers follow least.
 */

struct strides {
    double stride; /* 0: unknown */
    bool empty;    /* no size has followed it yet */
};

static void read_row_of_lat_mem_rd(struct reading *reading)
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
    /* Sizes are printed with five decimals of a MiB, a resolution of about ten bytes. lat_mem_rd
     * steps by multiples of 512 bytes, also for smaller strides. */
    tables_add_latency(&reading->tables, kind, fmax(512, 512 * round(size * 0x1p20 / 512)), latency,
                       NAN);
}

static void read_line_of_lat_mem_rd(struct reading *reading)
{
    struct strides *strides = reading->state;
    const struct rows *rows = &reading->rows;
    if (!rows->length)
        return;
    if ((rows_begins(rows, "\"stride=") || rows_begins(rows, "stride=")) && !strides->empty) {
        strides->stride = rows_number_behind(rows, "stride=");
        strides->empty = true;
        if (!(strides->stride > 0))
            rows_refuse(rows, "'%.*s' is no stride: lat_mem_rd writes \"stride=128",
                        (int)(rows->length < ROWS_SHOWN ? rows->length : ROWS_SHOWN), rows->text);
    } else if (!strides->empty && !isdigit((unsigned char)*rows->text)) {
        rows_unread(rows); /* lines that a script wrote around the output */
    } else {
        read_row_of_lat_mem_rd(reading);
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

static enum import_certainty recognise_lat_mem_rd(const struct import_text *text)
{
    return text_has_line(text, "\"stride=") || text_has_line(text, "stride=") ? IMPORT_SURE
                                                                              : IMPORT_NONE;
}

const struct import_format lat_mem_rd_format = {
    .name = "lat_mem_rd",
    .place = 30,
    .summary =
        "what lmbench's lat_mem_rd prints; levels are searched in the largest stride's curve",
    .state_bytes = sizeof(struct strides),
    .recognise = recognise_lat_mem_rd,
    .line = read_line_of_lat_mem_rd,
    .end = end_strides,
    .statistic = "the best of its repetitions",
    .nothing = "holds no line of size and latency: give what lat_mem_rd wrote",
};

/* --- lats --- */

/*
 * lats, a pointer chase written for a comparison of GPUs: rows of stride, working set in bytes and
 * cycles per load, "5,1048576,425.1293", without names. The stride is in elements of the chase and
 * is constant; sizes double. Each stride is a curve.
 */

enum { COLUMNS = 3, ROWS_LEAST = 3 };

/* Whether a row has a stride without decimals, a power of two as size, and cycles with decimals. */
static bool is_row(struct rows *rows)
{
    if (rows_cut(rows, ',') != COLUMNS)
        return false;
    const double bytes = field_number(&rows->fields[1]);
    int power;
    return field_id(&rows->fields[0]) > 0 && bytes >= 64 && frexp(bytes, &power) == 0.5 &&
           field_number(&rows->fields[2]) > 0;
}

static void read_line_of_lats(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    struct table_kind kind = {.title = "lats: latency by working-set size"};
    if (!rows->length || *rows->text == '#')
        return;
    if (!is_row(rows))
        rows_refuse(rows, "lats writes a stride, a size in bytes that is a power of two and cycles "
                          "here, like 5,1048576,425.1293");
    kind_add_number(&kind, "stride", field_number(&rows->fields[0]));
    tables_add_latency(&reading->tables, kind, field_number(&rows->fields[1]), NAN,
                       field_number(&rows->fields[2]));
}

static enum import_certainty recognise_lats(const struct import_text *source)
{
    struct import_text text = *source;
    struct rows rows;
    double before = 0, stride = 0;
    size_t count = 0, doubled = 0;
    rows_begin(&rows, &text);
    for (; rows_next_said(&rows); count++) {
        if (!is_row(&rows))
            return IMPORT_NONE;
        const double bytes = field_number(&rows.fields[1]);
        doubled += field_number(&rows.fields[0]) == stride && bytes == 2 * before;
        stride = field_number(&rows.fields[0]);
        before = bytes;
    }
    return count >= ROWS_LEAST && 2 * doubled > count ? IMPORT_SURE : IMPORT_NONE;
}

const struct import_format lats_format = {
    .name = "lats",
    .place = 70,
    .summary =
        "what lats writes: stride, bytes, cycles; levels are searched in each stride's curve",
    .recognise = recognise_lats,
    .line = read_line_of_lats,
    .nothing = "holds no row of lats's, like 5,1048576,425.1293",
};

/* --- mem-lat --- */

/*
 * mem-lat, the small pointer chase of articles on cache latency, run size by size: "Buffer size: 64
 * KB, stride 64, time 0.007423 s, latency 7.08 ns". KB are 1024 bytes, MB 1024 KB. Each stride is a
 * curve. Line numbers before it, as web pages print them, are skipped, and so are remarks.
 */

/* The unit of the buffer's size, in bytes; 0 if it is no unit of size. */
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

static void read_line_of_mem_lat(struct reading *reading)
{
    const struct rows *rows = &reading->rows;
    const double size = rows_number_behind(rows, "Buffer size:");
    const double stride = rows_number_behind(rows, "stride");
    const double ns = rows_number_behind(rows, "latency");
    struct table_kind kind = {.title = "mem-lat: latency by working-set size"};
    /* An article may contain the program's source beside its output. */
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

static enum import_certainty recognise_mem_lat(const struct import_text *source)
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
    .summary = "what mem-lat prints size by size; levels are searched in the curve",
    .recognise = recognise_mem_lat,
    .line = read_line_of_mem_lat,
    .nothing = "holds no line 'Buffer size: ...' of mem-lat's",
};
