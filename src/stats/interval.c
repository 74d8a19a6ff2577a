#include "stats/interval.h"

#include <math.h>

struct median_ranks median_interval(size_t n, double confidence)
{
    /* P(B < 1) = 2^-n, then the next terms of the binomial as logarithms, for large n. */
    const double count = (double)n;
    double below = exp2(-count);
    size_t rank = 1;
    while (2 * (rank + 1) <= n) {
        double k = (double)rank;
        double term =
            exp(lgamma(count + 1) - lgamma(k + 1) - lgamma(count - k + 1) - count * log(2));
        if (1 - 2 * (below + term) < confidence)
            break;
        below += term;
        rank++;
    }
    return (struct median_ranks){rank, n + 1 - rank, 1 - 2 * below};
}
