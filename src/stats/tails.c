#include "stats/tails.h"

#include <math.h>

/* Half of the 95 % quantile of chi square with one degree of freedom. */
static const double accepted = 1.92;

/* The logarithm of the likelihood at the scale that fits best. */
static double likelihood(const double *deviations, size_t n, double freedom)
{
    enum { STEPS_MOST = 40 };
    const double pi = 3.14159265358979323846;
    double squares = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        squares += deviations[i] * deviations[i];
    double variance = squares / (double)n;
    if (!(variance > 0))
        return INFINITY;
    if (isinf(freedom))
        return -0.5 * (double)n * (log(2 * pi * variance) + 1);
    for (int step = 0; step < STEPS_MOST; step++) {
        double weighed = 0;
        for (size_t i = 0; i < n; i++) {
            const double square = deviations[i] * deviations[i];
            weighed += (freedom + 1) * square / (freedom + square / variance);
        }
        const double before = variance;
        variance = weighed / (double)n;
        if (!(variance > 0))
            return INFINITY;
        if (fabs(variance - before) < 1e-4 * before)
            break;
    }
    for (size_t i = 0; i < n; i++)
        sum += log1p(deviations[i] * deviations[i] / (freedom * variance));
    int sign;
    const double height = lgamma_r((freedom + 1) / 2, &sign) - lgamma_r(freedom / 2, &sign) -
                          0.5 * log(freedom * pi * variance);
    return (double)n * height - (freedom + 1) / 2 * sum;
}

double tails_freedom(const double *deviations, size_t n)
{
    static const double freedoms[] = {INFINITY, 30, 15, 10, 7, 5, 4, 3, 2, 1};
    enum { TRIED = sizeof freedoms / sizeof *freedoms };
    double found[TRIED], best = -INFINITY;
    for (size_t i = 0; i < TRIED; i++) {
        found[i] = likelihood(deviations, n, freedoms[i]);
        best = fmax(best, found[i]);
    }
    for (size_t i = 0; i < TRIED; i++)
        if (found[i] >= best - accepted)
            return freedoms[i];
    return INFINITY;
}
