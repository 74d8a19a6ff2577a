#include "stats/summary.h"

#include "stats/interval.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

static const double confidence = 0.95;

struct summary summary_of_nothing(void)
{
    return (struct summary){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0};
}

void summarize(const double *values, size_t n, double *scratch, struct summary *summary)
{
    if (n == 0) {
        *summary = summary_of_nothing();
        return;
    }
    if (scratch != values)
        memcpy(scratch, values, n * sizeof *values);
    sort_ascending(scratch, n);
    struct median_ranks ranks = median_interval(n, confidence);
    *summary = (struct summary){
        .median = (float)median(scratch, n),
        .low = (float)scratch[ranks.low - 1],
        .high = (float)scratch[ranks.high - 1],
        .coverage = (float)ranks.coverage,
        .min = (float)scratch[0],
        .p10 = (float)quantile(scratch, n, 0.1),
        .p25 = (float)quantile(scratch, n, 0.25),
        .p75 = (float)quantile(scratch, n, 0.75),
        .p90 = (float)quantile(scratch, n, 0.9),
        .max = (float)scratch[n - 1],
        .n = (unsigned)n,
    };
}

void summary_divide(struct summary *summary, double by)
{
    float *const values[] = {&summary->median, &summary->low, &summary->high,
                             &summary->min,    &summary->p10, &summary->p25,
                             &summary->p75,    &summary->p90, &summary->max};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        *values[i] = (float)((double)*values[i] / by);
}

double summary_half_width(const struct summary *summary)
{
    if (summary->n < 2 || !(summary->median > 0))
        return INFINITY;
    return ((double)summary->high - (double)summary->low) / 2 / (double)summary->median;
}
