/* What a probe measured beside its matrix for a few of the pairs, in a line each. */
#include "base/clean.h"
#include "render/parts.h"
#include "report/figure.h"

#include <math.h>

enum { PAIRS_MAX = 4, SERIES_MAX = 3 };

static bool is_brief(const struct series *series)
{
    return series->matrix && !series->headline && series->point_count > 0 &&
           series->point_count <= PAIRS_MAX;
}

/* "  op readwrite: 60.2 ns (0,1), 165 ns (0,7)" */
static size_t print_other(FILE *out, const struct series *series, const struct view_style *style,
                          size_t column)
{
    struct line line = {0};
    const struct scale scale = figure_scale(series->y.unit);
    line_add_factors(&line, series->factors, series->factor_count);
    if (!series->factor_count)
        line_add_clean(&line, series->name);
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        char figure[UNIT_TEXT];
        line_add(&line, "%s%s", i ? ", " : ": ",
                 figure_valued((double)point->y.median, series->y.unit, figure));
        if (!*scale.unit && isfinite(point->y.median)) {
            line_add(&line, " ");
            line_add_clean(&line, series->y.unit);
        }
        line_add(&line, " (%d,%d)", point->from, point->to);
    }
    const size_t columns = clean_columns(line.text);
    if (column + 2 + columns > (size_t)style->width) {
        fputs("\n", out);
        column = 0;
    }
    fprintf(out, "  %s", line.text);
    return column + 2 + columns;
}

/* The first series is the matrix itself. */
void matrix_others_print(FILE *out, const struct probe_result *probe,
                         const struct view_style *style, size_t column)
{
    size_t count = 0;
    for (size_t i = 1; i < probe->series_count; i++)
        count += is_brief(&probe->series[i]);
    for (size_t i = 1; i < probe->series_count && count <= SERIES_MAX; i++)
        if (is_brief(&probe->series[i]))
            column = print_other(out, &probe->series[i], style, column);
    fputc('\n', out);
}
