#include "conclude/levels/level.h"

#include "base/quantity.h"
#include "conclude/levels/steps.h"
#include "stats/order.h"
#include "stats/student.h"

#include <math.h>

/* The least deviation of a real machine from the fit's shapes. */
static const double fit_unevenness = 0.004;
/* The largest correction of a plateau's point for other levels' share in it. */
static const double correction_most = 0.05;
/* The uncertainty of a correction, as a share of it; a correction above the largest is uncertain as
 * a whole. */
static const double doubted = 0.25;

/* --- from plateaus to levels --- */

/* Fills in the data of the fit: samples if there are few, else bins. */
static size_t fit_samples(const struct curve *curve, size_t first_bin, struct mixture_sample *out)
{
    size_t n = 0;
    for (size_t b = first_bin; b < curve->bin_count; b++) {
        const struct curve_bin *bin = &curve->bins[b];
        if (curve->n > 2 * CURVE_BINS_MOST)
            out[n++] = (struct mixture_sample){exp2(bin->x), exp(bin->y), bin->deviation};
        for (size_t i = curve->bin_first[b];
             curve->n <= 2 * CURVE_BINS_MOST && i < curve->bin_first[b + 1]; i++)
            out[n++] = (struct mixture_sample){curve->clean[i].bytes, curve->room[i],
                                               hypot(fit_unevenness, curve->clean[i].deviation)};
    }
    return n;
}

struct interval level_pool(double *values, double *half_widths, size_t n)
{
    size_t known = 0;
    if (!n)
        return (struct interval){NAN, NAN, NAN};
    for (size_t i = 0; i < n; i++)
        if (isfinite(half_widths[i]))
            half_widths[known++] = half_widths[i];
    double half = known ? median_of(half_widths, known) : 0;
    sort_ascending(values, n);
    struct median_ranks ranks = median_interval(n, 0.95);
    double value = median(values, n);
    /* A latency is above zero: if the half width exceeds half of the value, the low end approaches
     * zero and never reaches it. */
    const bool wide = value > 0 && half > value / 2;
    const double below = wide ? value * value / (4 * half) : value - half;
    /* Few points' least and greatest hold the truth less often than in 95 %. */
    const double few = student_widening(ranks.coverage);
    const double low = value > 0 ? value * pow(values[ranks.low - 1] / value, few)
                                 : values[ranks.low - 1],
                 high = value + few * (values[ranks.high - 1] - value);
    return (struct interval){value, fmin(low, below), fmax(high, value + half)};
}

/* --- a level's own points --- */

void level_pool_own(const struct curve *curve, size_t k, struct level *level)
{
    size_t n = 0;
    for (size_t i = 0; i < curve->n; i++) {
        const struct level_sample *sample = curve->of[i];
        if (sample->level != (int)k)
            continue;
        const double factor = level->fitted / sample->fitted;
        curve->scratch[n] = sample->latency * factor;
        curve->halves[n++] =
            (sample->high - sample->low) / 2 * factor + sample->doubt * level->fitted;
    }
    if (n)
        level->latency = level_pool(curve->scratch, curve->halves, n);
}

/* Fills the level from the points that it serves nearly alone: the fit is within a twentieth of the
 * level there. If there are none, from the points where its share is largest. */
static void pool_samples(struct curve *curve, const struct mixture *mixture,
                         const struct miss_shares *shares, size_t k, struct level *level)
{
    /* A sample that is more on a rise than on the plateau is used only if there is no other. */
    double largest = 0;
    for (size_t i = 0; i < curve->n; i++)
        largest = fmax(largest, mixture_share(mixture, shares, k, curve->clean[i].bytes));
    const double share = fmax(0.5, 0.9 * largest);
    size_t n = 0;
    for (int strictly = 1; strictly >= 0 && n == 0; strictly--)
        for (size_t i = 0; i < curve->n; i++) {
            struct level_sample *sample = curve->of[i];
            double pure = sample->fitted * curve->clean[i].latency / sample->latency;
            double own = mixture_share(mixture, shares, k, curve->clean[i].bytes);
            bool near = fabs(pure / level->fitted - 1) <= correction_most && own >= 0.5;
            if (strictly ? !near : own < share)
                continue;
            sample->doubt = (strictly ? doubted : 1) * fabs(log(level->fitted / pure));
            sample->level = (int)k;
            n++;
            level->from = isnan(level->from) ? sample->bytes : level->from;
            level->to = sample->bytes;
        }
    level_pool_own(curve, k, level);
}

