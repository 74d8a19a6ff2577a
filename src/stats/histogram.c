#include "stats/histogram.h"

#include <math.h>

enum { STEPS = 1 << HISTOGRAM_STEP_BITS };

static size_t bin_of(uint64_t number)
{
    if (number < STEPS)
        return (size_t)number;
    if (number >> HISTOGRAM_BITS)
        return HISTOGRAM_BINS - 1;
    const int bits = 64 - __builtin_clzll(number); /* STEP_BITS + 1 or more */
    const int shift = bits - HISTOGRAM_STEP_BITS - 1;
    return (size_t)(shift + 1) * STEPS + (size_t)((number >> shift) - STEPS);
}

void histogram_add(struct histogram *histogram, uint64_t number)
{
    uint32_t *bin = &histogram->bins[bin_of(number)];
    *bin += *bin < UINT32_MAX;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
    for (size_t i = 0; i < HISTOGRAM_BINS; i++) {
        const uint64_t sum = (uint64_t)into->bins[i] + from->bins[i];
        into->bins[i] = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
    }
}

double histogram_middle(size_t bin)
{
    const size_t shift = bin < STEPS ? 0 : bin / STEPS - 1,
                 least = bin < STEPS ? bin : STEPS + bin % STEPS;
    return ldexp((double)least, (int)shift) + (ldexp(1, (int)shift) - 1) / 2;
}

uint64_t histogram_count(const struct histogram *histogram, size_t first)
{
    uint64_t count = 0;
    for (size_t i = first; i < HISTOGRAM_BINS; i++)
        count += histogram->bins[i];
    return count;
}

double histogram_ranked(const struct histogram *histogram, size_t first, uint64_t rank)
{
    uint64_t below = 0;
    for (size_t i = first; i < HISTOGRAM_BINS && rank; i++) {
        below += histogram->bins[i];
        if (below >= rank)
            return histogram_middle(i);
    }
    return NAN;
}

struct interval histogram_quantile(const struct histogram *histogram, size_t first, double p)
{
    const double n = (double)histogram_count(histogram, first);
    const double rank = ceil(n * p), apart = 1.96 * sqrt(n * p * (1 - p));
    const double low = floor(n * p - apart), high = ceil(n * p + apart) + 1;
    struct interval found = {NAN, NAN, NAN};
    if (n < 1)
        return found;
    found.value = histogram_ranked(histogram, first, (uint64_t)fmax(1, rank));
    if (low >= 1)
        found.low = histogram_ranked(histogram, first, (uint64_t)low);
    if (high <= n)
        found.high = histogram_ranked(histogram, first, (uint64_t)high);
    return found;
}
