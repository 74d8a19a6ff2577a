#include "stats/curve.h"

#include "stats/order.h"
#include "stats/spread.h"

#include <math.h>
#include <string.h>

static double log_power(const double *rate, const double *time, size_t i)
{
    return rate[i] > 0 && time[i] > 0 ? log(rate[i] / time[i]) : -INFINITY;
}

double knee_of_power(const double *rate, const double *time, size_t n)
{
    size_t best = 0, before = n, after = n;
    for (size_t i = 1; i < n; i++)
        if (log_power(rate, time, i) > log_power(rate, time, best))
            best = i;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(log_power(rate, time, i)))
            continue;
        before = i < best ? i : before;
        after = i > best && after == n ? i : after;
    }
    if (before == n || after == n)
        return NAN;
    double left = log_power(rate, time, before), top = log_power(rate, time, best),
           right = log_power(rate, time, after);
    double bend = left - 2 * top + right;
    double shift = bend < 0 ? (left - right) / (2 * bend) : 0; /* -1/2 to 1/2, in points */
    size_t neighbour = shift < 0 ? before : after;
    return rate[best] * pow(rate[neighbour] / rate[best], fabs(shift));
}

bool saturation_find(const double *y, size_t n, double tolerance, struct saturation *found,
                     double *scratch)
{
    double least = INFINITY;
    size_t on = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(y[i] > 0))
            return false;
        least = fmin(least, y[i]);
    }
    if (n < 2)
        return false;
    const double most = least * (1 + tolerance);
    *found = (struct saturation){.knee = n};
    for (size_t i = 0; i < n; i++) {
        if (y[i] > most)
            continue;
        found->knee = found->knee == n ? i : found->knee;
        scratch[on++] = y[i];
    }
    sort_ascending(scratch, on);
    found->plateau = scratch[(on - 1) / 2];
    while (y[found->typical] != found->plateau)
        found->typical++;
    found->open = found->knee == n - 1;
    return true;
}

double crossing_down(const double *x, const double *y, size_t n, double level)
{
    size_t known = 0, below = 0, wrong, fewest, place;
    for (size_t i = 0; i < n; i++) {
        known += isnan(y[i]) ? 0 : 1;
        below += y[i] < level;
    }
    /* The first candidate is the place before all values: every value that is not below the level
     * contradicts it. */
    fewest = wrong = known - below;
    place = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(y[i]))
            continue;
        wrong = y[i] < level ? wrong + 1 : wrong - 1;
        if (wrong < fewest) {
            fewest = wrong;
            place = i + 1;
        }
    }
    size_t before = place, after = place;
    while (before > 0 && isnan(y[before - 1]))
        before--;
    while (after < n && isnan(y[after]))
        after++;
    if (before == 0 || after == n || 5 * fewest > known)
        return NAN;
    const double from = y[before - 1], to = y[after];
    double share = from > to ? (from - level) / (from - to) : 0.5;
    share = fmin(fmax(share, 0), 1);
    return x[before - 1] + share * (x[after] - x[before - 1]);
}

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
