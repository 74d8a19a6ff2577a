#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sort_ascending(double *values, size_t n)
{
    if (n > 1)
        qsort(values, n, sizeof *values, compare);
}

double quantile(const double *ascending, size_t n, double p)
{
    double rank = p * (double)(n - 1);
    size_t below = (size_t)rank;
    if (below + 1 >= n)
        return ascending[n - 1];
    return ascending[below] + (rank - floor(rank)) * (ascending[below + 1] - ascending[below]);
}

double median(const double *ascending, size_t n)
{
    return quantile(ascending, n, 0.5);
}
