#include "conclude/levels/steps.h"

#include "base/pool.h"
#include "stats/order.h"

#include <math.h>
#include <stdbool.h>

const double plateau_step = 1.2;

static const double plateau_cost = 0.5, plateau_length = 0.45;
/* The most that a plateau may rise or fall in an octave, because translation, DRAM rows and a
 * shared cache tilt it. A rise from one level to the next takes at most three octaves and is far
 * steeper. */
static const double slope_most = 0.15;
/* A line steeper than this is no plateau, however noisy. */
static const double slope_seen_most = 0.25;

struct line {
    double middle, value, slope;
    double seen; /* the slope before it was limited */
};

static double line_at(const struct line *line, double x)
{
    return line->value + line->slope * (x - line->middle);
}

/* A bin's share of the full cost: 0 on the line, 1 from three deviations on. */
static double misfit(const struct curve_bin *bin, const struct line *line)
{
    double distance = (bin->y - line_at(line, bin->x)) / (3 * bin->deviation);
    return fmin(1, distance * distance);
}

/* The weighted line through bins, refitted twice with less weight for bins far off it. */
static struct line fit_line(const struct curve_bin *bins, size_t first, size_t last)
{
    struct line line = {0};
    for (int pass = 0; pass < 3; pass++) {
        double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
        for (size_t i = first; i <= last; i++) {
            double weight = bins[i].octaves / (bins[i].deviation * bins[i].deviation);
            if (pass > 0)
                weight *= 1.0001 - misfit(&bins[i], &line);
            double x = bins[i].x - bins[first].x, y = bins[i].y;
            w += weight;
            wx += weight * x;
            wy += weight * y;
            wxx += weight * x * x;
            wxy += weight * x * y;
        }
        double spread = wxx - wx * wx / w;
        double slope = spread > 1e-12 * w ? (wxy - wx * wy / w) / spread : 0;
        line = (struct line){bins[first].x + wx / w, wy / w,
                             fmax(-slope_most, fmin(slope_most, slope)), slope};
    }
    return line;
}

static double segment_cost(const struct curve_bin *bins, size_t first, size_t last)
{
    if (bins[last].x - bins[first].x < plateau_length)
        return INFINITY;
    struct line line = fit_line(bins, first, last);
    double cost = fabs(line.seen) <= slope_seen_most ? plateau_cost : INFINITY;
    for (size_t i = first; i <= last; i++)
        cost += bins[i].octaves * misfit(&bins[i], &line);
    return cost;
}

static struct plateau make_plateau(const struct curve_bin *bins, size_t first, size_t last)
{
    struct line line = fit_line(bins, first, last);
    /* Bins off the line at either end belong to the rise. */
    while (last > first && misfit(&bins[last], &line) >= 1)
        last--;
    while (first < last && misfit(&bins[first], &line) >= 1)
        first++;
    return (struct plateau){first, last, line_at(&line, bins[first].x),
                            line_at(&line, bins[last].x)};
}

/* Whether the step from one plateau to the next is real: large enough, and more than noise. */
static bool distinct(const struct curve_bin *bins, const struct plateau *a, const struct plateau *b)
{
    double variance = 0;
    const struct plateau *both[] = {a, b};
    for (int side = 0; side < 2; side++) {
        double n = (double)(both[side]->last - both[side]->first + 1), sum = 0;
        for (size_t i = both[side]->first; i <= both[side]->last; i++)
            sum += bins[i].deviation * bins[i].deviation;
        variance += sum / (n * n);
    }
    return b->begins - a->ends > fmax(log(plateau_step), 3 * sqrt(variance));
}

static double length(const struct curve_bin *bins, const struct plateau *plateau)
{
    return bins[plateau->last].x - bins[plateau->first].x;
}

/* Joins neighbouring plateaus that are one level. If a plateau is lower than the one before it, the
 * shorter of the two is dropped, because no memory gets faster when more of it is used. */
static size_t settle(const struct curve_bin *bins, struct plateau *list, size_t count)
{
    size_t i = 0;
    while (i + 1 < count) {
        struct plateau *a = &list[i], *b = &list[i + 1];
        if (distinct(bins, a, b)) {
            i++;
            continue;
        }
        bool falls = a->ends - b->begins > log(plateau_step);
        if (!falls)
            *a = make_plateau(bins, a->first, b->last);
        else if (length(bins, a) < length(bins, b))
            *a = *b;
        count--;
        for (size_t j = i + 1; j < count; j++)
            list[j] = list[j + 1];
        i = i ? i - 1 : 0;
    }
    return count;
}

size_t plateaus_find(struct pool *pool, const struct curve_bin *bins, size_t n,
                     struct plateau *list, size_t most)
{
    double *best = pool_alloc(pool, n + 1, sizeof *best); /* the least cost of the first i bins */
    /* The first bin of the plateau that ends there; n: none does. */
    size_t *begin = pool_alloc(pool, n + 1, sizeof *begin), count = 0;
    struct plateau *found = pool_alloc(pool, n / 2 + 1, sizeof *found);
    for (size_t end = 1; end <= n; end++) {
        best[end] = best[end - 1] + bins[end - 1].octaves;
        begin[end] = n;
        for (size_t first = 0; first + 2 <= end; first++) {
            const double cost = best[first] + segment_cost(bins, first, end - 1);
            if (cost < best[end]) {
                best[end] = cost;
                begin[end] = first;
            }
        }
    }
    for (size_t end = n; end > 0; end = begin[end] < n ? begin[end] : end - 1)
        if (begin[end] < n)
            found[count++] = make_plateau(bins, begin[end], end - 1);
    for (size_t i = 0; i < count / 2; i++) {
        const struct plateau swap = found[i];
        found[i] = found[count - 1 - i];
        found[count - 1 - i] = swap;
    }
    count = settle(bins, found, count);
    count = count < most ? count : most;
    for (size_t i = 0; i < count; i++)
        list[i] = found[i];
    return count;
}

/* The longest stretch that is searched, in bins; no table is denser. */
enum { SIZES_MOST = 256 };

/* This share of the bins between the ends may be off, because of interference or of a page on
 * another node. */
static const double off_most = 0.2;

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
        size_t count = 0;
        for (size_t j = first; j <= last; j++)
            count += bins[j].y >= low && bins[j].y <= low + tolerance;
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
            bool taken = false;
            for (size_t i = 0; i < count; i++)
                taken = taken || (first <= list[i].last && last >= list[i].first);
            if (taken || !look_at(bins, first, last, tolerance, &flat))
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
