#include "base/clean.h"
#include "base/quantity.h"
#include "document/flag.h"
#include "show/render/page/page.h"
#include "show/report/figure.h"

#include <math.h>
#include <string.h>

static void put_head(FILE *out, const char *name, const char *unit)
{
    fputs("<th scope=col>", out);
    html_text(out, name && *name ? name : "value");
    if (unit && *unit) {
        fputs(", ", out);
        html_text(out, unit);
    }
}

static void put_figure(FILE *out, double value)
{
    fputs("<td>", out);
    html_figure(out, value);
}

static void put_square(FILE *out, const struct square *square, double divisor)
{
    const struct pair_cell *cell = square->cells;
    fputs("<thead><tr><th scope=col>from \\ to", out);
    for (size_t c = 0; c < square->column_count; c++)
        fprintf(out, "<th scope=col>%d", square->columns[c]);
    fputs("<tbody>", out);
    for (size_t r = 0; r < square->row_count; r++) {
        fprintf(out, "\n<tr><th scope=row>%d", square->rows[r]);
        for (size_t c = 0; c < square->column_count; c++, cell++) {
            fputs(cell->point && flag_doubts(cell->point->flags) ? "<td>!" : "<td>", out);
            html_figure(out, cell->point ? cell->point->y.median / divisor : NAN);
        }
    }
}

static void put_pairs(FILE *out, const struct series *series, double divisor)
{
    fputs("<thead><tr><th scope=col>from<th scope=col>to", out);
    put_head(out, series->y.name, figure_unit(series->y.unit));
    fputs("<tbody>", out);
    for (size_t i = 0; i < series->point_count && i < HTML_ROWS_MAX; i++) {
        fprintf(out, "\n<tr><th scope=row>%d<td>%d", series->points[i].from, series->points[i].to);
        put_figure(out, series->points[i].y.median / divisor);
    }
    if (series->point_count > HTML_ROWS_MAX)
        fprintf(out, "\n<tr><th scope=row>%zu more pairs are in the document",
                series->point_count - HTML_ROWS_MAX);
}

static void put_matrix(FILE *out, const struct matrix *matrix)
{
    const struct axis *y = &matrix->series->y;
    const struct square *square = matrix->square;
    const double divisor = figure_scale(y->unit).divisor;
    fputs("<div class=scroll tabindex=0 role=region aria-label=\"", out);
    html_text(out, matrix->label);
    fputs("\"><table class=points><caption>", out);
    html_text(out, matrix->label);
    fputs(", ", out);
    html_text(out, figure_unit(y->unit));
    fputs(" from row to column</caption>", out);
    if (square && square->row_count * square->column_count <= HTML_TABLE_CELLS_MAX)
        put_square(out, square, divisor);
    else
        put_pairs(out, matrix->series, divisor);
    fputs("</table></div>\n", out);
}

/* Freed at once: the points of all curves would be many. */
static bool put_curve(FILE *out, size_t document, const struct curve *curve)
{
    struct report report = {.count = 0};
    report_add_points(&report, document, curve->probe, curve->series, 1);
    if (report.count)
        html_table(out, &report.list[0].table, "points", curve->label);
    const bool done = !report.no_memory;
    report_free(&report);
    return done;
}

bool html_points(FILE *out, const struct block *block)
{
    if (block->kind == BLOCK_CURVE)
        return put_curve(out, block->document, &block->curve);
    put_matrix(out, &block->matrix);
    return true;
}

void html_doubt(FILE *out, unsigned flags)
{
    if (flag_doubts(flags))
        fputs(" <abbr class=doubt title=\"doubtful: see To know\">!</abbr>", out);
}

void html_experiment(FILE *out, const struct finding *finding)
{
    struct line words = {0};
    line_add_experiment(&words, finding);
    if (!words.length)
        return;
    fputs(" <small class=experiment>", out);
    html_text(out, words.text);
    fputs("</small>", out);
}
