/*
 * A gnuplot script with its own data: every curve with its interval on logarithmic axes, every
 * matrix as a map. `fathom report --format gnuplot FILE | gnuplot -p` shows them in turn.
 */
#include "base/clean.h"
#include "base/line.h"
#include "base/units.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "show/render/output.h"
#include "show/report/square.h"

#include <math.h>

enum { LABELS_MAX = 32 }; /* more tick labels would overlap */

/* In double quotes gnuplot interprets backslashes, and in enhanced text also ^ _ { } @ &, which
 * `noenhanced` turns off. */
static void put_text(FILE *out, const char *text)
{
    const char *cursor = text ? text : "";
    char character[4];
    size_t bytes;
    fputc('"', out);
    while ((bytes = clean_next(&cursor, character)) > 0) {
        if (character[0] == '\\' || character[0] == '"' || character[0] == '`')
            fputc('\\', out);
        fwrite(character, 1, bytes, out);
    }
    fputc('"', out);
}

static void put_label(FILE *out, const char *axis, const struct axis *is)
{
    struct line line = {0};
    line_add_clean(&line, is->name);
    if (is->unit && *is->unit)
        line_add_between(&line, " [", is->unit, "]");
    fprintf(out, "set %slabel ", axis);
    put_text(out, line.text);
    fputc('\n', out);
}

static void put_number(FILE *out, float value)
{
    char text[UNIT_TEXT];
    fprintf(out, " %s", isfinite(value) ? float_format(value, text) : "NaN");
}

static void put_curve(FILE *out, const struct series *series, size_t number)
{
    fprintf(out, "$data%zu << EOD\n", number);
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        fprintf(out, "%.17g", point->x);
        put_number(out, point->y.median);
        put_number(out, isfinite(point->y.low) ? point->y.low : point->y.median);
        put_number(out, isfinite(point->y.high) ? point->y.high : point->y.median);
        fputc('\n', out);
    }
    fputs("EOD\n", out);
    put_label(out, "x", &series->x);
    put_label(out, "y", &series->y);
    /* Zero has no logarithm, and nothing lies between ids. */
    const bool ids = axis_has_ids(&series->x);
    bool x_log = !ids, y_log = true, any = false;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        x_log = x_log && point->x > 0;
        y_log = y_log && !(point->y.median <= 0 || point->y.low <= 0);
        any = any || isfinite(point->y.median);
    }
    fprintf(out, "%s\n%s\n", x_log ? "set logscale x 2" : "unset logscale x",
            y_log ? "set logscale y" : "unset logscale y");
    if (!any)
        fputs("# no point has a value\n", out); /* plotting none is an error */
    else if (ids)
        fprintf(out, "plot $data%zu using 1:2:3:4 with yerrorbars title \"median, interval\"\n",
                number);
    else
        fprintf(out,
                "plot $data%zu using 1:3:4 with filledcurves fillstyle transparent solid 0.3 "
                "title \"interval\", $data%zu using 1:2 with linespoints title \"median\"\n",
                number, number);
}

/* Every cell of the grid by row and column index, with its ids, because `image` needs a regular
 * grid without gaps. `image` also needs two rows and two columns at least; smaller matrices are
 * drawn as squares. */
static void put_matrix(FILE *out, const struct grid *grid, size_t number)
{
    bool image = grid->row_count > 1 && grid->column_count > 1;
    bool any = false;
    bool labels = grid->row_count <= LABELS_MAX && grid->column_count <= LABELS_MAX;
    fprintf(out, "$data%zu << EOD\n", number);
    for (size_t row = 0; row < grid->row_count; row++)
        for (size_t column = 0; column < grid->column_count; column++) {
            const struct point *point = grid->cells[row * grid->column_count + column];
            fprintf(out, "%zu %zu", column, row);
            put_number(out, point ? point->y.median : NAN);
            any = any || (point && isfinite(point->y.median));
            fprintf(out, " %d %d\n", grid->columns[column], grid->rows[row]);
        }
    fputs("EOD\n", out);
    put_label(out, "x", &(struct axis){"to", ""});
    put_label(out, "y", &(struct axis){"from", ""});
    if (!any)
        fputs("# no cell has a value\n", out);
    else
        fprintf(
            out,
            "unset logscale\nset yrange [] reverse\nplot $data%zu using 1:2:3%s with %s notitle\n"
            "set yrange [] noreverse\n",
            number, labels ? ":xticlabels(4):yticlabels(5)" : "",
            image ? "image" : "points palette pointtype 5 pointsize 5");
}

static void write_gnuplot(FILE *out, const struct output_content *content, struct pool *pool)
{
    const struct document *document = content->documents[0];
    size_t number = 0;
    fputs("# gnuplot -p THIS-FILE; columns: x, median, low, high; of a matrix: column, row, "
          "median, to, from\nset termoption noenhanced\n",
          out);
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t s = 0; s < document->probes[p].series_count; s++) {
            const struct series *series = &document->probes[p].series[s];
            struct grid grid;
            if (!series->point_count)
                continue;
            number++;
            if (series->matrix && !grid_build(&grid, series, pool)) {
                fputs("# a matrix is too scattered to be drawn\n", out);
                continue;
            }
            const struct probe_result *probe = &document->probes[p];
            struct line title = {0}, factors = {0};
            line_add_clean(&title, device_has_series(series) ? series->name
                                   : probe->title            ? probe->title
                                                             : probe->name);
            for (size_t i = 0; i < series->factor_count; i++)
                if (!device_factor_is_named(series, &series->factors[i]))
                    line_add_factors(&factors, &series->factors[i], 1);
            if (factors.length)
                line_add(&title, " (%s)", factors.text);
            fputs("set title ", out);
            put_text(out, title.text);
            fputs(" noenhanced\n", out);
            if (series->matrix)
                put_matrix(out, &grid, number);
            else
                put_curve(out, series, number);
        }
}

const struct output gnuplot_output = {
    .name = "gnuplot",
    .help = "a script with its data",
    .place = 70,
    .write = write_gnuplot,
};