/* The median distance of samples [first, end) from the fit, as a logarithm. */
static double residual(struct curve *curve, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        curve->scratch[i] = log(curve->of[i]->latency / curve->of[i]->fitted);
    return median_of(curve->scratch + first, end - first);
}

/* The median of the samples' latencies, as a logarithm. */
static double middle_log(struct curve *curve, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        curve->scratch[i] = log(curve->clean[i].latency);
    return median_of(curve->scratch + first, end - first);
}

/* The level that serves the largest share of the loads at that size. */
static size_t serving(const struct mixture *mixture, const struct miss_shares *shares, double bytes)
{
    size_t best = 0;
    for (size_t k = 1; k <= mixture->count; k++)
        if (mixture_share(mixture, shares, k, bytes) > mixture_share(mixture, shares, best, bytes))
            best = k;
    return best;
}

/* The longest plateau at whose middle level k serves most of the loads: shorter ones are steps on
 * the way to it, or noise. NULL: none. */
static const struct plateau *longest_of(const struct curve *curve, const struct mixture *mixture,
                                        const struct miss_shares *shares,
                                        const struct plateau *plateaus, size_t count, size_t k)
{
    const struct plateau *best = NULL;
    double most = 0;
    for (size_t p = 0; p < count; p++) {
        const struct plateau *plateau = &plateaus[p];
        const size_t first = curve->bin_first[plateau->first],
                     end = curve->bin_first[plateau->last + 1];
        const double octaves = curve->bins[plateau->last].x - curve->bins[plateau->first].x;
        if (octaves > most &&
            serving(mixture, shares, curve->clean[(first + end) / 2].bytes) == k) {
            best = plateau;
            most = octaves;
        }
    }
    return best;
}

/* If the fit slopes on a plateau, the cache has a replacement policy that the fit does not know,
 * and the points tell the latency better: the fit is moved onto them. */
static void trust_plateau(struct curve *curve, const struct plateau *plateau, struct level *level)
{
    size_t first = curve->bin_first[plateau->first];
    const size_t end = curve->bin_first[plateau->last + 1];
    size_t half = (first + end) / 2;
    /* On the last plateau the last cache's share of hits still shrinks. */
    if (end == curve->n) {
        first = half;
        half = (first + end) / 2;
    }
    if (half == first)
        return;
    double tilt = residual(curve, half, end) - residual(curve, first, half);
    double raw = middle_log(curve, half, end) - middle_log(curve, first, half);
    double seen = exp(middle_log(curve, first, end));
    double least = end == curve->n ? 0 : correction_most;
    if (fabs(tilt) <= fmax(least, fabs(raw)) ||
        fabs(log(level->fitted / seen)) >= 2 * log(plateau_step))
        return;
    level->fitted = level->latency.value = seen;
    for (size_t i = first; i < end; i++)
        curve->of[i]->fitted = seen * curve->of[i]->latency / curve->clean[i].latency;
}

/* A capacity is known no more precisely than to the nearest measured sizes, however well a shape
 * fits. */
static void widen_capacity(const struct curve *curve, struct level *level)
{
    double below = 0, above = INFINITY;
    for (size_t i = 0; i < curve->n; i++) {
        double bytes = curve->clean[i].bytes;
        if (bytes <= level->capacity.value)
            below = fmax(below, bytes);
        if (bytes >= level->capacity.value)
            above = fmin(above, bytes);
    }
    if (below > 0)
        level->capacity.low = fmin(level->capacity.low, below);
    if (isfinite(above))
        level->capacity.high = fmax(level->capacity.high, above);
}

/* Whether the curve falls. A fit of one level without a knee does not explain that, so there is no
 * level. */
static bool falls(struct curve *curve)
{
    const size_t half = curve->n / 2;
    return middle_log(curve, 0, half) - middle_log(curve, half, curve->n) > log(plateau_step);
}

