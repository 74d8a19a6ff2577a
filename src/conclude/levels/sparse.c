#include "conclude/levels/steps.h"

#include <math.h>

/* From this many sizes an octave on, a fit finds more than the flats show. Fewer are enough if
 * samples have intervals, which distinguish a step from noise. */
static const double dense = 2.7, dense_measured = 1.8;
enum { FIT_SIZES = 8 };
static const double flat_octaves = 0.25;
/* If pages are unknown, a step by reported_step or more is reported as translation; if they are
 * known, steps below plateau_step are ignored. */
static const double reported_step = 1.12, translated_most = 2;
/* The most that a level may rise in an octave, because translation slows memory down gradually. */
static const double gentle_slope = 0.1;
/* Between two levels that differ by this factor another level may be hidden. */
static const double hiding = 3;

/* The flats of one level. */
struct group {
    const struct flat *own; /* the flat that the level's latency is read off */
    size_t last;            /* bin */
    double base,
        ends; /* latencies of the first and the last flat since the last step, as logarithms */
    double translated, translation,
        step; /* the size at which the level steps most, the sum of all steps, and that step */
};

bool sparse_is(const struct curve *curve)
{
    const size_t n = curve->bin_count;
    return n < FIT_SIZES ||
           (double)(n - 1) < (evidence_has_intervals(curve) ? dense_measured : dense) *
                                 (curve->bins[n - 1].x - curve->bins[0].x);
}

/* If a flat is lower than the one before it, the shorter of the two is dropped, because no memory
 * gets faster when more of it is used. */
static size_t let_rise(struct flat *list, size_t count)
{
    for (size_t i = 0; i + 1 < count;) {
        if (list[i].middle - list[i + 1].middle <= log(plateau_step)) {
            i++;
            continue;
        }
        const size_t away = list[i].octaves < list[i + 1].octaves ? i : i + 1;
        for (size_t j = away; j + 1 < count; j++)
            list[j] = list[j + 1];
        count--;
        i = i ? i - 1 : 0;
    }
    return count;
}

/* Whether the flat continues the group; if so, adds it. */
static bool goes_on(const struct curve *curve, enum level_pages pages, struct group *group,
                    const struct flat *flat)
{
    const double from = curve->bins[group->last].x, to = curve->bins[flat->first].x;
    const double at = exp2((from + to) / 2), step = flat->middle - group->ends;
    const bool rises =
        flat->middle - group->base >= log(plateau_step) && step > gentle_slope * (to - from);
    /* Both levels of a TLB may show; together they add less than the step of a cache. */
    if ((rises || step > log(reported_step)) &&
        flat->middle - group->own->middle < log(translated_most) &&
        evidence_is_translation(curve, pages, group->ends, flat->middle, exp2(from), exp2(to))) {
        if (!(step <= group->step)) {
            group->translated = at;
            group->step = step;
        }
        group->translation = exp(flat->middle) - exp(group->own->middle);
        group->base = flat->middle;
    } else if (rises) {
        return false;
    }
    group->last = flat->last;
    group->ends = flat->middle;
    if (isnan(group->translated) && flat->octaves > group->own->octaves)
        group->own = flat;
    return true;
}

static size_t gather(const struct curve *curve, enum level_pages pages, const struct flat *flats,
                     size_t count, struct group groups[CURVE_LEVELS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct flat *flat = &flats[i];
        if (n > 0 && goes_on(curve, pages, &groups[n - 1], flat))
            continue;
        if (n == CURVE_LEVELS_MAX)
            break;
        groups[n++] = (struct group){
            flat, flat->last, flat->middle, flat->middle, .translated = NAN, NAN, NAN};
    }
    return n;
}

/* The highest latency beyond a group, as a logarithm; NAN: the curve does not rise enough for
 * another level. */
static double top_behind(const struct curve *curve, const struct group *group)
{
    double top = -INFINITY;
    for (size_t i = group->last + 1; i < curve->bin_count; i++)
        top = fmax(top, curve->bins[i].y);
    const struct curve_bin *end = &curve->bins[curve->bin_count - 1];
    const double octaves = end->x - curve->bins[group->last].x;
    const bool gentle = end->y - group->ends <= gentle_slope * octaves;
    return top - group->ends > log(plateau_step) && !gentle ? top : NAN;
}

/* Adds a gap for the sizes of bins [first, end) whose latency is clearly between the two levels. */
static void tell_gap(const struct curve *curve, size_t first, size_t end, double above,
                     double below, struct levels *levels)
{
    double from = NAN, to = NAN;
    for (size_t i = first; i < end; i++) {
        if (curve->bins[i].y < above + log(reported_step) ||
            curve->bins[i].y > below - log(reported_step))
            continue;
        from = isnan(from) ? curve->clean[curve->bin_first[i]].bytes : from;
        to = curve->clean[curve->bin_first[i + 1] - 1].bytes;
    }
    if (!isnan(from))
        evidence_add_gap(levels, from, to);
}

static void tell_gaps(const struct curve *curve, const struct group *groups, size_t count,
                      struct levels *levels)
{
    if (count == 0) {
        tell_gap(curve, 0, curve->bin_count, -INFINITY, INFINITY, levels);
        return;
    }
    tell_gap(curve, 0, groups[0].own->first, -INFINITY, groups[0].own->middle, levels);
    for (size_t k = 0; k + 1 < count; k++)
        if (groups[k + 1].own->middle - groups[k].ends >= log(hiding))
            tell_gap(curve, groups[k].last + 1, groups[k + 1].own->first, groups[k].ends,
                     groups[k + 1].own->middle, levels);
    tell_gap(curve, groups[count - 1].last + 1, curve->bin_count, groups[count - 1].ends, INFINITY,
             levels);
}

/* Fills in the levels. If memory is proven, *proof becomes the last group's own flat. */
static void fill(struct curve *curve, enum level_pages pages, struct group *groups, size_t count,
                 struct flat *proof, struct levels *levels)
{
    levels->count = count;
    for (size_t k = 0; k < count; k++) {
        struct level *level = &levels->list[k];
        const bool last = k + 1 == count;
        *level = (struct level){.translated = groups[k].translated,
                                .translation = groups[k].translation};
        const double next = exp(last ? top_behind(curve, &groups[k]) : groups[k + 1].own->middle);
        evidence_bracket(curve, pages, groups[k].last, exp(groups[k].ends), next, level);
        levels->rising = last && isfinite(next);
        if (last && k > 0 && !levels->rising)
            levels->proven = evidence_of_memory(curve, levels->list[k - 1].capacity.value,
                                                groups[k].ends, proof);
        if (levels->proven)
            groups[k].own = proof;
        evidence_take_flat(curve, groups[k].own, k, level);
    }
}

void sparse_levels(struct curve *curve, enum level_pages pages, struct levels *levels)
{
    struct flat flats[FLATS_MOST];
    struct group groups[CURVE_LEVELS_MAX];
    struct flat proof;
    size_t count = flats_find(curve->bins, curve->bin_count, evidence_tolerance(curve, 0, INFINITY),
                              flat_octaves, flats);
    count = let_rise(flats, count);
    const size_t n = gather(curve, pages, flats, count, groups);
    levels->sparse = true;
    fill(curve, pages, groups, n, &proof, levels);
    tell_gaps(curve, groups, n, levels);
}
