#include "measure/probes/gpu/flat.h"

#include <math.h>
#include <stddef.h>

/* Three sizes are the fewest of which no one can be an outlier between two; and timings of one
 * plateau lie within less (latency.c: a batch is a thousand steps of the clock). */
enum { POINTS_LEAST = 3 };
static const double apart_most = 0.02;

static double latency_of(const struct point *point)
{
    return (double)(isfinite(point->cycles.median) ? point->cycles.median : point->y.median);
}

/* The end of the run of points that begins at `first` and stays within bounds. */
static size_t run_end(const struct series *series, size_t first)
{
    double least = latency_of(&series->points[first]), most = least;
    size_t end = first;
    while (end < series->point_count) {
        const double here = latency_of(&series->points[end]);
        if (!series->points[end].y.n || !(fmax(most, here) <= (1 + apart_most) * fmin(least, here)))
            break;
        most = fmax(most, here);
        least = fmin(least, here);
        end++;
    }
    return end;
}

bool gpu_flat_find(const struct series *series, double beyond, struct gpu_flat *flat)
{
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *points = series->points;
        if (points[i].x <= beyond)
            continue;
        const size_t end = run_end(series, i);
        if (end < i + POINTS_LEAST)
            continue;
        double sum = 0;
        for (size_t k = i; k < end; k++)
            sum += latency_of(&points[k]);
        *flat = (struct gpu_flat){.from = points[i].x,
                                  .to = points[end - 1].x,
                                  .off = end < series->point_count ? points[end].x : NAN,
                                  .latency = sum / (double)(end - i)};
        return true;
    }
    return false;
}
