#include "stats/trend.h"

#include "stats/quantile.h"

#include <math.h>
#include <string.h>

/* How much pairs of equal values, which have no sign, lower the variance of the count. */
static double tie_correction(const double *ascending, size_t n)
{
    double correction = 0;
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && ascending[end] == ascending[i])
            end++;
        double ties = (double)(end - i);
        correction += ties * (ties - 1) * (2 * ties + 5);
        i = end;
    }
    return correction;
}

struct trend trend_test(const double *values, size_t n, double *scratch)
{
    if (n < 4)
        return (struct trend){0, 0};
    double score = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            score += (values[j] > values[i]) - (values[j] < values[i]);
    /* Slopes between points half a run apart: n/2 of them estimate the median slope well enough
     * and need no n^2 memory. */
    size_t half = n / 2;
    for (size_t i = 0; i + half < n; i++)
        scratch[i] = (values[i + half] - values[i]) / (double)half;
    sort_ascending(scratch, n - half);
    double slope = median(scratch, n - half);
    memcpy(scratch, values, n * sizeof *values);
    sort_ascending(scratch, n);
    double count = (double)n;
    double variance = (count * (count - 1) * (2 * count + 5) - tie_correction(scratch, n)) / 18;
    double z = variance > 0 && score != 0 ? (score - copysign(1, score)) / sqrt(variance) : 0;
    double middle = median(scratch, n);
    return (struct trend){z, middle != 0 ? slope * count / middle : 0};
}
