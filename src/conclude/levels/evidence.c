#include "conclude/levels/steps.h"

#include "stats/order.h"

#include <math.h>

static const double agree = 0.0488, agree_most = 0.12; /* ln 1.05 */
/* The least length of a flat that proves a level, in octaves; less if samples have intervals. */
static const double least_octaves = 0.45, least_octaves_measured = 0.25;
/* The far half of a cache is more uneven, because it consists of many parts, so its flat has to be
 * longer. */
static const double uneven = 0.08, uneven_octaves = 0.6;
enum { ADDED_SIZES = 3, MEMORY_SIZES = 3 };
/* Memory needs a flat of memory_octaves that begins beyond memory_beyond times the last capacity,
 * reaches memory_reach times it, and is within memory_near (a logarithm) of the fit's latency. */
static const double memory_octaves = 0.99, memory_beyond = 1.1, memory_reach = 2,
                    memory_near = 0.22;
/* What translation adds where working sets outgrow what it keeps, on small pages. A first level of
 * 16 entries or more misses to the second for 5 to 10 cycles: on cores of all makers up to 3.3
 * times a load that hits the first cache, where the step to a next cache takes 6.2 times and more
 * (translation_hits: benchmarks/translation_step.py). Tables of pages that leave the caches slow
 * loads a little at any size. A second level has 512 to 4096 entries, of which twice as many pages
 * miss half; walks cost more. */
static const double translated_least = 16 << 12, translation_hits = 4.6, translation_most = 4.0 / 3;
static const double walked[] = {512 << 12, 4096 << 12}, walk_most = 1.55;
/* Tables take 8 bytes for each page of 4 KiB; a guest's pages have two, its own and its host's.
 * Where they outgrow a core's own caches, each walk loads twice more, from where the data are. */
static const double tables_share = 2 * 8.0 / 4096, tables_most = 3;
/* The first cache is seen in sizes up to this, and a CPU's takes no more ns or cycles than this. */
static const double first_cache_bytes = 32 << 10, first_cache_most = 10;
/* Within so many octaves of the last size that it serves, a cache misses half of the loads. Where
 * the curve takes longer, either another level is hidden in the rise, and this one ends where
 * latency has doubled, or misses begin early; the interval holds both. */
static const double knee_octaves = 2.05;
/* A slower rise than this in an octave belongs to the same level. */
static const double steep = 0.15;

bool evidence_has_intervals(const struct curve *curve)
{
    size_t known = 0;
    for (size_t i = 0; i < curve->n; i++)
        known += curve->of[i]->low <= curve->of[i]->high;
    return 2 * known > curve->n;
}

double evidence_tolerance(const struct curve *curve, double from, double to)
{
    size_t n = 0;
    for (size_t i = 0; i < curve->n; i++)
        if (curve->clean[i].bytes > from && curve->clean[i].bytes < to)
            curve->scratch[n++] = curve->clean[i].deviation;
    return evidence_has_intervals(curve) && n
               ? fmin(agree_most, fmax(agree, 4 * median_of(curve->scratch, n)))
               : agree;
}

bool evidence_is_translation(const struct curve *curve, enum level_pages pages, double before,
                             double after, double from, double to)
{
    const double first = exp(curve->bins[0].y), step = exp(after) - exp(before);
    const bool seen = curve->clean[0].bytes <= first_cache_bytes && first <= first_cache_most &&
                      before - log(first) >= log(plateau_step);
    const double factor = to >= walked[0] && from <= walked[1] ? walk_most : translation_most;
    return pages >= LEVEL_PAGES_HOSTED && to >= translated_least &&
           (after - before < log(factor) || (seen && step < translation_hits * first));
}

bool evidence_of_memory(const struct curve *curve, double last_capacity, double latency,
                        struct flat *proof)
{
    struct flat flats[FLATS_MOST];
    size_t begin = 0;
    while (begin < curve->bin_count && exp2(curve->bins[begin].x) < memory_beyond * last_capacity)
        begin++;
    const size_t count = flats_find(curve->bins + begin, curve->bin_count - begin,
                                    evidence_tolerance(curve, 0, INFINITY), memory_octaves, flats);
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        const struct flat *flat = &flats[i];
        const double to = exp2(curve->bins[begin + flat->last].x);
        if (flat->sizes < MEMORY_SIZES || fabs(flat->middle - latency) > memory_near ||
            to < memory_reach * last_capacity || (found && flat->octaves <= proof->octaves))
            continue;
        *proof = *flat;
        proof->first += begin;
        proof->last += begin;
        found = true;
    }
    return found;
}

