/* A matrix of a probe: its cells, summaries of all its values, and the spread of trials. */
#include "base/clean.h"
#include "conclude/registry/device.h"
#include "show/report/figure.h"
#include "show/report/parts.h"
#include "show/report/series.h"
#include "stats/order.h"

#include <math.h>
#include <stddef.h>

/* Summary of all values of a matrix. */
struct extent {
    const struct point *nearest, *farthest;
    double mean;
    size_t count; /* points with a value */
};

/* The share of cache lines in the scatter is known only if every trial uses another line. */
static bool is_over_lines(const struct point *point)
{
    return isfinite(point->scatter.line);
}

/* How values are written: divided by the scale's divisor, with so many decimals. */
struct digits {
    double divisor;
    int decimals;
    const char *unit;
};

/* The spread of the trials of one pair: of the worst pair, and of the median pair. */
static const char *tell_spread(struct report *report, const struct series *series,
                               const struct digits *digits)
{
    const struct point *widest = NULL;
    struct line line = {0};
    double most = 0;
    size_t count = 0;
    double *spreads = pool_alloc(report->pool, series->point_count + 1, sizeof *spreads);
    for (size_t i = 0; i < series->point_count; i++) {
        const struct summary *y = &series->points[i].y;
        double spread = (y->max - y->min) / y->median;
        if (y->n < 2 || !isfinite(spread))
            continue;
        spreads[count++] = spread;
        if (!widest || spread > most) {
            widest = &series->points[i];
            most = spread;
        }
    }
    if (widest) {
        const struct summary *y = &widest->y;
        const double divisor = digits->divisor;
        const int decimals = digits->decimals;
        line_add(&line, "The %s of one pair range from %.*f to %.*f %s (%d,%d)",
                 series_any(series, 1, is_over_lines) ? "lines" : "trials", decimals,
                 y->min / divisor, decimals, y->max / divisor, digits->unit, widest->from,
                 widest->to);
        if (isfinite(y->p25) && isfinite(y->p75))
            line_add(&line, ", half of them from %.*f to %.*f", decimals, y->p25 / divisor,
                     decimals, y->p75 / divisor);
        sort_ascending(spreads, count);
        if (count > 2)
            line_add(&line, "; those of a typical pair span %.0f %%", spreads[count / 2] * 100);
    }
    pool_give_back(report->pool, spreads);
    return report_line(report, &line);
}

/* --- the block --- */

struct matrix report_matrix(struct report *report, const struct probe_result *probe,
                            const struct series *series)
{
    return (struct matrix){
        .probe = probe, .series = series, .square = square_of_series(report->pool, probe, series)};
}

void matrix_add_groupings(struct report *report, size_t index, struct matrix *matrix)
{
    const struct probe_result *probe = matrix->probe;
    if (!matrix->square || device_has_series(matrix->series))
        return;
    if (report->nest_of != probe)
        report->nest = square_nest(report->pool, catalogue_of(&report->catalogue, index, probe),
                                   probe->finding_count);
    report->nest_of = probe;
    matrix->grouping_count =
        square_groupings(report->pool, matrix->square, report->nest, matrix->groupings);
}

static void fill(struct report *report, struct matrix *matrix, const struct extent *extent,
                 size_t index)
{
    const struct series *series = matrix->series;
    const struct probe_result *probe = matrix->probe;
    const struct scale scale = figure_scale(series->y.unit);
    const bool check = matrix_is_repeated(probe, series);
    char unit[CLEAN_TEXT];
    const struct digits digits = {scale.divisor,
                                  square_decimals(extent->farthest->y.median / scale.divisor),
                                  *scale.unit ? scale.unit : clean_text(series->y.unit, unit, 16)};
    matrix->least = (double)extent->nearest->y.median;
    matrix->most = (double)extent->farthest->y.median;
    matrix->absent = check ? "" : "x";
    if (!matrix->square || !(fmax(fabs(matrix->least), fabs(matrix->most)) / scale.divisor < 1e9))
        matrix->square = NULL;
    else
        matrix_add_groupings(report, index, matrix);
    const size_t missing = matrix->square ? matrix->square->missing : 0;
    if (missing && check)
        matrix->missing = "some of the pairs, measured again";
    else if (missing)
        matrix->missing = report_text(report, "x: %zu pair%s could not be measured", missing,
                                      missing == 1 ? "" : "s");
    matrix->spread = matrix->whole ? tell_spread(report, series, &digits) : NULL;
    const double divisor = digits.divisor;
    const int decimals = digits.decimals;
    matrix->closing =
        report_text(report, "Min %.*f (%d,%d)  Max %.*f (%d,%d)  Mean %.*f %s", decimals,
                    extent->nearest->y.median / divisor, extent->nearest->from, extent->nearest->to,
                    decimals, extent->farthest->y.median / divisor, extent->farthest->from,
                    extent->farthest->to, decimals, extent->mean / divisor, digits.unit);
    if (!matrix->whole && series == &probe->series[0])
        matrix->clusters = report_tell_clusters(report, index, probe);
}

void report_add_matrix(struct report *report, size_t index, const struct probe_result *probe,
                       const struct series *series, bool whole)
{
    enum { ROWS_BESIDE = 6, ROWS_ALONE = 12 }; /* beside a curve and the levels, or alone */
    struct extent extent = {0};
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (!isfinite(point->y.median))
            continue;
        if (!extent.nearest || point->y.median < extent.nearest->y.median)
            extent.nearest = point;
        if (!extent.farthest || point->y.median > extent.farthest->y.median)
            extent.farthest = point;
        extent.mean += (point->y.median - extent.mean) / (double)++extent.count;
    }
    if (extent.count == 0) {
        report_add_nothing(report, index, probe);
        return;
    }
    struct block *block = report_add(report, BLOCK_MATRIX, SECTION_RESULTS, index, probe);
    block->matrix = report_matrix(report, probe, series);
    block->matrix.whole = whole;
    block->matrix.rows_most =
        report->catalogue.documents[index]->probe_count > 1 ? ROWS_BESIDE : ROWS_ALONE;
    fill(report, &block->matrix, &extent, index);
    if (whole && !block->matrix.square) {
        report->count--;
        report_add_points(report, index, probe, series, 1);
    }
}
