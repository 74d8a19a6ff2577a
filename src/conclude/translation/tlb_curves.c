#include "conclude/translation/tlb_curves.h"

#include "conclude/registry/finding.h"
#include "conclude/translation/tlb.h"
#include "stats/quantile.h"

#include <math.h>

enum { FLOOR_POINTS = 3, LASTING_POINTS = 3 };
const double tlb_least_cost = 0.75;

bool tlb_in_cycles(const struct series *series, size_t i)
{
    return i < series->point_count && isfinite(series->points[i].cycles.median);
}

static struct estimate value_of(const struct point *point, bool cycles)
{
    return cycles ? finding_quiet_cycles_of(point) : finding_quiet_time_of(point);
}

static float between(float before, float after, double share)
{
    return before + (float)share * (after - before);
}

/* The packed chase's latency, interpolated between two points of its ladder: it has no TLB steps,
 * and the steps of caches are much wider than the rungs. */
static struct estimate packed_at(const struct series *packed, double pages, bool cycles)
{
    for (size_t i = 0; i < packed->point_count; i++) {
        const struct point *after = &packed->points[i], *before = after - (i > 0);
        if (after->x < pages)
            continue;
        double share = after->x > before->x ? (pages - before->x) / (after->x - before->x) : 1;
        struct estimate a = value_of(before, cycles), b = value_of(after, cycles);
        return (struct estimate){between(a.median, b.median, share), between(a.low, b.low, share),
                                 between(a.high, b.high, share)};
    }
    return (struct estimate){NAN, NAN, NAN};
}

struct estimate tlb_cost_at(const struct series *spread, const struct series *packed, size_t i)
{
    bool cycles = tlb_in_cycles(spread, i) && tlb_in_cycles(packed, 0);
    if (i >= spread->point_count)
        return (struct estimate){NAN, NAN, NAN};
    struct estimate s = value_of(&spread->points[i], cycles),
                    p = packed_at(packed, spread->points[i].x, cycles);
    return (struct estimate){s.median - p.median, s.low - p.high, s.high - p.low};
}

double tlb_packed(const struct series *packed, double pages)
{
    return (double)packed_at(packed, pages, tlb_in_cycles(packed, 0)).median;
}

double tlb_cost(const struct series *spread, const struct series *packed, size_t i)
{
    return (double)tlb_cost_at(spread, packed, i).median;
}

size_t tlb_departure(const struct series *spread, const struct series *packed, size_t from,
                     double least)
{
    double floor[FLOOR_POINTS];
    size_t n = spread->point_count, run = 0;
    if (from + FLOOR_POINTS >= n)
        return n;
    for (size_t i = 0; i < FLOOR_POINTS; i++)
        floor[i] = tlb_cost(spread, packed, from + i);
    sort_ascending(floor, FLOOR_POINTS);
    double limit = floor[1] + fmax(least, fabs(floor[1]) / 4);
    for (size_t i = from; i < n && run < LASTING_POINTS; i++) {
        run = tlb_cost(spread, packed, i) > limit ? run + 1 : 0;
        if (run == LASTING_POINTS || (run && i + 1 == n))
            return i + 1 - run;
    }
    return n;
}

size_t tlb_nearest(const struct series *series, double x)
{
    size_t best = 0;
    for (size_t i = 1; i < series->point_count; i++)
        if (fabs(log(series->points[i].x / x)) < fabs(log(series->points[best].x / x)))
            best = i;
    return best;
}

double tlb_pages_at(const struct series *spread, const struct series *packed, double cost)
{
    for (size_t i = 1; i < spread->point_count; i++) {
        double before = tlb_cost(spread, packed, i - 1), here = tlb_cost(spread, packed, i);
        if (before < cost && here >= cost)
            return spread->points[i - 1].x + (spread->points[i].x - spread->points[i - 1].x) *
                                                 (cost - before) / (here - before);
    }
    return NAN;
}

unsigned tlb_shared(const struct series *spread, const struct series *sparse,
                    const struct series *packed)
{
    enum { SHARED_MOST = 8 };
    const size_t alone = tlb_departure(sparse, packed, 0, tlb_least_cost),
                 side_by_side = tlb_departure(spread, packed, 0, tlb_least_cost);
    if (alone >= sparse->point_count || side_by_side >= spread->point_count)
        return 1;
    const double ratio = spread->points[side_by_side].x / sparse->points[alone].x;
    for (unsigned shared = 2; shared <= SHARED_MOST; shared *= 2)
        if (fabs(log2(ratio / shared)) < 0.3)
            return shared;
    return 1;
}