void evidence_add_gap(struct levels *levels, double from, double to)
{
    if (levels->gap_count < CURVE_LEVELS_MAX)
        levels->gaps[levels->gap_count++] = (struct level_gap){from, to};
}

void evidence_take_flat(struct curve *curve, const struct flat *flat, size_t k, struct level *level)
{
    size_t n = 0;
    level->from = level->to = NAN;
    for (size_t bin = flat->first; bin <= flat->last; bin++)
        for (size_t i = curve->bin_first[bin]; i < curve->bin_first[bin + 1]; i++) {
            struct level_sample *sample = curve->of[i];
            const double clean = curve->clean[i].latency;
            if (log(clean) < flat->low - agree / 2 || log(clean) > flat->high + agree / 2)
                continue;
            curve->scratch[n] = clean;
            curve->halves[n++] = (sample->high - sample->low) / 2 * clean / sample->latency;
            sample->level = (int)k;
            sample->doubt = 0;
            level->from = isnan(level->from) ? sample->bytes : level->from;
            level->to = sample->bytes;
        }
    if (n == 0)
        return;
    level->latency = level_pool(curve->scratch, curve->halves, n);
    level->fitted = level->latency.value;
    for (size_t i = 0; i < curve->n; i++)
        if (curve->of[i]->level == (int)k)
            curve->of[i]->fitted =
                level->latency.value * curve->of[i]->latency / curve->clean[i].latency;
}

/* The first bin from that one on whose latency is at least that; the bins' number: none. */
static size_t first_above(const struct curve *curve, size_t bin, double latency)
{
    while (bin < curve->bin_count && exp(curve->bins[bin].y) < latency)
        bin++;
    return bin;
}

void evidence_bracket(const struct curve *curve, enum level_pages pages, size_t last, double ends,
                      double next, struct level *level)
{
    size_t below = last;
    level->capacity = (struct interval){NAN, NAN, NAN};
    if (!isfinite(next))
        return;
    const double near = fmin(1.05 * ends + 0.15 * (next - ends), 1.25 * ends);
    while (below + 1 < curve->bin_count && exp(curve->bins[below + 1].y) < near)
        below++;
    /* The size at which half of the loads miss: no cache keeps more of a chase than its share of
     * the working set. */
    const size_t half = first_above(curve, below + 1, (ends + next) / 2);
    const size_t twice = first_above(curve, below + 1, fmin((ends + next) / 2, 2 * ends));
    if (twice >= curve->bin_count)
        return;
    const double from = curve->bins[below].x;
    const bool early = pages == LEVEL_PAGES_UNKNOWN && half < curve->bin_count,
               sudden = early && curve->bins[half].x - from <= knee_octaves,
               gradual = early && !sudden && twice > below + 1;
    const double to = curve->bins[sudden ? half : twice].x;
    level->capacity = (struct interval){exp2((from + to) / 2), exp2(from),
                                        exp2(gradual ? curve->bins[half].x : to)};
}

/* --- the levels of a fit --- */

struct weighing {
    struct curve *curve;
    struct levels *levels;
    enum level_pages pages;
    double tolerance;
};

/* Whether the step from level k to the latency `next`, somewhere between two sizes, may be due to a
 * TLB, or beyond the second level to a guest's tables of pages that leave the second one. */
static bool is_translation(const struct weighing *weighing, size_t k, double next, double from,
                           double to)
{
    const struct level *list = weighing->levels->list;
    const enum level_pages pages = weighing->pages;
    return evidence_is_translation(weighing->curve, pages, log(list[k].latency.value), log(next),
                                   from, to) ||
           ((pages == LEVEL_PAGES_WALKED || pages == LEVEL_PAGES_HOSTED) && k > 1 &&
            list[k].to * tables_share > list[1].capacity.low &&
            next < tables_most * list[k].latency.value);
}

/* The smallest size that a level serves, by the fit. */
static double served_from(const struct levels *levels, size_t k)
{
    return k ? levels->list[k - 1].capacity.value : 0;
}

