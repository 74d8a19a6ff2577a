#include "stats/undisturbed.h"

#include "stats/spread.h"

#include <math.h>

/* The lowest third of the values, and at least four of them, is taken to be undisturbed:
 * interference for more than two thirds of the time can't be told from the hardware. */
static const double lowest_share = 1.0 / 3;
enum { LOWEST_FEWEST = 4, STEPS_MOST = 32 };
/* How far above the centre a value may lie, in deviations of the values below it: of 30,000 normal
 * values one lies further. */
static const double reach = 4;
/* Of the normal values below the centre the lower quartile is this many deviations away. */
static const double quartile_to_deviation = 1.15;
/* Where interference raised some times, the lowest of fifteen lie above the undisturbed ones'
 * median by up to this many of their deviations (tests/unit/measure/engine/figure.c). */
static const double shift_most = 0.7;

/* How many of the ascending values are at most `most`. */
static size_t count_up_to(const double *ascending, size_t n, double most)
{
    size_t count = 0;
    while (count < n && ascending[count] <= most)
        count++;
    return count;
}

struct undisturbed undisturbed_of(const double *ascending, size_t n)
{
    size_t count = (size_t)ceil(lowest_share * (double)n);
    count = count < LOWEST_FEWEST ? LOWEST_FEWEST : count;
    count = count > n ? n : count;
    struct undisturbed result = {NAN, NAN, NAN, NAN, count};
    for (size_t i = 0; i < n; i++)
        if (isnan(ascending[i]))
            return result;
    for (int step = 0; step < STEPS_MOST; step++) {
        result.value = median(ascending, result.count);
        /* The spread of the values up to the centre: by their median, or by their lower quartile,
         * because the median of few values may lie at the centre by chance. */
        const size_t below = count_up_to(ascending, n, result.value);
        const double by_median = mad_to_deviation * (result.value - median(ascending, below)),
                     by_quartile = (result.value - ascending[below / 4]) / quartile_to_deviation;
        result.deviation = fmax(fmax(by_median, by_quartile), timing_resolution * result.value);
        const size_t wider = count_up_to(ascending, n, result.value + reach * result.deviation);
        if (wider <= result.count)
            break;
        result.count = wider;
    }
    result.longer = median(ascending, n) / result.value - 1;
    result.shift = fmin(result.longer, shift_most * result.deviation / result.value);
    return result;
}

/* The value of an envelope is at this share of the visits, and at least at this rank. */
static const double visits_share = 0.01;
enum { VISITS_LEAST = 3 };
/* Values within this share agree; the search for two that agree ends at the lowest third. */
static const double says_the_same = 0.02;

void undisturbed_envelope(const double *ascending, size_t n, struct summary *summary)
{
    const size_t share = (size_t)ceil(visits_share * (double)n);
    size_t at = (share > VISITS_LEAST ? share : VISITS_LEAST) - 1;
    at = at < n ? at : (n - 1) / 2;
    const size_t end = (size_t)(lowest_share * (double)n);
    while (at < end && ascending[at + 1] > ascending[at] * (1 + says_the_same))
        at++;
    const size_t most = quantile_rank_above(n, (double)(at + 1) / (double)n, 0.975);
    summary->median = (float)ascending[at];
    summary->low = (float)ascending[0];
    summary->high = (float)ascending[most - 1];
    summary->p10 = fminf((float)quantile(ascending, most, 0.1), summary->median);
    summary->p25 = fminf((float)quantile(ascending, most, 0.25), summary->median);
    summary->p75 = fmaxf((float)quantile(ascending, most, 0.75), summary->median);
    summary->p90 = fmaxf((float)quantile(ascending, most, 0.9), summary->median);
}
