#include "findings/levels.h"

#include "stats/quantile.h"

#include <math.h>

static double relative_width(double median, double low, double high)
{
    return (high - low) / median;
}

/* The estimate with the narrower interval, in cycles of that clock. */
static struct estimate steadier(const struct point *point, double clock)
{
    const struct summary *y = &point->y;
    const struct estimate *cycles = &point->cycles;
    double in_time = relative_width((double)y->median, (double)y->low, (double)y->high);
    double in_cycles =
        relative_width((double)cycles->median, (double)cycles->low, (double)cycles->high);
    if (!(in_time < in_cycles))
        return *cycles;
    return (struct estimate){(float)(clock * (double)y->median), (float)(clock * (double)y->low),
                             (float)(clock * (double)y->high)};
}

struct level_sample *findings_level_samples(const struct series *series, struct pool *pool,
                                            double *clock)
{
    const size_t n = series->point_count;
    struct level_sample *samples = pool_alloc(pool, n + 1, sizeof *samples);
    double *clocks = pool_alloc(pool, n + 1, sizeof *clocks);
    bool cycles = n > 0;
    *clock = NAN;
    if (!samples || !clocks)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const struct point *point = &series->points[i];
        clocks[i] = (double)point->cycles.median / (double)point->y.median;
        cycles = cycles && point->cycles.median > 0 && point->y.median > 0;
    }
    if (cycles) {
        sort_ascending(clocks, n);
        *clock = median(clocks, n);
    }
    for (size_t i = 0; i < n; i++) {
        const struct point *point = &series->points[i];
        struct estimate y = {point->y.median, point->y.low, point->y.high};
        if (cycles)
            y = steadier(point, *clock);
        /* A single trial, as in a table, says nothing of its noise. */
        const bool known = point->y.coverage > 0;
        samples[i] = (struct level_sample){.bytes = point->x,
                                           .latency = (double)y.median,
                                           .low = known ? (double)y.low : NAN,
                                           .high = known ? (double)y.high : NAN};
    }
    return samples;
}
