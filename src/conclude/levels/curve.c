#include "conclude/levels/steps.h"

#include "base/sort.h"
#include "stats/order.h"
#include "stats/spread.h"

#include <math.h>
#include <stdlib.h>

enum { BINS_AN_OCTAVE = 8, NEIGHBOURS = 9 };

/* Unevenness of a plateau without any noise: lines, sets and DRAM rows differ a little. */
static const double unevenness = 0.02;
/* With more noise than this a rise looks as flat as a plateau, because three deviations bridge the
 * step between two levels. So noise is limited to this, and a noisier plateau must be longer to be
 * accepted. */
static const double noise_most = 0.06;
/* Slower loads, in cycles, leave the core, and its clock. */
static const float core_most = 30;
/* A 95 % interval's half width in standard deviations. */
static const double deviations_95 = 1.96;

static int by_bytes(const void *a, const void *b)
{
    const struct level_sample *p = *(struct level_sample *const *)a;
    const struct level_sample *q = *(struct level_sample *const *)b;
    return ORDER_BY({p->bytes, q->bytes}, {p->latency, q->latency});
}

static void read_samples(struct curve *curve, struct level_sample *samples, size_t n,
                         const struct translation_knee *knees, size_t knee_count)
{
    for (size_t i = 0; i < n; i++) {
        samples[i].level = -1;
        samples[i].fitted = NAN;
        samples[i].doubt = 0;
        if (isfinite(samples[i].bytes) && samples[i].bytes > 0 && isfinite(samples[i].latency) &&
            samples[i].latency > 0)
            curve->of[curve->n++] = &samples[i];
    }
    qsort(curve->of, curve->n, sizeof *curve->of, by_bytes);
    double smaller = 0;
    for (size_t i = 0; i < curve->n; i++) {
        const struct level_sample *sample = curve->of[i];
        /* If trials form two groups, the nearer end of the interval tells how well the median of
         * its own group is known. The geometric mean of both ends' distances gives that end most
         * weight. */
        double half = sqrt((sample->high - sample->latency) * (sample->latency - sample->low)) /
                      deviations_95;
        /* What translation adds to a load. A page holds many lines, so a random chase visits pages
         * at random and not in a cycle. It takes at most half of the latency. */
        double translation = 0;
        for (size_t k = 0; k < knee_count; k++)
            if (knees[k].bytes > 0 && knees[k].cycles > 0)
                translation += knees[k].cycles * miss_share_drawn(sample->bytes / knees[k].bytes);
        const double pure = fmax(sample->latency / 2, sample->latency - translation);
        curve->clean[i] = (struct mixture_sample){
            .bytes = sample->bytes,
            .latency = pure,
            .deviation = half >= 0 && isfinite(half) ? half / pure : 0,
        };
        /* Few independent trials make a low end that none of them came near; it is no lower than a
         * smaller set's unless a trial was. */
        smaller = fmax(smaller, sample->low);
        const double least = fmax(sample->low, fmin(sample->least, smaller));
        curve->room[i] = isnan(sample->low) ? pure : pure * fmin(1, least / sample->latency);
    }
}

/* --- bins: dense and repeated sizes become one --- */

static struct curve_bin make_bin(const struct curve *curve, size_t first, size_t end)
{
    const size_t n = end - first;
    struct curve_bin bin = {0};
    for (size_t i = first; i < end; i++) {
        const struct level_sample *sample = curve->of[i];
        const double width = (sample->high - sample->low) / curve->clean[i].latency;
        bin.x += log2(curve->clean[i].bytes) / (double)n;
        curve->scratch[i] = width > 0 && isfinite(width) ? width / 2 / deviations_95 : 0;
    }
    bin.scatter = median_of(curve->scratch + first, n) / sqrt((double)n);
    for (size_t i = first; i < end; i++)
        curve->scratch[i] = curve->clean[i].deviation;
    bin.deviation = median_of(curve->scratch + first, n) / sqrt((double)n);
    for (size_t i = first; i < end; i++)
        curve->scratch[i] = log(curve->clean[i].latency);
    bin.y = median_of(curve->scratch + first, n);
    return bin;
}

/* A bin's distance from the line between its neighbours, as a standard deviation of one bin. */
static double roughness(const struct curve_bin *bins, size_t i)
{
    double share = (bins[i].x - bins[i - 1].x) / (bins[i + 1].x - bins[i - 1].x);
    double off = bins[i].y - bins[i - 1].y - share * (bins[i + 1].y - bins[i - 1].y);
    return fabs(off) / sqrt(1 + share * share + (1 - share) * (1 - share));
}

/* A bin's noise is the larger of the noise of its intervals and its roughness(), because the trials
 * of one size tell nothing of how neighbouring sizes scatter. */
