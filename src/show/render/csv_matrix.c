/* Matrices as CSV: the first row and the first column are ids, and a cell without a value is
 * empty. */
#include "base/units.h"
#include "conclude/registry/device.h"
#include "show/render/output.h"
#include "show/report/square.h"

#include <math.h>
#include <string.h>

/* The matrix's name in the corner cell, without characters that need quotes. */
static void put_name(FILE *out, const char *text)
{
    for (; text && *text; text++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_. ", *text))
            fputc(*text, out);
}

static void put_grid(FILE *out, const struct grid *grid, const struct series *series)
{
    /* Begins with a letter, because a spreadsheet would take a minus for a formula. */
    if (device_of_name(series->name, NULL) < 0)
        fputs(device_has_series(series) ? "gpu " : "cpu ", out);
    put_name(out, series->name);
    for (size_t i = 0; i < series->factor_count; i++)
        if (series->factors[i].text && !device_factor_is_named(series, &series->factors[i])) {
            fputc(' ', out);
            put_name(out, series->factors[i].text);
        }
    fputc(' ', out);
    put_name(out, series->y.unit);
    for (size_t c = 0; c < grid->column_count; c++)
        fprintf(out, ",%d", grid->columns[c]);
    fputc('\n', out);
    for (size_t r = 0; r < grid->row_count; r++) {
        fprintf(out, "%d", grid->rows[r]);
        for (size_t c = 0; c < grid->column_count; c++) {
            const struct point *point = grid->cells[r * grid->column_count + c];
            char text[UNIT_TEXT];
            bool there = point && isfinite(point->y.median);
            fprintf(out, ",%s", there ? float_format(point->y.median, text) : "");
        }
        fputc('\n', out);
    }
}

static void has_matrix(const struct output_content *content, struct pool *pool)
{
    const struct document *document = content->documents[0];
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t s = 0; s < document->probes[p].series_count; s++)
            if (document->probes[p].series[s].matrix && document->probes[p].series[s].point_count)
                return;
    pool_leave(pool, ERROR_USAGE,
               "--format csv-matrix shows matrices, such as those of fathom cores and fathom numa, "
               "but this document has none: --format csv-points has every point");
}

static void write_csv_matrix(FILE *out, const struct output_content *content, struct pool *pool)
{
    const struct document *document = content->documents[0];
    const char *between = "";
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t s = 0; s < document->probes[p].series_count; s++) {
            const struct series *series = &document->probes[p].series[s];
            struct grid grid;
            if (!series->matrix || !series->point_count || !grid_build(&grid, series, pool))
                continue;
            fputs(between, out);
            put_grid(out, &grid, series);
            between = "\n";
        }
}

const struct output csv_matrix_output = {
    .name = "csv-matrix",
    .help = "each matrix as a square with its ids",
    .place = 30,
    .write = write_csv_matrix,
    .possible = has_matrix,
};
