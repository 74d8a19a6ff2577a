#include "stats/saturation.h"

#include "stats/quantile.h"

#include <math.h>

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
    /* A place before the first value is contradicted by all values that are not below the level. */
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
