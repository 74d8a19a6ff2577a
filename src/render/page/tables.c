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

static void put_point(FILE *out, const struct series *series, const struct point *point,
                      bool cycles)
{
    char text[UNIT_TEXT];
    double divisor = figure_scale(series->y.unit).divisor;
    fprintf(out, "\n<tr><th scope=row>%s", figure_place(point->x, series->x.unit, text));
    put_figure(out, point->y.median / divisor);
    put_figure(out, point->y.low / divisor);
    put_figure(out, point->y.high / divisor);
    if (cycles)
        put_figure(out, point->cycles.median);
    fprintf(out, "<td>%u<td class=words>", point->y.n);
    html_text(out, point->failed);
    html_flags(out, point->flags);
}

static void put_curve(FILE *out, const struct series *series)
{
    bool cycles = false;
    for (size_t i = 0; i < series->point_count; i++)
        cycles = cycles || isfinite(series->points[i].cycles.median);
    fputs("<thead><tr>", out);
    put_head(out, series->x.name, NULL);
    put_head(out, series->y.name, figure_unit(series->y.unit));
    fputs("<th scope=col>low<th scope=col>high", out);
    fputs(cycles ? "<th scope=col>cycles" : "", out);
    fputs("<th scope=col>trials<th scope=col class=words>remarks<tbody>", out);
    for (size_t i = 0; i < series->point_count && i < HTML_ROWS_MAX; i++)
        put_point(out, series, &series->points[i], cycles);
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

static void put_matrix(FILE *out, const struct series *series)
{
    struct grid grid;
    if (grid_build(&grid, series) && grid.row_count * grid.column_count <= HTML_TABLE_CELLS_MAX)
        put_grid(out, series, &grid);
    else
        put_pairs(out, series);
    grid_free(&grid);
}

void html_tables(FILE *out, const struct picture *picture, const struct document *const *documents,
                 size_t count)
{
    for (size_t i = 0; i < picture->member_count; i++) {
        const struct series *series = picture->members[i].series;
        struct line line = {0};
        line_add_member(&line, picture, i, documents, count);
        fputs("<div class=scroll tabindex=0 role=region aria-label=\"Table: ", out);
        html_text(out, line.text);
        fputs("\"><table class=points><caption>", out);
        html_text(out, line.text);
        if (series->matrix) {
            fputs(", ", out);
            html_text(out, figure_unit(series->y.unit));
            fputs(" from row to column", out);
        }
        if (!series->matrix && series->point_count > HTML_ROWS_MAX)
            fprintf(out, ": the first %d of %zu points; all are in the document", HTML_ROWS_MAX,
                    series->point_count);
        fputs("</caption>", out);
        (series->matrix ? put_matrix : put_curve)(out, series);
        fputs("</table></div>\n", out);
    }
    if (picture->left_out)
        fprintf(out, "<p>%zu more series are in the document.</p>\n", picture->left_out);
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

/* What a finding means is folded, so that the table stays as short as it is. */
static void put_name(FILE *out, const struct catalogue_entry *entry)
{
    const struct finding_line *line =
        entry->meaning.role == ROLE_PLAIN ? NULL : entry->meaning.line;
    fputs("\n<tr><th scope=row>", out);
    fputs(line ? "<details class=meaning><summary>" : "", out);
    html_text(out, entry->finding->name);
    html_experiment(out, entry->finding);
    if (!line)
        return;
    fputs("</summary><p>", out);
    html_text(out, line->meaning);
    fputs(line->moves ? " " : "", out);
    html_text(out, line->moves);
    fputs("<p>", out);
    html_text(out, line->advice);
    fputs("</details>", out);
}

void html_findings(FILE *out, const struct catalogue *catalogue, size_t document,
                   const struct probe_result *probe)
{
    const struct catalogue_entry *list = catalogue_of(catalogue, document, probe);
    char text[UNIT_TEXT];
    fputs("<div class=scroll tabindex=0 role=region aria-label=Findings><table class=findings>"
          "<caption>Findings</caption><thead><tr><th scope=col>name<th scope=col>value"
          "<th scope=col>declared<th scope=col class=words>in words<tbody>",
          out);
    for (size_t i = 0; i < probe->finding_count && i < HTML_ROWS_MAX; i++) {
        const struct finding *finding = &probe->findings[i];
        put_name(out, &list[i]);
        fputs("<td>", out);
        html_finding_value(out, finding);
        fprintf(out, "<td>%s<td class=words>",
                isfinite(finding->declared) ? figure_valued(finding->declared, finding->unit, text)
                                            : "");
        html_sentence(out, finding->text);
        if (finding->cpus) {
            fputs(finding->text ? " · CPUs " : "CPUs ", out);
            html_text(out, finding->cpus);
        }
        if (finding->flags) {
            fputs(finding->text || finding->cpus ? " · " : "", out);
            html_flags(out, finding->flags);
        }
    }
    fputs("</table></div>\n", out);
    if (probe->finding_count > HTML_ROWS_MAX)
        fprintf(out, "<p>%zu more findings are in the document.</p>\n",
                probe->finding_count - HTML_ROWS_MAX);
}
