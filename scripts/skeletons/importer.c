/*
 * A table of two columns, size in bytes and latency in ns, one line a size, below the remark
 * "# skeleton", by which it is recognised. scripts/new begins an importer with this;
 * docs/adding.md tells how to go on.
 */
#include "speak/import/rows.h"

#include "speak/import/tables.h"

#include <math.h>

static int read_row(struct tables *tables, struct rows *rows, struct error *error)
{
    const struct table_kind kind = {.title = "Latency by working-set size"};
    const bool pair = rows_cut(rows, 0) == 2;
    const double size = pair ? field_size(&rows->fields[0], 1) : 0;
    const double latency = pair ? field_number(&rows->fields[1]) : NAN;
    if (size > 0 && latency > 0)
        return tables_add_latency(tables, kind, size, latency, NAN);
    return rows_refuse(rows, error,
                       "this is no size in bytes and latency in ns, both positive: write a line "
                       "like '4096 1.5'");
}

static int read_table(struct import_text *text, const struct settings *settings,
                      struct document *document, struct error *error)
{
    struct rows rows;
    struct tables tables;
    int code = 0;
    (void)settings; /* those of import_options that the descriptor names */
    rows_begin(&rows, text);
    tables_begin(&tables, document, error);
    while (code == 0 && rows_next_said(&rows))
        code = read_row(&tables, &rows, error);
    if (code == 0 && !tables.count)
        code = table_refuse(error, text, "holds no line of size and latency");
    return code == 0 ? tables_end(&tables) : code;
}

/* The tool's own words are what tells its text from others. */
static enum import_certainty recognise(const struct import_text *text)
{
    return text_has_line(text, "# skeleton") ? IMPORT_SURE : IMPORT_NONE;
}

const struct import_format skeleton_format = {
    .name = "skeleton",
    .place = 0,
    .summary = "two columns: size in bytes, latency in ns",
    .recognise = recognise,
    .read = read_table,
};
