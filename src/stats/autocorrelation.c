#include "stats/autocorrelation.h"

#include "stats/quantile.h"

#include <math.h>
#include <string.h>

/* Fewer values do not show their correlation. */
enum { FEWEST = 8 };
/* A standard normal value that one of ten series of independent values exceeds. */
static const double chance_z = 1.2816;
/* The largest correlation used: above it the data do not show how small the count is. */
static const double correlation_most = 0.9;

/* The rank of the value, from 0; the mean rank where values are equal. */
static double rank_of(double value, const double *ascending, size_t n)
{
    size_t low = 0, end = n;
    while (low < end) {
        const size_t middle = low + (end - low) / 2;
        if (ascending[middle] < value)
            low = middle + 1;
        else
            end = middle;
    }
    size_t same = 0;
    while (low + same < n && !(ascending[low + same] > value))
        same++;
    return (double)low + ((double)same - 1) / 2;
}

/* The correlation of each value's rank with the next one's; 0 where all values are equal. */
static double rank_correlation(const double *values, size_t n, double *scratch)
{
    const double middle = ((double)n - 1) / 2;
    memcpy(scratch, values, n * sizeof *values);
    sort_ascending(scratch, n);
    double products = 0, squares = 0, before = 0;
    for (size_t i = 0; i < n; i++) {
        const double rank = rank_of(values[i], scratch, n) - middle;
        products += i ? before * rank : 0;
        squares += rank * rank;
        before = rank;
    }
    return squares > 0 ? products / squares : 0;
}

double effective_count(const double *values, size_t n, double *scratch)
{
    const double count = (double)n;
    if (n < FEWEST)
        return count;
    const double seen = rank_correlation(values, n, scratch);
    /* For independent values its mean is -1/n and its variance 1/n. */
    if ((seen + 1 / count) * sqrt(count) <= chance_z)
        return count;
    const double correlation = fmin(seen + (1 + 4 * seen) / count, correlation_most);
    return fmin(count, count * (1 - correlation) / (1 + correlation));
}

void summary_widen(struct summary *summary, double effective)
{
    if (!(effective > 0) || !(effective < (double)summary->n))
        return;
    const float wider = (float)sqrt((double)summary->n / effective);
    summary->low = summary->median - wider * (summary->median - summary->low);
    summary->high = summary->median + wider * (summary->high - summary->median);
    if (summary->median > 0) /* times and rates are positive */
        summary->low = fmaxf(summary->low, 0);
}