static double served_to(const struct levels *levels, size_t k)
{
    return isfinite(levels->list[k].capacity.value) ? levels->list[k].capacity.value : INFINITY;
}

/* Keeps only the level's samples that agree with its latency, and sets its latency from them;
 * *least and *most are their extremes. */
static void keep_own(const struct weighing *weighing, size_t k, double *least, double *most)
{
    struct curve *curve = weighing->curve;
    struct level *level = &weighing->levels->list[k];
    bool dropped = false;
    level->from = level->to = NAN;
    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < curve->n; i++) {
        const double clean = curve->clean[i].latency;
        if (curve->of[i]->level != (int)k)
            continue;
        if (fabs(log(clean / level->latency.value)) > weighing->tolerance) {
            curve->of[i]->level = -1;
            dropped = true;
            continue;
        }
        *least = fmin(*least, clean);
        *most = fmax(*most, clean);
        level->from = isnan(level->from) ? curve->of[i]->bytes : level->from;
        level->to = curve->of[i]->bytes;
    }
    if (dropped)
        level_pool_own(curve, k, level);
}

/* Gathers level k's samples into bins, as the curve's; returns the number of bins. */
static size_t gather_own(const struct curve *curve, size_t k, struct curve_bin *own)
{
    size_t count = 0;
    for (size_t bin = 0; bin < curve->bin_count; bin++) {
        double x = 0;
        size_t n = 0;
        for (size_t i = curve->bin_first[bin]; i < curve->bin_first[bin + 1]; i++)
            if (curve->of[i]->level == (int)k) {
                x += log2(curve->clean[i].bytes);
                curve->scratch[n++] = log(curve->clean[i].latency);
            }
        if (n > 0)
            own[count++] =
                (struct curve_bin){.x = x / (double)n, .y = median_of(curve->scratch, n)};
    }
    return count;
}

static void forget_samples(struct curve *curve, size_t k)
{
    for (size_t i = 0; i < curve->n; i++)
        if (curve->of[i]->level == (int)k)
            curve->of[i]->level = -1;
}

/* Renumbers the samples of level k and later levels by `by`. */
static void move_samples(struct curve *curve, size_t k, int by)
{
    for (size_t i = 0; i < curve->n; i++)
        if (curve->of[i]->level >= (int)k)
            curve->of[i]->level += by;
}

static void take_out(struct weighing *weighing, size_t k)
{
    struct levels *levels = weighing->levels;
    forget_samples(weighing->curve, k);
    move_samples(weighing->curve, k + 1, -1);
    for (size_t i = k; i + 1 < levels->count; i++)
        levels->list[i] = levels->list[i + 1];
    levels->count--;
}

/* Moves a level's latency into the range of its own points; returns 0 if it has none. */
static int hold_to_points(struct weighing *weighing, size_t k)
{
    struct level *level = &weighing->levels->list[k];
    double least, most;
    struct curve_bin own[CURVE_BINS_MOST];
    struct flat flats[FLATS_MOST];
    keep_own(weighing, k, &least, &most);
    const double octaves =
        evidence_has_intervals(weighing->curve) ? least_octaves_measured : least_octaves;
    /* Its own sizes agree if they form a flat. */
    if (!flats_find(own, gather_own(weighing->curve, k, own), weighing->tolerance, octaves,
                    flats)) {
        /* The longest flat that is mostly within the sizes that the level serves. NULL: none. */
        const struct flat *flat = NULL;
        const double wide = evidence_tolerance(weighing->curve, served_from(weighing->levels, k),
                                               served_to(weighing->levels, k));
        const size_t count = flats_find(weighing->curve->bins, weighing->curve->bin_count,
                                        fmax(weighing->tolerance, wide), least_octaves, flats);
        for (size_t i = 0; i < count; i++) {
            const struct flat *each = &flats[i];
            const double middle = exp2(
                (weighing->curve->bins[each->first].x + weighing->curve->bins[each->last].x) / 2);
            if (middle > served_from(weighing->levels, k) &&
                middle < served_to(weighing->levels, k) && (!flat || each->octaves > flat->octaves))
                flat = each;
        }
        forget_samples(weighing->curve, k);
        if (!flat)
            return 0;
        evidence_take_flat(weighing->curve, flat, k, level);
        return 1;
    }
    const double within = fmin(most, fmax(least, level->latency.value));
    level->fitted *= within / level->latency.value;
    level->latency.value = within;
    level->latency.low = fmin(level->latency.low, level->latency.value);
    level->latency.high = fmax(level->latency.high, level->latency.value);
    return 1;
}

