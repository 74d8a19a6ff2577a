#include "stats/step.h"

#include "stats/quantile.h"
#include "stats/spread.h"

#include <math.h>
#include <string.h>

static const double deviations = 4, least_share = 0.02, most_share = 0.25, most_off = 0.2;
enum { FLOOR_LEAST = 3 };

bool step_find(const double *values, size_t n, double least_rise, struct step *step,
               double *scratch)
{
    if (n <= FLOOR_LEAST)
        return false;
    memcpy(scratch, values, n * sizeof *values);
    sort_ascending(scratch, n);
    double low = quantile(scratch, n, 0.1), top = quantile(scratch, n, 0.9);
    if (!(top - low >= least_rise) || !isfinite(top))
        return false;
    size_t below = 0;
    while (below < n && scratch[below] <= (low + top) / 2)
        below++;
    double floor = median(scratch, below);
    double noise = deviations * robust_deviation(scratch, below, scratch + n);
    double limit = floor + fmax(noise, least_share * (top - floor));
    if (limit > floor + most_share * (top - floor))
        return false;
    size_t last = n, off = 0;
    for (size_t i = n; i-- > 0 && last == n;)
        last = values[i] <= limit ? i : n;
    for (size_t i = 0; last < n && i < last; i++)
        off += values[i] > limit;
    if (last + 1 >= n || last + 1 < FLOOR_LEAST || (double)off > most_off * (double)(last + 1))
        return false;
    *step = (struct step){last, floor, top};
    return true;
}
