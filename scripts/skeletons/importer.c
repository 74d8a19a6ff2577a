/*
 * A table of two columns, size in bytes and latency in ns, one line a size, below the remark
 * "# skeleton", by which it is recognised. scripts/new begins an importer with this;
 * docs/adding.md tells how to go on.
 */
#include "speak/import/reading.h"

#include <math.h>

/* Is called for each line. What can't be read leaves by rows_refuse(): nothing returns an error. */
static void read_line(struct reading *reading)
{
    struct rows *rows = &reading->rows;
    const struct table_kind kind = {.title = "Latency by working-set size"};
    if (!rows->length || *rows->text == '#')
        return;
    const double size = rows_cut(rows, 0) == 2 ? field_size(&rows->fields[0], 1) : 0;
    if (!(size > 0))
        rows_refuse(rows, "this is no size in bytes and latency in ns, both positive: write a line "
                          "like '4096 1.5'");
    tables_add_latency(&reading->tables, kind, size,
                       rows_positive(rows, &rows->fields[1], "latency"), NAN);
}

/* The tool's own words are what tells its text from others. */
static const char *const marks[] = {"# skeleton", NULL};

const struct import_format skeleton_format = {
    .name = "skeleton",
    .place = 0,
    .summary = "two columns: size in bytes, latency in ns",
    .marks = marks,
    .line = read_line,
    .nothing = "holds no line of size and latency",
};