/* Makes the next level a part of level k, to which translation adds a step. */
static void join_next(struct weighing *weighing, size_t k, double next)
{
    struct level *level = &weighing->levels->list[k];
    if (isnan(level->translated))
        level->translated = level->capacity.value;
    level->translation = next - level->latency.value;
    level->capacity = level[1].capacity;
    take_out(weighing, k + 1);
}

/* Sets the capacity of the level before level k to where the curve leaves it; returns the level. */
static struct level *bracket_before(struct weighing *weighing, size_t k)
{
    const struct curve *curve = weighing->curve;
    struct level *level = &weighing->levels->list[k], *before = level - 1;
    size_t last = curve->bin_count - 1;
    while (last > 0 && exp2(curve->bins[last].x) > before->to)
        last--;
    evidence_bracket(curve, weighing->pages, last, before->latency.value, level->latency.value,
                     before);
    return before;
}

/* The sizes between level k and the one before were refused as a level. So the time that a miss
 * takes is unknown, and with it the capacity that the fit made of it. The interval is widened to
 * the sizes between which the curve itself leaves the level, and the value is moved among them. */
static void doubt_capacity(struct weighing *weighing, size_t k)
{
    const struct interval fit = weighing->levels->list[k - 1].capacity;
    struct interval *seen = &bracket_before(weighing, k)->capacity;
    *seen = (struct interval){fmax(seen->low, fmin(seen->high, fit.value)),
                              fmin(seen->low, fit.low), fmax(seen->high, fit.high)};
}

static void refuse_levels(struct weighing *weighing)
{
    struct levels *levels = weighing->levels;
    const struct curve *curve = weighing->curve;
    for (size_t k = 0; k < levels->count;) {
        if (hold_to_points(weighing, k)) {
            k++;
            continue;
        }
        evidence_add_gap(levels, fmax(served_from(levels, k), curve->clean[0].bytes),
                         fmin(served_to(levels, k), curve->clean[curve->n - 1].bytes));
        const struct level *before = k ? &levels->list[k - 1] : NULL;
        /* Where translation explains the step to level k, it is a part of the level before. */
        if (before && is_translation(weighing, k - 1, levels->list[k].fitted, before->capacity.low,
                                     before->capacity.high))
            join_next(weighing, k - 1, levels->list[k].fitted);
        else {
            take_out(weighing, k);
            if (before && k < levels->count)
                doubt_capacity(weighing, k);
        }
    }
}

/* The index that the flat would have as a level of its own; count + 1: it can't be one. */
static size_t place_of(const struct weighing *weighing, const struct flat *flat)
{
    const struct levels *levels = weighing->levels;
    const double from = exp2(weighing->curve->bins[flat->first].x),
                 to = exp2(weighing->curve->bins[flat->last].x), nowhere = log(plateau_step);
    size_t k = 0;
    while (k < levels->count && log(levels->list[k].latency.value) < flat->middle)
        k++;
    const bool above =
        k == 0 || (flat->middle - log(levels->list[k - 1].latency.value) >= nowhere &&
                   from > levels->list[k - 1].to);
    if (!above || k == levels->count || !(to < levels->list[k].from))
        return levels->count + 1;
    /* The curve must rise to the next level as steeply as at the end of a cache. */
    const struct curve_bin *bins = weighing->curve->bins;
    const double next = log(levels->list[k].latency.value), rise = next - flat->middle;
    size_t top = flat->last;
    while (top + 1 < weighing->curve->bin_count && bins[top].y < next - agree)
        top++;
    return rise >= nowhere && rise > steep * (bins[top].x - bins[flat->last].x) ? k
                                                                                : levels->count + 1;
}