static void add_noise(struct curve *curve)
{
    const size_t n = curve->bin_count;
    struct curve_bin *bins = curve->bins;
    double rough[CURVE_BINS_MOST] = {0}, near[NEIGHBOURS];
    for (size_t i = 0; i < n; i++) {
        size_t from = i > NEIGHBOURS / 2 ? i - NEIGHBOURS / 2 : 0, count = 0;
        if (from + NEIGHBOURS > n)
            from = n > NEIGHBOURS ? n - NEIGHBOURS : 0;
        for (size_t j = from; j < from + NEIGHBOURS && j < n; j++)
            if (j > 0 && j + 1 < n)
                near[count++] = roughness(bins, j);
        rough[i] = count ? mad_to_deviation * median_of(near, count) : 0;
    }
    for (size_t i = 0; i < n; i++) {
        bins[i].deviation = hypot(unevenness, fmin(noise_most, fmax(bins[i].deviation, rough[i])));
        bins[i].scatter = bins[i].scatter > 0 ? hypot(unevenness, fmax(bins[i].scatter, rough[i]))
                                              : bins[i].deviation;
    }
}

static void make_bins(struct curve *curve)
{
    if (curve->n == 0)
        return;
    const double from = log2(curve->clean[0].bytes);
    const double octaves = log2(curve->clean[curve->n - 1].bytes) - from;
    const double each = fmax(1.0 / (double)BINS_AN_OCTAVE, octaves / (CURVE_BINS_MOST - 2));
    size_t first = 0;
    for (size_t i = 1; i <= curve->n; i++) {
        if (i < curve->n && floor((log2(curve->clean[i].bytes) - from) / each + 0.5) ==
                                floor((log2(curve->clean[first].bytes) - from) / each + 0.5))
            continue;
        curve->bin_first[curve->bin_count] = first;
        curve->bins[curve->bin_count++] = make_bin(curve, first, i);
        first = i;
    }
    curve->bin_first[curve->bin_count] = curve->n;
    struct curve_bin *bins = curve->bins;
    const size_t n = curve->bin_count;
    for (size_t i = 0; i < n; i++)
        bins[i].octaves =
            ((i + 1 < n ? bins[i + 1].x : bins[i].x) - (i ? bins[i - 1].x : bins[i].x)) / 2;
    add_noise(curve);
}

struct curve *curve_read(struct pool *pool, struct level_sample *samples, size_t n,
                         const struct translation_knee *knees, size_t knee_count)
{
    struct curve *curve = pool_alloc(pool, 1, sizeof *curve);
    curve->of = pool_alloc(pool, n + 1, sizeof *curve->of);
    curve->clean = pool_alloc(pool, n + 1, sizeof *curve->clean);
    curve->room = pool_alloc(pool, n + 1, sizeof *curve->room);
    curve->scratch = pool_alloc(pool, n + 1, sizeof *curve->scratch);
    curve->halves = pool_alloc(pool, n + 1, sizeof *curve->halves);
    read_samples(curve, samples, n, knees, knee_count);
    make_bins(curve);
    return curve;
}

static double relative_width(const struct estimate *estimate)
{
    return (double)(estimate->high - estimate->low) / (double)estimate->median;
}

struct level_sample *level_samples(const struct series *series, struct pool *pool, double *clock)
{
    const size_t n = series->point_count;
    struct level_sample *samples = pool_alloc(pool, n + 1, sizeof *samples);
    double *clocks = pool_alloc(pool, n + 1, sizeof *clocks);
    size_t repeated = 0;
    bool cycles = n > 0;
    *clock = NAN;
    for (size_t i = 0; i < n; i++) {
        const struct point *point = &series->points[i];
        clocks[i] = (double)(point->cycles.median / point->y.median);
        repeated += point->y.coverage > 0;
        cycles = cycles && point->cycles.median > 0 && point->y.median > 0;
    }
    if (cycles)
        *clock = median_of(clocks, n);
    for (size_t i = 0; i < n; i++) {
        const struct point *point = &series->points[i];
        struct estimate y = {point->y.median, point->y.low, point->y.high};
        /* A single trial, as in a table, tells nothing about its noise; among sizes with several it
         * is no evidence of a level. */
        const bool known = point->y.coverage > 0, counts = known || 2 * repeated <= n;
        const bool timed = known ? relative_width(&y) < relative_width(&point->cycles)
                                 : point->cycles.median > core_most;
        if (cycles && timed)
            y = (struct estimate){(float)(*clock * (double)y.median),
                                  (float)(*clock * (double)y.low),
                                  (float)(*clock * (double)y.high)};
        else if (cycles)
            y = point->cycles;
        samples[i] =
            (struct level_sample){.bytes = point->x,
                                  .latency = counts ? (double)y.median : NAN,
                                  .low = known ? (double)y.low : NAN,
                                  .high = known ? (double)y.high : NAN,
                                  .least = (double)(y.median * point->y.min / point->y.median)};
    }
    return samples;
}
