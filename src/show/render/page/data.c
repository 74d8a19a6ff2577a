/*
 * The data that the script draws, in columns: a point of a curve takes a third of its size in the
 * document. A small matrix has all values of its points; a cell of a large one takes a tenth, as
 * whole multiples of a step that keeps four digits of the smallest value, and without trials.
 * Curves are read by web/page/chart.js, matrices by cellOf() in web/page/matrix.js.
 */
#include "base/quantity.h"
#include "conclude/registry/registry.h"
#include "show/render/page/page.h"
#include "show/report/series.h"
#include "show/report/square.h"

#include <math.h>

static void put_axis(FILE *out, const char *key, const struct axis *axis)
{
    fprintf(out, "\"%s\":{\"name\":", key);
    html_json_text(out, axis->name);
    fputs(",\"unit\":", out);
    html_json_text(out, axis->unit);
    fputs("},", out);
}

static void put_label(FILE *out, const char *label, size_t document)
{
    fputs("\"label\":", out);
    html_json_text(out, label);
    fprintf(out, ",\"document\":%zu,", document);
}

/* --- points of a curve, or of a matrix's cells --- */

static const struct point *point_of(const struct series *series, const struct square *square,
                                    size_t i)
{
    return square ? square->cells[i].point : &series->points[i];
}

/* Medians and intervals, cycles if any point has them, and trials. */
static void put_points(FILE *out, const struct series *series, const struct square *square,
                       const char *step)
{
    static const struct {
        const char *key;
        size_t offset;
    } columns[] = {{"\"y\":[", offsetof(struct point, y.median)},
                   {",\"low\":[", offsetof(struct point, y.low)},
                   {",\"high\":[", offsetof(struct point, y.high)},
                   {",\"cycles\":{\"y\":[", offsetof(struct point, cycles.median)},
                   {",\"low\":[", offsetof(struct point, cycles.low)},
                   {",\"high\":[", offsetof(struct point, cycles.high)}};
    const size_t count = square ? square->row_count * square->column_count : series->point_count;
    const bool cycles = series_any(series, 1, point_has_cycles);
    for (size_t c = 0; c < (cycles ? 6 : 3); c++) {
        fputs(columns[c].key, out);
        for (size_t i = 0; i < count; i++) {
            const char *point = (const char *)point_of(series, square, i);
            fputs(i ? "," : "", out);
            html_json_float(out, point ? *(const float *)(const void *)(point + columns[c].offset)
                                       : NAN);
        }
        fputs("]", out);
    }
    if (cycles)
        fprintf(out, "%s}", step);
    fputs(",\"n\":[", out);
    for (size_t i = 0; i < count; i++) {
        const struct point *point = point_of(series, square, i);
        fprintf(out, "%s%u", i ? "," : "", point ? point->y.n : 0);
    }
    fprintf(out, "]%s", step);
}

/* --- curves --- */

static void put_chart(FILE *out, const struct block *blocks, size_t count)
{
    const struct curve *first = &blocks->curve;
    put_axis(out, "x", &first->series->x);
    put_axis(out, "y", &first->series->y);
    fprintf(out, "\"apart\":%s,", first->apart ? "true" : "false");
    /* Vertical lines at capacities. */
    const char *separator = "";
    fputs("\"marks\":[", out);
    for (size_t i = 0; i < count; i++)
        for (size_t m = 0; m < blocks[i].curve.mark_count; m++) {
            const struct mark *mark = &blocks[i].curve.marks[m];
            fprintf(out, "%s{\"x\":%.9g,\"found\":%s,\"document\":%zu,\"label\":", separator,
                    mark->x, mark->found ? "true" : "false", blocks[i].document);
            html_json_text(out, mark->name);
            fputs("}", out);
            separator = ",";
        }
    fputs("],\"series\":[", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n{" : "\n{", out);
        put_label(out, blocks[i].curve.label, blocks[i].document);
        const struct series *series = blocks[i].curve.series;
        fputs("\"x\":[", out);
        for (size_t p = 0; p < series->point_count; p++) {
            fputs(p ? "," : "", out);
            html_json_number(out, series->points[p].x);
        }
        fputs("],", out);
        put_points(out, series, NULL, "");
        fputs("}", out);
    }
    fputs("]", out);
}

/* --- matrices --- */

static void put_ids(FILE *out, const char *key, const int *ids, size_t count)
{
    fprintf(out, "\"%s\":[", key);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%d", i ? "," : "", ids[i]);
    fputs("],", out);
}

static struct estimate estimate_of(const struct point *point, bool cycles)
{
    return cycles ? point->cycles : (struct estimate){point->y.median, point->y.low, point->y.high};
}

/* A power of ten that keeps four digits of the smallest value, but at most six of the largest. */
static double step_of(const struct square *square, bool cycles)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < square->row_count * square->column_count; i++) {
        const struct point *point = square->cells[i].point;
        double value = point ? fabs((double)estimate_of(point, cycles).median) : 0;
        if (value > 0 && isfinite(value)) {
            least = fmin(least, value);
            most = fmax(most, value);
        }
    }
    if (!(most > 0))
        return 1;
    return pow(10, fmax(floor(log10(least)) - 3, floor(log10(most)) - 5));
}

/* Matrices of at most so many cells are written with all values of their points. */
enum { EXACT_CELLS_MAX = 32 * 32 };

enum part { MEDIAN, BELOW, ABOVE, PARTS };

