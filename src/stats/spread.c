#include "stats/spread.h"

#include "stats/quantile.h"

#include <math.h>

double robust_deviation(const double *ascending, size_t n, double *scratch)
{
    double middle = median(ascending, n);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(ascending[i] - middle);
    sort_ascending(scratch, n);
    return 1.4826 * median(scratch, n);
}

size_t spread_groups(const double *ascending, size_t n)
{
    size_t fifth = (n + 4) / 5, fewest = fifth > 3 ? fifth : 3;
    size_t best = 0;
    double widest = 0;
    for (size_t lower = fewest; lower + fewest <= n; lower++) {
        double gap = ascending[lower] - ascending[lower - 1];
        if (gap > widest) {
            widest = gap;
            best = lower;
        }
    }
    if (!best)
        return 0;
    double range_low = ascending[best - 1] - ascending[0];
    double range_high = ascending[n - 1] - ascending[best];
    return widest >= 3 * fmax(range_low, range_high) ? best : 0;
}
