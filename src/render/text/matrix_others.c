/* What a probe measured beside its matrix for a few of the pairs, in a line each. */
#include "base/clean.h"
#include "findings/device.h"
#include "render/parts.h"
#include "report/figure.h"

#include <math.h>
#include <string.h>

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

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* What the values are and what was varied, whatever the name. */
static bool same_kind(const struct series *a, const struct series *b)
{
    bool same = a->factor_count == b->factor_count && same_text(a->y.name, b->y.name) &&
                same_text(a->y.unit, b->y.unit);
    for (size_t i = 0; same && i < a->factor_count; i++)
        same = same_text(a->factors[i].name, b->factors[i].name) &&
               same_text(a->factors[i].text, b->factors[i].text) &&
               !(a->factors[i].number < b->factors[i].number) &&
               !(a->factors[i].number > b->factors[i].number);
    return same;
}

bool matrix_is_repeated(const struct probe_result *probe, const struct series *series)
{
    if (!series->matrix || device_has_series(series))
        return false;
    for (const struct series *before = probe->series; before < series; before++)
        if (before->matrix && before->point_count >= series->point_count &&
            same_kind(before, series))
            return true;
    return false;
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