/* Writes the first `parts` parts. */
static void put_cells(FILE *out, const struct square *square, bool cycles, enum part parts)
{
    const double step = step_of(square, cycles);
    static const char *const keys[] = {"y", "below", "above"};
    fprintf(out, "\"step\":%.9g", step);
    for (enum part part = MEDIAN; part < parts; part++) {
        fprintf(out, ",\"%s\":[", keys[part]);
        for (size_t i = 0; i < square->row_count * square->column_count; i++) {
            const struct point *point = square->cells[i].point;
            const struct estimate of =
                point ? estimate_of(point, cycles) : (struct estimate){NAN, NAN, NAN};
            const double value = part == MEDIAN  ? of.median
                                 : part == BELOW ? of.median - of.low
                                                 : of.high - of.median;
            fputs(i ? "," : "", out);
            html_json_whole(out, value / step);
        }
        fputs("]", out);
    }
}

enum { SHADES = 48 };

/* "y":{"least":20,"most":147,"ends":[20.4,...]}: the value at which each shade but the first
 * begins, so that the script need not know how values map to colours. */
static void put_shades(FILE *out, const char *key, const struct block *blocks, size_t count,
                       bool cycles)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < blocks[i].matrix.series->point_count; p++) {
            const struct point *point = &blocks[i].matrix.series->points[p];
            const double value = (double)estimate_of(point, cycles).median;
            least = isfinite(value) ? fmin(least, value) : least;
            most = isfinite(value) ? fmax(most, value) : most;
        }
    fprintf(out, "\"%s\":{\"least\":", key);
    html_json_float(out, (float)(least <= most ? least : 0));
    fputs(",\"most\":", out);
    html_json_float(out, (float)(least <= most ? most : 1));
    fputs(",\"ends\":[", out);
    for (int shade = 1; shade <= SHADES && (most > least || (least > 0 && isfinite(least)));
         shade++) {
        fputs(shade > 1 ? "," : "", out);
        html_json_float(out, (float)square_value((shade - 0.5) / SHADES, least, most));
    }
    fputs("]}", out);
}

static void put_map(FILE *out, const struct block *block)
{
    const struct square *square = block->matrix.square;
    const bool small = square->row_count * square->column_count <= EXACT_CELLS_MAX;
    put_label(out, block->matrix.label, block->document);
    put_ids(out, "rows", square->rows, square->row_count);
    put_ids(out, "columns", square->columns, square->column_count);
    if (small)
        put_points(out, block->matrix.series, square, ",\"step\":1");
    else
        put_cells(out, square, false, PARTS);
    if (!small && series_any(block->matrix.series, 1, point_has_cycles)) {
        fputs(",\"cycles\":{", out);
        put_cells(out, square, true, BELOW);
        fputs("}", out);
    }
    fputs(",\"clusters\":[", out);
    for (size_t i = 0; i < block->matrix.group_count; i++) {
        fputs(i ? "," : "", out);
        html_json_text(out, block->matrix.groups[i]);
    }
    fputs("]", out);
}

static void put_maps(FILE *out, const struct block *blocks, size_t count)
{
    const char *separator = "\n{";
    put_axis(out, "x", &blocks->matrix.series->x);
    put_axis(out, "y", &blocks->matrix.series->y);
    fputs("\"shades\":{", out);
    put_shades(out, "y", blocks, count, false);
    fputs(",", out);
    put_shades(out, "cycles", blocks, count, true);
    fputs("},\"series\":[", out);
    for (size_t i = 0; i < count; i++) {
        const struct square *square = blocks[i].matrix.square;
        if (!square || square->row_count * square->column_count > HTML_CELLS_MAX)
            continue;
        fputs(separator, out);
        put_map(out, &blocks[i]);
        fputs("}", out);
        separator = ",\n{";
    }
    fputs("]", out);
}

/* Units whose shown form differs from the document's. */
static void put_units(FILE *out)
{
    const struct quantity *quantity;
    const char *separator = "{";
    for (unsigned i = 0; (quantity = quantity_at(i)); i++) {
        const bool size = quantity->dimension == DIMENSION_SIZE;
        if (!size && !*quantity->shown_unit)
            continue;
        fputs(separator, out);
        html_json_text(out, quantity->unit);
        fprintf(out, ":{\"divisor\":%.9g,\"unit\":", quantity->divisor);
        html_json_text(out, figure_unit(quantity->unit));
        fputs(size ? ",\"size\":true}" : "}", out);
        separator = ",";
    }
    fputs("}", out);
}

void html_data(FILE *out, const struct report *report)
{
    const char *separator = "\n";
    fputs("{\"units\":", out);
    put_units(out);
    fputs(",\"pictures\":[", out);
    for (size_t i = 0; i < report->count; i++) {
        const struct block *heading = &report->list[i], *first = heading + 1;
        if (!block_is_chart_heading(heading, 3))
            continue;
        const bool matrix = first->kind == BLOCK_MATRIX;
        const struct finding_table *table = finding_table_of(heading->probe->name);
        fprintf(out, "%s{\"matrix\":%s,\"probe\":", separator, matrix ? "true" : "false");
        html_json_text(out, heading->probe->name);
        fprintf(out, ",\"device\":%s,", table && table->of_devices ? "true" : "false");
        (matrix ? put_maps : put_chart)(out, first, chart_at(report, i).count);
        fputs("}", out);
        separator = ",\n";
    }
    fputs("]}", out);
}
