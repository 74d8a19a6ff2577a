/*
 * A table of two columns, size in bytes and latency in ns, one line a size; lines that begin with #
 * are remarks. This is what scripts/new begins an importer with; docs/adding.md tells how to go on.
 */
#include "import/curves.h"

#include <math.h>
#include <stdio.h>

static int read_line(struct curve_rows *rows, const char *line, const char *file, size_t number,
                     struct error *error)
{
    char size[64], latency[64], more[2];
    if (sscanf(line, "%63s %63s %1s", size, latency, more) != 2 || curve_number(size) == 0 ||
        curve_number(latency) == 0)
        return error_set(error, ERROR_USAGE,
                         "%s: line %zu is no size in bytes and latency in ns, both positive, like "
                         "'4096 1.5'",
                         file, number);
    return curve_rows_add(rows, (struct curve_row){curve_number(size), curve_number(latency), NAN},
                          error);
}

static int read_table(const struct import_text *text, const struct settings *settings,
                      struct document *document, struct error *error)
{
    struct curve_rows rows = {.pool = &document->pool};
    struct series *series = pool_alloc(&document->pool, 1, sizeof *series);
    const char *cursor = text->text;
    char line[256];
    bool whole;
    int code = series ? 0 : error_out_of_memory(error);
    (void)settings; /* those of import_options that the descriptor names */
    for (size_t number = 1; code == 0 && curve_line(&cursor, line, sizeof line, &whole); number++)
        if (!whole)
            code = curve_line_refuse(error, text->file, number, sizeof line);
        else if (line[0] && line[0] != '#')
            code = read_line(&rows, line, text->file, number, error);
    if (code == 0 && !rows.count)
        code = error_set(error, ERROR_USAGE,
                         "%s: holds no line of size and latency: give lines like '4096 1.5'",
                         text->file);
    if (code == 0)
        code = curve_series(series, &rows, error);
    return code < 0 ? code
                    : curve_probe(document, "Latency by working-set size", series, 1, 0, error);
}

const struct import_format skeleton_format = {
    .name = "skeleton",
    .place = 0,
    .summary = "two columns: size in bytes, latency in ns",
    .read = read_table,
};
