/* A curve of a probe, and a few of its points. */
#include "show/report/details.h"
#include "show/report/series.h"

#include <math.h>

/* Whether a logarithm of it, and of what lies a few rows around it, makes sense. */
static bool is_plausible(double value)
{
    return value >= 1e-15 && value <= 1e15;
}

bool curve_has_point(const struct point *point)
{
    return is_plausible(point->x) && is_plausible((double)point->y.median);
}

bool curve_is_worth_drawing(const struct series *series)
{
    enum { POINTS_MIN = 12 };
    double low = INFINITY, high = -INFINITY;
    int count = 0;
    for (size_t i = 0; i < series->point_count; i++)
        if (curve_has_point(&series->points[i])) {
            low = fmin(low, series->points[i].x);
            high = fmax(high, series->points[i].x);
            count += count < POINTS_MIN;
        }
    return count == POINTS_MIN && high > low * 1.01 && !axis_has_ids(&series->x);
}

struct curve report_curve(const struct probe_result *probe, const struct series *series)
{
    return (struct curve){.probe = probe, .series = series, .apart = axis_has_ids(&series->x)};
}

void report_add_curve(struct report *report, size_t index, const struct probe_result *probe,
                      const struct series *series, bool brief)
{
    if (!series->point_count) {
        report_add_nothing(report, index, probe);
        return;
    }
    const bool drawn = curve_is_worth_drawing(series);
    struct table points = {.title = NULL};
    if (brief)
        points = report_few_points(report, series);
    if (!drawn && !brief)
        return;
    struct block *block =
        report_add(report, drawn ? BLOCK_CURVE : BLOCK_TABLE, SECTION_RESULTS, index);
    block->probe = probe;
    if (!drawn) {
        block->table = points;
        return;
    }
    block->curve = report_curve(probe, series);
    block->curve.brief = brief;
    block->curve.points = points;
    curve_add_marks(report, index, &block->curve);
}
