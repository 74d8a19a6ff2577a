/*
 * A table of two columns, size in bytes and latency in ns, one line a size; lines that begin with #
 * are remarks. This is what scripts/new begins an importer with; docs/adding.md tells how to go on.
 */
#include "import/rows.h"
#include "import/tables.h"

#include <math.h>

static int read_line(struct rows *rows, struct tables *tables, struct error *error)
{
    double bytes, ns;
    if (rows_split(rows) != 2)
        return rows_refuse(rows, error, "write a size in bytes and a latency in ns, like 4096 1.5");
    int code = rows_positive(rows, &rows->fields[0], "the size", &bytes, error);
    if (code == 0)
        code = rows_positive(rows, &rows->fields[1], "the latency", &ns, error);
    return code == 0
               ? tables_add_latency(tables, (struct table_kind){.title = "Latency, by skeleton"},
                                    bytes, ns, NAN)
               : code;
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
        code = read_line(&rows, &tables, error);
    if (code == 0 && !tables.count)
        code = table_refuse(error, text,
                            "holds no line of size and latency: give lines like 4096 1.5");
    return code == 0 ? tables_end(&tables) : code;
}

/* The tool's own words, which nobody else's text has. */
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
