#include "conclude/levels/flats.h"

#include "stats/order.h"

#include <math.h>

/* The longest stretch that is searched, in bins; no table is denser. */
enum { SIZES_MOST = 256 };

/* This share of the bins between the ends may be off, because of interference or of a page on
 * another node. */
static const double off_most = 0.2;

static size_t within(const struct curve_bin *bins, size_t first, size_t last, double low,
                     double high)
{
    size_t count = 0;
    for (size_t i = first; i <= last; i++)
        count += bins[i].y >= low && bins[i].y <= high;
    return count;
}

/* Finds a band of that width that holds both end bins and most bins between them. */
static bool look_at(const struct curve_bin *bins, size_t first, size_t last, double tolerance,
                    struct flat *flat)
{
    const double lower = fmin(bins[first].y, bins[last].y),
                 upper = fmax(bins[first].y, bins[last].y);
    size_t most = 0;
    double from = lower;
    if (!(upper - lower <= tolerance))
        return false;
    for (size_t i = first; i <= last; i++) {
        const double low = bins[i].y;
        if (low > lower || low < upper - tolerance)
            continue;
        const size_t count = within(bins, first, last, low, low + tolerance);
        if (count > most) {
            most = count;
            from = low;
        }
    }
    if ((double)(last - first + 1 - most) > off_most * (double)(last - first + 1))
        return false;
    double values[SIZES_MOST], high = from;
    size_t n = 0;
    for (size_t i = first; i <= last && n < SIZES_MOST; i++)
        if (bins[i].y >= from && bins[i].y <= from + tolerance) {
            values[n++] = bins[i].y;
            high = fmax(high, bins[i].y);
        }
    sort_ascending(values, n);
    *flat =
        (struct flat){first, last, n, median(values, n), from, high, bins[last].x - bins[first].x};
    return true;
}

static bool taken(const struct flat *list, size_t count, size_t first, size_t last)
{
    for (size_t i = 0; i < count; i++)
        if (first <= list[i].last && last >= list[i].first)
            return true;
    return false;
}

/* Finds the longest flat that overlaps none in the list. */
static bool longest(const struct curve_bin *bins, size_t n, double tolerance, double octaves,
                    const struct flat *list, size_t count, struct flat *best)
{
    bool found = false;
    for (size_t first = 0; first < n; first++)
        for (size_t last = n - 1; last > first; last--) {
            const double length = bins[last].x - bins[first].x;
            struct flat flat;
            if (length < octaves || (found && length <= best->octaves))
                break;
            if (taken(list, count, first, last) || !look_at(bins, first, last, tolerance, &flat))
                continue;
            *best = flat;
            found = true;
            break;
        }
    return found;
}

size_t flats_find(const struct curve_bin *bins, size_t n, double tolerance, double octaves,
                  struct flat list[FLATS_MOST])
{
    size_t count = 0;
    struct flat flat;
    while (n > 1 && count < FLATS_MOST &&
           longest(bins, n, tolerance, octaves, list, count, &flat)) {
        size_t at = count++;
        for (; at > 0 && list[at - 1].first > flat.first; at--)
            list[at] = list[at - 1];
        list[at] = flat;
    }
    return count;
}
