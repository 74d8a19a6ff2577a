/*
 * lmbench's lat_mem_rd: lines like `0.00049 1.234`, the size in MiB and the latency in ns, below a
 * line like `"stride=128` for each stride. Each stride becomes a series; levels are looked for in
 * that of the largest stride, which prefetchers follow least.
 */
#include "import/curves.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 256 };

/* The sizes have five decimals of a MiB, some ten bytes, and are multiples of 512 as lat_mem_rd
 * steps through them; strides smaller than that make no others. */
static double whole_bytes(double mib)
{
    return fmax(512, 512 * round(mib * 0x1p20 / 512));
}

struct tables {
    struct series *series;
    size_t count, largest;
    double largest_stride;
    struct curve_rows rows; /* of the table that is being read */
    struct pool *pool;
};

static int begin_table(struct tables *tables, double stride, struct error *error)
{
    struct series *series =
        pool_append(tables->pool, (void **)&tables->series, &tables->count, sizeof *series);
    struct factor *factor = pool_alloc(tables->pool, 1, sizeof *factor);
    if (!series || !factor)
        return error_out_of_memory(error);
    *factor = (struct factor){"stride", NULL, stride};
    series->factors = factor;
    series->factor_count = stride > 0 ? 1 : 0;
    if (stride >= tables->largest_stride) {
        tables->largest_stride = stride;
        tables->largest = tables->count - 1;
    }
    tables->rows = (struct curve_rows){.pool = tables->pool};
    return 0;
}

static int end_table(struct tables *tables, struct error *error)
{
    return tables->count ? curve_series(&tables->series[tables->count - 1], &tables->rows, error)
                         : 0;
}

static int read_line(struct tables *tables, const char *line, const char *file, size_t number,
                     struct error *error)
{
    char size[64], latency[64], more[2], stride[64];
    int code = 0;
    if (sscanf(line, " \"stride=%63[^\" ]", stride) == 1) {
        double bytes = curve_number(stride);
        if (bytes == 0)
            return error_set(error, ERROR_USAGE,
                             "%s: line %zu: stride '%s' is none: lat_mem_rd writes \"stride=128",
                             file, number, stride);
        code = end_table(tables, error);
        return code == 0 ? begin_table(tables, bytes, error) : code;
    }
    if (sscanf(line, "%63s %63s %1s", size, latency, more) != 2 || curve_number(size) == 0 ||
        curve_number(latency) == 0)
        return error_set(error, ERROR_USAGE,
                         "%s: line %zu is no line of lat_mem_rd's: it writes a size in MiB and a "
                         "latency in ns, both positive, like 0.00049 1.234",
                         file, number);
    if (!tables->count)
        code = begin_table(tables, 0, error);
    struct curve_row row = {whole_bytes(curve_number(size)), curve_number(latency), NAN};
    return code == 0 ? curve_rows_add(&tables->rows, row, error) : code;
}

static int read_lat_mem_rd(const struct import_text *text, const struct settings *settings,
                           struct document *document, struct error *error)
{
    (void)settings;
    struct tables tables = {.pool = &document->pool};
    const char *cursor = text->text;
    char line[LINE_BYTES];
    int code = 0;
    bool whole;
    for (size_t number = 1; code == 0 && curve_line(&cursor, line, sizeof line, &whole); number++)
        if (!whole)
            code = curve_line_refuse(error, text->file, number, sizeof line);
        else if (line[strspn(line, " \t")])
            code = read_line(&tables, line, text->file, number, error);
    if (code == 0)
        code = end_table(&tables, error);
    if (code < 0)
        return code;
    bool empty = tables.count == 0;
    for (size_t i = 0; i < tables.count; i++)
        empty = empty || tables.series[i].point_count == 0;
    if (empty)
        return error_set(error, ERROR_USAGE,
                         "%s: holds no line of size and latency%s: give what lat_mem_rd wrote",
                         text->file, tables.count ? " below one of its strides" : "");
    return curve_probe(document, "lat_mem_rd: latency by working-set size", tables.series,
                       tables.count, tables.largest, error);
}

const struct import_format lat_mem_rd_format = {
    .name = "lat_mem_rd",
    .place = 30,
    .summary = "what lmbench's lat_mem_rd prints: the levels in the largest stride's curve",
    .read = read_lat_mem_rd,
};