static void add_flats(struct weighing *weighing, double tolerance, double octaves)
{
    struct levels *levels = weighing->levels;
    struct flat flats[FLATS_MOST];
    const size_t count =
        flats_find(weighing->curve->bins, weighing->curve->bin_count, tolerance, octaves, flats);
    for (size_t i = 0; i < count && levels->count < CURVE_LEVELS_MAX; i++) {
        const struct flat *flat = &flats[i];
        const size_t k = place_of(weighing, flat);
        if (k > levels->count || flat->sizes < ADDED_SIZES)
            continue;
        move_samples(weighing->curve, k, 1);
        for (size_t j = levels->count++; j > k; j--)
            levels->list[j] = levels->list[j - 1];
        struct level *level = &levels->list[k];
        *level = (struct level){.translated = NAN, .translation = NAN};
        evidence_take_flat(weighing->curve, flat, k, level);
        evidence_bracket(weighing->curve, weighing->pages, flat->last,
                         exp(weighing->curve->bins[flat->last].y),
                         levels->list[k + 1].latency.value, level);
        /* The fit's capacity of the level before covered both levels. */
        if (k > 0 && !(levels->list[k - 1].capacity.low <= level->from))
            bracket_before(weighing, k);
    }
}

static void join_translation(struct weighing *weighing)
{
    struct levels *levels = weighing->levels;
    for (size_t k = 0; k + 1 < levels->count;) {
        const struct level *level = &levels->list[k], *next = level + 1;
        if (is_translation(weighing, k, next->latency.value, level->to, next->from))
            join_next(weighing, k, next->latency.value);
        else
            k++;
    }
}

/* Sizes beyond the last level's own are its own as well, as far as its latency goes. */
static void prove_memory(struct weighing *weighing)
{
    struct levels *levels = weighing->levels;
    struct curve *curve = weighing->curve;
    if (levels->count < 2 || levels->rising)
        return;
    const size_t k = levels->count - 1;
    struct level *last = &levels->list[k];
    struct flat proof;
    levels->proven =
        evidence_of_memory(curve, last[-1].capacity.value, log(last->latency.value), &proof);
    if (levels->proven && !evidence_has_intervals(curve)) {
        forget_samples(curve, k);
        evidence_take_flat(curve, &proof, k, last);
    }
    for (size_t i = 0; i < curve->n; i++)
        if (curve->of[i]->level < 0 && curve->of[i]->bytes > last->to)
            curve->of[i]->fitted = last->fitted * curve->of[i]->latency / curve->clean[i].latency;
}

/* By how much better a constant explains bins [first, last] than a line that rises by `rise` an
 * octave: the difference of the sums of squares, in variances of the bins about a line of their
 * own. A line that falls is no better a level than a constant. */
static double gained_by_flat(const struct curve_bin *bins, size_t first, size_t last, double rise)
{
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, wyy = 0;
    for (size_t i = first; i <= last; i++) {
        const double weight = 1 / (bins[i].scatter * bins[i].scatter),
                     x = bins[i].x - bins[first].x, y = bins[i].y - bins[first].y;
        w += weight;
        wx += weight * x;
        wy += weight * y;
        wxx += weight * x * x;
        wxy += weight * x * y;
        wyy += weight * y * y;
    }
    const double xx = wxx - wx * wx / w, xy = wxy - wx * wy / w, yy = wyy - wy * wy / w;
    const double beyond_line = last > first + 1 ? (double)(last - first - 1) : INFINITY;
    return rise * (rise * xx - 2 * fmax(0, xy)) / fmax(1, (yy - xy * xy / xx) / beyond_line);
}

/* The first bin with a sample of that size or more. */
static size_t bin_of(const struct curve *curve, double bytes)
{
    size_t bin = 0;
    while (curve->clean[curve->bin_first[bin + 1] - 1].bytes < bytes)
        bin++;
    return bin;
}

/* By how much the level is proven to be flat: its sizes may as well lie on the rise from the level
 * before to the next one, where the two serve more or less of the loads. The most that a stretch
 * gains that holds its own sizes and whose ends are nearer to its latency than to the neighbours',
 * less what the unknowns of a knee cost by the criterion of Schwarz, "Estimating the dimension of a
 * model", Annals of Statistics 6(2), 1978. Not proven if its interval reaches a neighbour's
 * latency. */
