#include "stats/vote.h"

#include "stats/interval.h"
#include "stats/quantile.h"

#include <math.h>

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
