#include "conclude/levels/level.h"

#include "stats/order.h"

#include <math.h>

static double relative_width(const struct estimate *estimate)
{
    return (double)(estimate->high - estimate->low) / (double)estimate->median;
}

static struct estimate time_of(const struct point *point, enum level_values which)
{
    if (which == LEVEL_VALUES_QUIET && quiet_is_known(&point->quiet))
        return (struct estimate){point->quiet.value, point->quiet.low, point->quiet.high};
    return (struct estimate){point->y.median, point->y.low, point->y.high};
}

static struct estimate cycles_of(const struct point *point, enum level_values which)
{
    if (which == LEVEL_VALUES_QUIET && quiet_is_known(&point->quiet_cycles))
        return (struct estimate){point->quiet_cycles.value, point->quiet_cycles.low,
                                 point->quiet_cycles.high};
    return point->cycles;
}

/* The estimate with the narrower interval, in cycles of that clock. */
static struct estimate steadier(const struct estimate *time, const struct estimate *cycles,
                                double clock)
{
    if (!(relative_width(time) < relative_width(cycles)))
        return *cycles;
    return (struct estimate){(float)(clock * (double)time->median),
                             (float)(clock * (double)time->low),
                             (float)(clock * (double)time->high)};
}

struct level_sample *level_samples(const struct series *series, enum level_values which,
                                   struct pool *pool, double *clock)
{
    const size_t n = series->point_count;
    struct level_sample *samples = pool_alloc(pool, n + 1, sizeof *samples);
    double *clocks = pool_alloc(pool, n + 1, sizeof *clocks);
    bool cycles = n > 0;
    *clock = NAN;
    for (size_t i = 0; i < n; i++) {
        const struct point *point = &series->points[i];
        clocks[i] = (double)cycles_of(point, which).median / (double)time_of(point, which).median;
        cycles = cycles && point->cycles.median > 0 && point->y.median > 0;
    }
    if (cycles) {
        sort_ascending(clocks, n);
        *clock = median(clocks, n);
    }
    for (size_t i = 0; i < n; i++) {
        const struct point *point = &series->points[i];
        struct estimate y = time_of(point, which);
        const struct estimate in_cycles = cycles_of(point, which);
        if (cycles)
            y = steadier(&y, &in_cycles, *clock);
        /* A single trial, as in a table, tells nothing about its noise. */
        const bool known = point->y.coverage > 0;
        samples[i] = (struct level_sample){.bytes = point->x,
                                           .latency = (double)y.median,
                                           .low = known ? (double)y.low : NAN,
                                           .high = known ? (double)y.high : NAN};
    }
    return samples;
}