static double proof_of_flat(const struct curve *curve, const struct level *level)
{
    const struct curve_bin *bins = curve->bins;
    const size_t from = bin_of(curve, level->from), to = bin_of(curve, level->to);
    const double own = log(level->latency.value), before = log(level[-1].latency.value),
                 next = log(level[1].latency.value), least = (before + own) / 2,
                 most = (own + next) / 2;
    const size_t begin = bin_of(curve, level[-1].to);
    size_t end = to;
    double gained = 0;
    if (!(level->latency.low > level[-1].latency.value &&
          level->latency.high < level[1].latency.value))
        return -INFINITY;
    while (end + 1 < curve->bin_count && bins[end].y < next - log(plateau_step))
        end++;
    const double rise = (bins[end].y - bins[begin].y) / (bins[end].x - bins[begin].x);
    for (size_t first = begin < from ? begin + 1 : from; first <= from; first++)
        for (size_t last = to; last < end; last++)
            if (last > first &&
                (first == from || (bins[first].y > least && bins[first].y < most)) &&
                (last == to || (bins[last].y > least && bins[last].y < most)))
                gained = fmax(gained, gained_by_flat(bins, first, last, rise));
    return gained - KNEE_UNKNOWNS * log(end > begin ? (double)(end - begin) : 1);
}

/* Refuses levels between two others that are not proven to be flat, the least proven one first. */
static void refuse_undistinguished(struct weighing *weighing)
{
    struct levels *levels = weighing->levels;
    for (size_t least = 1; least;) {
        double proof = 0;
        least = 0;
        for (size_t k = 1; k + 1 < levels->count; k++) {
            const double own = proof_of_flat(weighing->curve, &levels->list[k]);
            least = own <= proof ? k : least;
            proof = fmin(own, proof);
        }
        if (least) {
            evidence_add_gap(levels, levels->list[least].from, levels->list[least].to);
            take_out(weighing, least);
            doubt_capacity(weighing, least);
        }
    }
}

/* A half-full cache serves nearly all loads, however its sets are filled: sets of 8 or more ways
 * that are half full on average overflow for one load in fifty (Poisson), which multiplies the
 * latency by less than this unless the next level is 25 times as slow. If two sizes in a row within
 * half of the capacity found are slower, other programs took room during the measurement, or
 * two levels were fitted as one: the hidden one's hits raise the curve long before half of the
 * loads go to memory. */
static const double served_at_half = 1.5;

static bool is_blurred(const struct curve *curve, const struct level *level)
{
    size_t slow = 0;
    for (size_t i = 0; i < curve->bin_count; i++) {
        const double bytes = exp2(curve->bins[i].x);
        if (bytes <= level->to || bytes > level->capacity.value / 2)
            continue;
        slow = exp(curve->bins[i].y) > served_at_half * level->latency.value ? slow + 1 : 0;
        if (slow == 2)
            return true;
    }
    return false;
}

void evidence_weigh(struct curve *curve, enum level_pages pages, struct levels *levels)
{
    struct weighing weighing = {.curve = curve,
                                .levels = levels,
                                .pages = pages,
                                .tolerance = evidence_tolerance(curve, 0, INFINITY)};
    refuse_levels(&weighing);
    add_flats(&weighing, weighing.tolerance, least_octaves);
    add_flats(&weighing, fmax(weighing.tolerance, uneven), uneven_octaves);
    refuse_undistinguished(&weighing);
    join_translation(&weighing);
    prove_memory(&weighing);
    for (size_t k = 0; k + 1 < levels->count; k++) {
        levels->list[k].blurred = is_blurred(curve, &levels->list[k]);
        if (pages == LEVEL_PAGES_UNKNOWN) {
            /* What this level serves of a working set (its bytes times the share of hits) can't
             * exceed the capacity. Where it exceeds the one that was found, misses begin early, so
             * the capacity may reach to where half of the loads miss. */
            const double next = levels->list[k + 1].latency.value;
            struct level *level = &levels->list[k];
            const double own = level->latency.value;
            const size_t half = first_above(curve, 0, (own + next) / 2);
            for (size_t i = 0; i < half && half < curve->bin_count; i++) {
                const double bytes = exp2(curve->bins[i].x);
                if (bytes > level->to &&
                    bytes * (next - exp(curve->bins[i].y)) / (next - own) > level->capacity.high)
                    level->capacity.high = exp2(curve->bins[half].x);
            }
        }
    }
}
