#include "base/clean.h"
#include "quantity/quantity.h"
#include "render/page/page.h"
#include "report/figure.h"
#include "result/flag.h"

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

static void put_grid(FILE *out, const struct series *series, const struct grid *grid)
{
    double divisor = figure_scale(series->y.unit).divisor;
    fputs("<thead><tr><th scope=col>from \\ to", out);
    for (size_t c = 0; c < grid->column_count; c++)
        fprintf(out, "<th scope=col>%d", grid->columns[c]);
    fputs("<tbody>", out);
    for (size_t r = 0; r < grid->row_count; r++) {
        fprintf(out, "\n<tr><th scope=row>%d", grid->rows[r]);
        for (size_t c = 0; c < grid->column_count; c++) {
            const struct point *point = grid->cells[r * grid->column_count + c];
            fputs(point && flag_doubts(point->flags) ? "<td>!" : "<td>", out);
            html_figure(out, point ? point->y.median / divisor : NAN);
        }
    }
}

static void put_pairs(FILE *out, const struct series *series)
{
    double divisor = figure_scale(series->y.unit).divisor;
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

static void put_matrix(FILE *out, const struct series *series, const char *title)
{
    struct grid grid;
    fputs("<div class=scroll tabindex=0 role=region aria-label=\"", out);
    html_text(out, title);
    fputs("\"><table class=points><caption>", out);
    html_text(out, title);
    fputs(", ", out);
    html_text(out, figure_unit(series->y.unit));
    fputs(" from row to column</caption>", out);
    if (grid_build(&grid, series) && grid.row_count * grid.column_count <= HTML_TABLE_CELLS_MAX)
        put_grid(out, series, &grid);
    else
        put_pairs(out, series);
    grid_free(&grid);
    fputs("</table></div>\n", out);
}

/* Freed at once: the points of all curves would be many. */
static bool put_curve(FILE *out, const struct member *member, const char *title)
{
    struct report report = {.count = 0};
    report_add_points(&report, member->document, member->probe, member->series, 1);
    if (report.count)
        html_table(out, &report.list[0].table, "points", title);
    const bool done = !report.no_memory;
    report_free(&report);
    return done;
}

bool html_tables(FILE *out, const struct picture *picture, const struct document *const *documents,
                 size_t count)
{
    bool done = true;
    for (size_t i = 0; i < picture->member_count; i++) {
        const struct member *member = &picture->members[i];
        struct line title = {0};
        line_add_member(&title, picture, i, documents, count);
        if (member->series->matrix)
            put_matrix(out, member->series, title.text);
        else
            done = put_curve(out, member, title.text) && done;
    }
    if (picture->left_out)
        fprintf(out, "<p>%zu more series are in the document.</p>\n", picture->left_out);
    return done;
}

void html_doubt(FILE *out, const struct finding *finding)
{
    if (flag_doubts(finding->flags))
        fputs(" <abbr class=doubt title=\"doubtful: see To know\">!</abbr>", out);
}

void html_finding_value(FILE *out, const struct finding *finding)
{
    char text[UNIT_TEXT];
    /* A count has no decimals to show. */
    if (quantity_is(finding->unit, DIMENSION_NUMBER) && finding->value == floor(finding->value) &&
        fabs(finding->value) < 1e9)
        fprintf(out, "%.0f", finding->value);
    else
        fputs(figure_valued(finding->value, finding->unit, text), out);
    if (isfinite(finding->value) && finding->unit && !figure_has_unit(finding->unit)) {
        fputs(" ", out);
        html_text(out, finding->unit);
    }
    html_doubt(out, finding);
    if (isfinite(finding->high - finding->low))
        fprintf(out, " <small>±%s&nbsp;%%</small>",
                figure_percent(finding->value, finding->low, finding->high, text));
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
