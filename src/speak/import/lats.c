/*
 * lats, the pointer chase that was written for a comparison of GPUs: rows of stride, working set in
 * bytes and cycles a load, "5,1048576,425.1293", without names. The stride is counted in elements
 * of the chase and stays what it was all along; sizes double. Each stride is a curve.
 */
#include "speak/import/reading.h"

#include <math.h>

enum { COLUMNS = 3, ROWS_LEAST = 3 };

/* A stride without decimals, a size that is a power of two, and cycles, which are printed with
 * decimals. */
static bool is_row(struct rows *rows)
{
    if (rows_cut(rows, ',') != COLUMNS)
        return false;
    const double bytes = field_number(&rows->fields[1]);
    int power;
    return field_id(&rows->fields[0]) > 0 && bytes >= 64 && frexp(bytes, &power) == 0.5 &&
           field_number(&rows->fields[2]) > 0;
}

static void read_line(struct reading *reading)
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

static enum import_certainty recognise(const struct import_text *source)
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
    .summary = "what lats writes: stride, bytes, cycles; the levels in each stride's curve",
    .recognise = recognise,
    .line = read_line,
    .nothing = "holds no row of lats's, like 5,1048576,425.1293",
};