static void read_fit(struct curve *curve, const struct mixture *mixture,
                     const struct miss_shares *shares, const struct plateau *plateaus,
                     size_t plateau_count, struct levels *levels)
{
    for (size_t i = 0; i < curve->n; i++)
        curve->of[i]->fitted = mixture_at(mixture, shares, curve->clean[i].bytes) *
                               curve->of[i]->latency / curve->clean[i].latency;
    levels->count = mixture->count + 1 - levels->rising;
    for (size_t k = 0; k < levels->count; k++) {
        const struct mixture_knee *knee = &mixture->knees[k];
        bool left = k < mixture->count;
        struct level *level = &levels->list[k];
        const double fitted = mixture_level(mixture, k);
        *level = (struct level){.fitted = fitted,
                                .latency = {fitted, NAN, NAN},
                                .capacity = {NAN, NAN, NAN},
                                .from = NAN,
                                .to = NAN,
                                .translated = NAN,
                                .translation = NAN};
        if (left) {
            level->capacity = (struct interval){knee->capacity, knee->low, knee->high};
            widen_capacity(curve, level);
        }
        const struct plateau *longest =
            longest_of(curve, mixture, shares, plateaus, plateau_count, k);
        if (longest)
            trust_plateau(curve, longest, level);
        pool_samples(curve, mixture, shares, k, level);
    }
}

static void fit_levels(struct curve *curve, struct pool *pool, enum level_pages pages,
                       const struct plateau *plateaus, size_t count, struct levels *levels)
{
    struct mixture_sample *samples = pool_alloc(pool, 2 * CURVE_BINS_MOST, sizeof *samples);
    struct mixture mixture = {0};
    const size_t n = fit_samples(curve, plateaus[0].first, samples);
    /* Each knee is bracketed generously, because a soft knee begins below the capacity and ends
     * beyond it. */
    mixture.count = count - 1 + levels->rising;
    const struct miss_shares *shares = mixture.count ? miss_shares_make(pool) : NULL;
    for (size_t k = 0; k < mixture.count; k++) {
        size_t next = k + 1 < count ? plateaus[k + 1].first : curve->bin_count - 1;
        mixture.knees[k].least = 0.7 * exp2(curve->bins[plateaus[k].last].x);
        mixture.knees[k].most = exp2(curve->bins[next].x);
    }
    mixture_choose(&mixture, pool, shares, samples, n);
    if (!isfinite(mixture.cost) || (!mixture.count && falls(curve)))
        return;
    read_fit(curve, &mixture, shares, plateaus, count, levels);
    evidence_weigh(curve, pages, levels);
}

/* There is a knee between each plateau and the next, or after the last one; the fit may also split
 * a knee. */
_Static_assert(CURVE_LEVELS_MAX == KNEES_MOST + 1, "a level on either side of every knee");

static void fit(struct curve *curve, struct pool *pool, enum level_pages pages,
                struct levels *levels)
{
    struct plateau plateaus[KNEES_MOST];
    const size_t count = plateaus_find(pool, curve->bins, curve->bin_count, plateaus, KNEES_MOST);
    if (!count)
        return;
    /* It rises if the points beyond the last plateau are as far above it as another level is. */
    const struct plateau *last = &plateaus[count - 1];
    const struct curve_bin *end = &curve->bins[curve->bin_count - 1];
    levels->rising = last->last + 1 < curve->bin_count &&
                     end->y - last->ends > fmax(log(plateau_step), 3 * end->deviation);
    fit_levels(curve, pool, pages, plateaus, count, levels);
}

/* It takes three sizes to make a curve. */
enum { SIZES_LEAST = 3 };

struct finding_levels {
    enum level_pages pages;
    struct level_sample *samples;
    size_t n;
    const struct translation_knee *knees;
    size_t knee_count;
    struct levels *levels;
};

static void find(struct pool *scratch, void *with)
{
    const struct finding_levels *in = with;
    struct curve *curve = curve_read(scratch, in->samples, in->n, in->knees, in->knee_count);
    if (curve->bin_count < SIZES_LEAST)
        return;
    if (sparse_is(curve))
        sparse_levels(curve, in->pages, in->levels);
    else
        fit(curve, scratch, in->pages, in->levels);
}

void levels_find(struct pool *pool, enum level_pages pages, struct level_sample *samples, size_t n,
                 const struct translation_knee *knees, size_t knee_count, struct levels *levels)
{
    struct finding_levels in = {pages, samples, n, knees, knee_count, levels};
    *levels = (struct levels){.clock = NAN};
    pool_scratch(pool, find, &in);
}

struct level_sample *levels_of_series(struct pool *pool, enum level_pages pages,
                                      const struct series *series,
                                      const struct translation_knee *knees, size_t knee_count,
                                      struct levels *levels)
{
    double clock;
    struct level_sample *samples = level_samples(series, pool, &clock);
    const bool cycles = isfinite(clock) || quantity_is(series->y.unit, DIMENSION_CYCLES);
    levels_find(pool, pages, samples, series->point_count, knees, cycles ? knee_count : 0, levels);
    levels->clock = clock;
    return samples;
}
