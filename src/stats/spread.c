#include "stats/spread.h"

#include "base/sort.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>

const double mad_to_deviation = 1.4826, timing_resolution = 1e-3 / 3;

double robust_deviation(const double *ascending, size_t n, double *scratch)
{
    double middle = median(ascending, n);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(ascending[i] - middle);
    return mad_to_deviation * median_of(scratch, n);
}

size_t spread_groups(const double *ascending, size_t n)
{
    size_t fifth = (n + 4) / 5, fewest = fifth > 3 ? fifth : 3;
    size_t best = 0;
    double widest = 0;
    for (size_t lower = fewest; lower + fewest <= n; lower++) {
        double gap = ascending[lower] - ascending[lower - 1];
        if (gap > widest) {
            widest = gap;
            best = lower;
        }
    }
    if (!best)
        return 0;
    const double range =
        fmax(ascending[best - 1] - ascending[0], ascending[n - 1] - ascending[best]);
    return widest >= 3 * range ? best : 0;
}

double resistant_slope(double (*pairs)[2], size_t n, double *scratch)
{
    enum { FEWEST = 9 };
    const size_t third = n / 3;
    if (n < FEWEST)
        return NAN;
    qsort(pairs, n, sizeof *pairs, by_number);
    double middle[2][2]; /* of the lower and the upper third */
    for (int upper = 0; upper < 2; upper++)
        for (int axis = 0; axis < 2; axis++) {
            for (size_t i = 0; i < third; i++)
                scratch[i] = pairs[upper ? n - third + i : i][axis];
            middle[upper][axis] = median_of(scratch, third);
        }
    return middle[1][0] > middle[0][0]
               ? (middle[1][1] - middle[0][1]) / (middle[1][0] - middle[0][0])
               : NAN;
}

static const double majority = 0.6, confidence = 0.95;
enum { VOTED_LEAST = 5 };

bool vote_count(const double *values, size_t n, struct vote *vote, double *scratch)
{
    *vote = (struct vote){NAN, NAN, NAN, 0, 0};
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            scratch[vote->voted++] = values[i];
    if (vote->voted == 0)
        return false;
    sort_ascending(scratch, vote->voted);
    for (size_t i = 0, same; i < vote->voted; i += same) {
        for (same = 1; i + same < vote->voted && !(scratch[i + same] > scratch[i]);)
            same++;
        if (same > vote->agreeing) {
            vote->agreeing = same;
            vote->value = scratch[i];
        }
    }
    struct median_ranks ranks = median_interval(vote->voted, confidence);
    vote->low = scratch[ranks.low - 1];
    vote->high = scratch[ranks.high - 1];
    return vote->voted >= VOTED_LEAST && 2 * vote->voted >= n &&
           (double)vote->agreeing >= majority * (double)vote->voted;
}

struct squares {
    double item, time, rest; /* sums of squares over all blocks */
    double items_in_blocks;  /* items in blocks of two items or more */
    size_t freedom;          /* degrees of freedom, the same for item and rest */
    size_t blocks;
};

static void add_block(struct squares *sums, const float *first, const float *second, size_t m)
{
    double first_mean = 0, second_mean = 0;
    for (size_t i = 0; i < m; i++) {
        first_mean += (double)first[i] / (double)m;
        second_mean += (double)second[i] / (double)m;
    }
    /* With two times, an item's mean and difference hold all its information. */
    double mean = (first_mean + second_mean) / 2, difference = second_mean - first_mean;
    for (size_t i = 0; i < m; i++) {
        double item = ((double)first[i] + (double)second[i]) / 2 - mean;
        double rest = (double)second[i] - (double)first[i] - difference;
        sums->item += 2 * item * item;
        sums->rest += rest * rest / 2;
    }
    sums->time += (double)m * difference * difference / 2;
    sums->items_in_blocks += (double)m;
    sums->freedom += m - 1;
    sums->blocks++;
}

static double root_of(double variance)
{
    return variance > 0 ? sqrt(variance) : 0;
}

bool scatter_split(const float *values, size_t items, size_t per_visit, struct scatter_parts *parts)
{
    struct squares sums = {0};
    double total = 0;
    for (size_t i = 0; i < 2 * items; i++)
        total += (double)values[i];
    /* A block ends where either of its visits does. */
    for (size_t begin = 0, end; begin < items; begin = end) {
        for (end = begin + 1; end < items && end % per_visit && (end + items) % per_visit; end++)
            ;
        if (end - begin > 1)
            add_block(&sums, values + begin, values + items + begin, end - begin);
    }
    if (!sums.freedom)
        return false;
    double item = sums.item / (double)sums.freedom, rest = sums.rest / (double)sums.freedom;
    double time = sums.time / (double)sums.blocks;
    double m = sums.items_in_blocks / (double)sums.blocks;
    *parts = (struct scatter_parts){total / (2 * (double)items), root_of((item - rest) / 2),
                                    root_of((time - rest) / m), root_of(rest)};
    return true;
}
