#include "stats/knee.h"

#include <math.h>

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
