#include "stats/summary.h"

#include "stats/interval.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

static const double confidence = 0.95;

void summarize(const double *values, size_t n, double *scratch, struct summary *summary)
{
    if (n == 0) {
        *summary = (struct summary){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0};
        return;
    }
    if (scratch != values)
        memcpy(scratch, values, n * sizeof *values);
    sort_ascending(scratch, n);
    struct median_ranks ranks = median_interval(n, confidence);
    *summary = (struct summary){
        .median = median(scratch, n),
        .low = scratch[ranks.low - 1],
        .high = scratch[ranks.high - 1],
        .coverage = ranks.coverage,
        .min = scratch[0],
        .p25 = quantile(scratch, n, 0.25),
        .p75 = quantile(scratch, n, 0.75),
        .max = scratch[n - 1],
        .n = n,
    };
}

double summary_half_width(const struct summary *summary)
{
    if (summary->n < 2 || !(summary->median > 0))
        return INFINITY;
    return (summary->high - summary->low) / 2 / summary->median;
}
