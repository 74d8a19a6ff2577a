#include "stats/false_discovery.h"

#include "stats/quantile.h"

double false_discovery_limit(double *p, size_t n, double share)
{
    sort_ascending(p, n);
    for (size_t i = n; i > 0; i--)
        if (p[i - 1] <= share * (double)i / (double)n)
            return p[i - 1];
    return -1;
}
