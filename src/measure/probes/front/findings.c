/*
 * The levels of the instruction side. Each ladder has its levels (conclude/levels/level.h). A
 * second ladder shows what ends a level: if both end after the same number of bytes it is a cache,
 * after the same number of branches a branch target buffer. An end that only one ladder has is not
 * attributed to anything.
 *
 * Between two levels a curve may rise over an octave, for instance because some sets are full
 * before others; and small steps before a large one are distinguished from noise in one run and not
 * in the next. So what fits is read off the curve and not off a fit: code fits up to the size from
 * which on a quarter of the step is paid, and no longer at the size from which on half of it is.
 * The interval has the sizes of both ladders, and one that spans an octave is no finding.
 *
 * Jumps alone prove no cache: a buffer of n branches whose sets are chosen by the address of blocks
 * of 32 bytes ends after n times 32 bytes for all jumps that are farther apart. So one of the
 * ladders that agree on a cache has no jumps, and those that agree on a buffer are not farther
 * apart. Of nested buffers only the last one is reported: a busy hardware thread of the core takes
 * part of a nearer one, so its number changes from run to run.
 *
 * Jumps a page and half a page apart agree on a TLB by what a page costs: from the same number of
 * pages on, as much more on both. Where a number of branches or lines ends, jumps half as far apart
 * passed that end at half of the pages, and a page costs them no more than before.
 */
#include "measure/probes/front/front.h"

#include "base/units.h"
#include "conclude/levels/reading.h"
#include "document/flag.h"

#include <math.h>
#include <string.h>

/* A cache that ends beyond this multiple of a declared one is a farther one
 * (conclude/levels/levels.c). */
static const double passed_over = 1.5;

/* A level costs at least this multiple of the one before: undisturbed trials differ by less. */
static const double least_step = 1.25;

/* Shares of a step: what is below the first is the level, what is above the second the next one. */
static const double still = 0.25, beyond = 0.5;

/* While another thread of the core is busy for a part of the time, the sizes of a level scatter
 * more than this; undisturbed they differ by a twentieth. */
static const double steady = 0.1;

/* An interval of an octave or more can't show what ends a level: the ladders are an octave apart.
 */
static const double spread_most = 2;

/* The share of a rise that another ladder shows, too: halfway between all of it and none. */
static const double same_rise = 0.5;

/* Two ladders of one role. */
enum { PAIR = 2 };

/* Which ladders can agree on what; if two pairs find the same end, the first pair counts. Where
 * decoded instructions outlast a cache, jumps show its end, and straight-line code has to rise
 * there. */
static const struct {
    enum front_role role;
    enum front_number ladders[PAIR];
} pairs[] = {{FRONT_BRANCHES, {JUMP32, JUMP16}}, {FRONT_BYTES, {NOP4, NOP8}},
             {FRONT_BYTES, {NOP4, FAR64}},       {FRONT_BYTES, {JUMP32, JUMP16}},
             {FRONT_DECODED, {NOP8, NOP12}},     {FRONT_DECODED, {NOP4, NOP8}}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* A ladder's levels, and where the curve leaves each: low is the value; NAN: not at all. */
struct curve {
    const struct front_ladder *ladder; /* NULL: nothing can be read off it */
    struct level_reading reading;
    struct interval fits[CURVE_LEVELS_MAX], decoded; /* bytes */
};

/* What both curves agree on, in bytes or in branches, and which level of each ends there. */
struct agreement {
    const struct curve *curves[PAIR];
    size_t level[PAIR];
    struct interval fits;
};

/* --- reading the ladders --- */

static const struct series *series_of(const struct analysis *analysis,
                                      const struct front_ladder *ladder)
{
    const struct probe_result *result = analysis->result;
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        const struct factor *each = series_factor(series, front_each);
        if (strcmp(series->name, ladder->name) == 0 && each && each->number == ladder->each &&
            series->point_count)
            return series;
    }
    return NULL;
}

/* The median cost of the last octave, for a curve without a last level. */
static double far_cost(const struct series *series)
{
    enum { OCTAVE = 4 };
    double costs[OCTAVE];
    const size_t n = series->point_count < OCTAVE ? series->point_count : OCTAVE;
    for (size_t i = 0; i < n; i++)
        costs[i] = (double)series->points[series->point_count - n + i].cycles.median;
    return median_of(costs, n);
}

/* Where the curve leaves level k for good: by a step, and for more than two sizes. Beyond a TLB it
 * rises slowly, and what a jump costs after further ends is not part of its step. */
static struct interval left_at(const struct series *series, const struct levels *levels, size_t k,
                               bool pages)
{
    const struct level *level = &levels->list[k];
    const struct point *points = series->points;
    const bool last = k + 1 == levels->count;
    const double to = last ? points[series->point_count - 1].x : level[1].to,
                 after = last ? far_cost(series) : level[1].latency.value,
                 rise = after - level->latency.value,
                 step = pages ? fmin(rise, level->latency.value) : rise;
    struct interval fits = {NAN, NAN, NAN};
    bool stays = true;
    size_t over = 0, past = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        const double share = ((double)points[i].cycles.median - level->latency.value) / step;
        if (!(points[i].x >= level->from && points[i].x <= to))
            continue;
        over = share <= still ? 0 : over + 1;
        stays = stays && over < 2; /* one size alone is noise */
        if (stays && !over)
            fits.low = points[i].x;
        past = share < beyond ? 0 : past + 1;
        if (past == 1)
            fits.high = points[i].x;
    }
    fits.value = fits.low;
    return past > 2 && step >= (least_step - 1) * level->latency.value
               ? fits
               : (struct interval){NAN, NAN, NAN};
}

/* Whether more than a quarter of its sizes have fewer trials than planned, as beside other
 * programs: then the lowest may be disturbed, too. */
static bool has_too_few(const struct series *series)
{
    size_t few = 0;
    for (size_t i = 0; i < series->point_count; i++)
        few += series->points[i].flags >> FLAG_TOO_FEW & 1;
    return 4 * few > series->point_count;
}

/* Reads a ladder; without cycles nothing is read off it. */
static void read_ladder(const struct analysis *analysis, size_t number, struct curve *curve)
{
    const struct series *series = series_of(analysis, &front_ladders[number]);
    struct levels *levels = &curve->reading.levels;
    if (!series || has_too_few(series))
        return;
    curve->reading.result = analysis->result;
    curve->reading.series = series;
    curve->reading.samples =
        levels_of_series(analysis->pool, LEVEL_PAGES_KNOWN, series, NULL, 0, levels);
    for (size_t k = 0; k < levels->count; k++)
        curve->fits[k] = left_at(series, levels, k, front_ladders[number].where != FRONT_NEAR);
    curve->ladder = isfinite(levels->clock) ? &front_ladders[number] : NULL;
}

static struct curve *read_ladders(const struct analysis *analysis)
{
    struct curve *curves = pool_alloc(analysis->pool, FRONT_LADDERS, sizeof *curves);
    for (size_t i = 0; i < FRONT_LADDERS; i++)
        read_ladder(analysis, i, &curves[i]);
    return curves;
}

/* Bytes as a number of what the role's ladders count. */
static struct interval in_units(struct interval bytes, const struct curve *curve,
                                enum front_role role)
{
    const double unit = role == FRONT_BYTES ? 1 : curve->ladder->each;
    return (struct interval){NAN, bytes.low / unit, bytes.high / unit};
}

/* The bytes of a ladder's code on each page. */
static double page_of(const struct front_ladder *ladder)
{
    return fmax(ladder->each, ladder->where == FRONT_LARGE ? FRONT_LARGE_PAGE : FRONT_PAGE);
}

/* How many cycles more a page costs from `pages.high` pages on than up to `pages.low`: of two sizes
 * each, because one alone may be noise. NAN: the ladder lacks them. */
static double rise_of(const struct curve *curve, struct interval pages)
{
    double before = NAN, after = NAN;
    const double page = page_of(curve->ladder);
    const struct point *points = curve->reading.series->points;
    for (size_t i = 1; i < curve->reading.series->point_count; i++) {
        const double here =
            ((double)points[i - 1].cycles.median + (double)points[i].cycles.median) / 2;
        before = points[i].x <= pages.low * page ? here : before;
        after = isnan(after) && points[i - 1].x >= pages.high * page ? here : after;
    }
    return (after - before) * page / curve->ladder->each;
}

/* Whether the other ladder shows the same rise at that number of pages, and not already where it
 * has as many branches. */
static bool rises_alike(const struct curve *one, const struct curve *other, struct interval pages)
{
    const struct interval half = {NAN, pages.low / 2, pages.high / 2};
    if (!other->ladder)
        return false;
    const double rise = rise_of(one, pages), share = rise_of(other, pages) / rise,
                 branches =
                     rise_of(other, half) / rise * other->ladder->each / page_of(other->ladder);
    return share >= same_rise && share <= 1 / same_rise && !(branches > same_rise);
}

/* The ends of the first ladder's levels that the other agrees are those of a number of pages. */
static size_t agree_on_pages(const struct curve *one, const struct curve *other,
                             struct agreement list[CURVE_LEVELS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; one->ladder && i < one->reading.levels.count; i++) {
        const double page = page_of(one->ladder), low = one->fits[i].low / page;
        const struct interval pages = {low, low, one->fits[i].high / page};
        if (rises_alike(one, other, pages))
            list[count++] = (struct agreement){{one, other}, {i, i}, pages};
    }
    return count;
}

/* Whether the curve rises by more than the sizes of one level differ, from the size `from` to the
 * second one after `to`. */
static bool rises(const struct curve *curve, double from, double to)
{
    double before = NAN, after = NAN;
    size_t past = 0;
    for (size_t i = 0; curve->ladder && i < curve->reading.series->point_count && past < 2; i++) {
        const struct point *point = &curve->reading.series->points[i];
        before = point->x <= 1.01 * from ? (double)point->cycles.median : before;
        past += point->x > 1.01 * to;
        after = (double)point->cycles.median;
    }
    return past == 2 && after >= (1 + steady) * before;
}

/* What pairs of ladders agree on, ascending: bytes of a cache, else a number of entries. On decoded
 * instructions they must agree better in number than in bytes. */
static size_t agree(const struct curve *curves, enum front_role role,
                    struct agreement list[CURVE_LEVELS_MAX])
{
    size_t count = 0;
    for (size_t pair = 0; pair < PAIRS; pair++) {
        const struct curve *one = &curves[pairs[pair].ladders[0]],
                           *other = &curves[pairs[pair].ladders[1]];
        for (size_t n = 0; n < CURVE_LEVELS_MAX * CURVE_LEVELS_MAX; n++) {
            const size_t i = n / CURVE_LEVELS_MAX, j = n % CURVE_LEVELS_MAX;
            if (pairs[pair].role != role || !one->ladder || !other->ladder ||
                i >= one->reading.levels.count || j >= other->reading.levels.count)
                continue;
            const bool decoded = role == FRONT_DECODED;
            const struct interval a = in_units(decoded ? one->decoded : one->fits[i], one, role),
                                  b = in_units(decoded ? other->decoded : other->fits[j], other,
                                               role);
            const double low = fmin(a.low, b.low), high = fmax(a.high, b.high),
                         apart = fabs(log(a.low * a.high / (b.low * b.high)));
            size_t at = count;
            while (at && list[at - 1].fits.high >= low)
                at--;
            if (count == CURVE_LEVELS_MAX || (at < count && list[at].fits.low <= high) ||
                !(a.low <= b.high && b.low <= a.high && high < spread_most * low) ||
                (decoded && apart >= log((double)other->ladder->each / one->ladder->each)) ||
                (role == FRONT_BYTES && one->ladder->kind == FRONT_JUMPS &&
                 !rises(&curves[NOP4], low, high)))
                continue;
            memmove(&list[at + 1], &list[at], (count++ - at) * sizeof *list);
            list[at] = (struct agreement){{one, other}, {i, j}, {low, low, high}};
        }
    }
    return count;
}

/* --- findings --- */

/* Adds a finding of a level of the first curve. */
static struct finding *add(struct analysis *analysis, const char *name, const char *unit,
                           const struct curve *curve, size_t level, struct interval value,
                           const char *text)
{
    const size_t first = analysis->result->finding_count;
    analysis_add_value(analysis, name, unit, value, reading_flags(&curve->reading, level))->text =
        text;
    analysis_read_off(analysis, curve->reading.series);
    return &analysis->result->findings[first];
}

/* What an operation costs on a level. If the level rises slowly, its sizes differ by more than
 * their median is uncertain, so the interval has all of them. */
static struct interval cost_of(const struct curve *curve, size_t level)
{
    const struct series *series = curve->reading.series;
    struct interval cost = curve->reading.levels.list[level].latency;
    for (size_t i = 0; i < series->point_count; i++)
        if (curve->reading.samples[i].level == (int)level) {
            cost.low = fmin(cost.low, (double)series->points[i].cycles.median);
            cost.high = fmax(cost.high, (double)series->points[i].cycles.median);
        }
    return cost;
}

static bool is_steady(struct interval cost)
{
    return cost.high - cost.low <= steady * cost.value;
}

/* Adds what an operation costs if that is known well enough, and in its sentence what an
 * instruction costs on the other ladder. False: it is not known well enough. */
static bool add_cost(struct analysis *analysis, const char *name,
                     const struct curve *const pair[PAIR], const size_t level[PAIR],
                     const char *where)
{
    struct pool *pool = analysis->pool;
    const struct interval cost = cost_of(pair[0], level[0]), other = cost_of(pair[1], level[1]);
    const char *operation = pair[0]->ladder->kind == FRONT_PLAIN ? "an instruction of %u B, %s"
                                                                 : "a jump every %u B, %s";
    const char *text = pool_printf(pool, operation, pair[0]->ladder->each, where);
    if (!is_steady(cost))
        return false;
    if (pair[1]->ladder->kind == FRONT_PLAIN && is_steady(other))
        text = pool_printf(pool, "%s (%u B: %.2f)", text, pair[1]->ladder->each, other.value);
    add(analysis, name, "cycles", pair[0], level[0], cost, text);
    return true;
}

static struct finding *add_size(struct analysis *analysis, const char *name, const char *unit,
                                const struct agreement *agreed)
{
    return add(analysis, name, unit, agreed->curves[0], agreed->level[0], agreed->fits,
               "two ladders agree");
}

/* What the machine declares of its cache of that level that holds instructions; NAN: nothing. */
static double declared_of(const struct machine_facts *machine, int level)
{
    double bytes = NAN;
    for (size_t i = 0; machine && i < machine->cache_count; i++) {
        const struct cache_facts *cache = &machine->caches[i];
        if (cache->level == level && cache_holds_code(cache) && cache->size_bytes)
            bytes = fmax(bytes, (double)cache->size_bytes);
    }
    return bytes;
}

/* Whether another thread of the core that was busy nearly all the time slowed straight-line code
 * down: at some sizes of a level one trial is faster by a step. A single such size may be due to a
 * stale clock. */
static bool is_slowed(const struct curve *curve)
{
    const struct level_reading *reading = &curve->reading;
    size_t count = 0;
    for (size_t i = 0; i < reading->series->point_count; i++) {
        const int level = reading->samples[i].level;
        count += level >= 0 && (double)reading->series->points[i].cycles.low * least_step <
                                   reading->levels.list[level].latency.value;
    }
    return count > 1;
}

/* Adds the caches. Returns whether the cost of one is known well enough: then the core was left
 * alone. Sets *l1 to what L1 holds if it was found. */
static bool add_caches(struct analysis *analysis, const struct curve *curves, struct interval *l1)
{
    struct pool *pool = analysis->pool;
    struct agreement list[CURVE_LEVELS_MAX];
    const size_t count = agree(curves, FRONT_BYTES, list);
    for (size_t i = NOP4; i <= NOP8; i++)
        if (curves[i].ladder && is_slowed(&curves[i])) {
            add(analysis, "front.L1.capacity", "B", &curves[i], 0, (struct interval){NAN, NAN, NAN},
                "not found: some sizes were far faster in one trial than in the others, as where "
                "another hardware thread of the core is busy nearly all the time; repeat on a "
                "quieter machine");
            return false;
        }
    int number = 0;
    bool alone = false;
    for (size_t i = 0; i < count; i++) {
        /* Which cache it is, by what is declared, else by their order. */
        do
            number++;
        while (list[i].fits.value > passed_over * declared_of(analysis->machine, number));
        *l1 = number == 1 ? list[i].fits : *l1;
        const bool told = add_cost(analysis, pool_printf(pool, "front.L%d.cycles", number),
                                   list[i].curves, list[i].level,
                                   pool_printf(pool, "to %s", size_text(pool, list[i].fits.value)));
        alone = alone || told;
        add_size(analysis, pool_printf(pool, "front.L%d.capacity", number), "B", &list[i])
            ->declared = declared_of(analysis->machine, number);
    }
    if (!alone)
        return false;
    /* Where code beyond the last cache comes from: the next level of both ladders, if it has no
     * end. */
    size_t next[PAIR];
    const struct curve *const *last = list[count - 1].curves;
    for (size_t i = 0; i < PAIR; i++) {
        next[i] = list[count - 1].level[i] + 1;
        if (last[i]->ladder->kind != FRONT_PLAIN || next[i] + 1 != last[i]->reading.levels.count ||
            !isnan(last[i]->fits[next[i]].low))
            return true;
    }
    add_cost(analysis, "front.last.cycles", last, next,
             pool_printf(pool, "from %s on", size_text(pool, list[count - 1].fits.high)));
    return true;
}

static void add_buffer(struct analysis *analysis, const struct curve *curves, bool alone)
{
    struct agreement list[CURVE_LEVELS_MAX];
    const size_t count = agree(curves, FRONT_BRANCHES, list);
    if (!count)
        return;
    const struct agreement *last = &list[count - 1];
    const bool told =
        alone && add_cost(analysis, "front.btb.cycles", last->curves, last->level,
                          pool_printf(analysis->pool, "to %.0f branches", last->fits.value));
    add_size(analysis, "front.btb.entries", "", last)->text =
        told ? pool_printf(analysis->pool, "branches; a jump every %u B takes %.3g cycles",
                           last->curves[0]->ladder->each,
                           cost_of(last->curves[0], last->level[0]).value)
             : "branches, where two ladders agree";
}

/* Adds the pages of the first two TLBs, by jumps a page apart and half a page. False: there are
 * none.
 */
static bool add_pages(struct analysis *analysis, const struct curve *curve, const char *page)
{
    struct pool *pool = analysis->pool;
    struct agreement list[CURVE_LEVELS_MAX];
    const size_t count = agree_on_pages(curve, curve + 1, list),
                 before = analysis->result->finding_count;
    const char *text = "";
    for (size_t i = 0; i < count && i < 2; i++) {
        const double cycles = curve->reading.levels.list[list[i].level[0]].latency.value;
        const struct interval fits = list[i].fits;
        text = i ? pool_printf(pool, "%s, then %.3g to %.0f", text, cycles, fits.value)
                 : pool_printf(pool, "pages of %s; a jump takes %.3g cycles", page, cycles);
        if (!(fits.high < spread_most * fits.low))
            continue;
        add_size(analysis, pool_printf(pool, "front.itlb%s.%s.entries", i ? "2" : "", page), "",
                 &list[i])
            ->text = pool_printf(pool, "pages of %s; a jump takes %.3g cycles", page, cycles);
        analysis->result->findings[before].text = text;
    }
    return analysis->result->finding_count > before;
}

bool front_large_are_whole(struct analysis *analysis)
{
    const struct curve *curves = read_ladders(analysis);
    struct agreement list[CURVE_LEVELS_MAX];
    return agree_on_pages(&curves[PAGE], &curves[HALF], list) && curves[PIECE].ladder &&
           !rises_alike(&curves[PAGE], &curves[PIECE], list->fits);
}

/* Adds the TLB of pages of that size, by the ladder and the next one, or why there is none: `why`
 * where they were not measured. */
static bool add_translation(struct analysis *analysis, const struct curve *curves, size_t ladder,
                            const char *size, bool alone, const char *why)
{
    const bool found = alone && add_pages(analysis, &curves[ladder], size);
    const char *name = pool_printf(analysis->pool, "front.itlb.%s.entries", size);
    if (series_of(analysis, &front_ladders[ladder]))
        why = !curves[ladder].ladder ? "too few trials were undisturbed"
              : !alone               ? "another hardware thread of the core may have a part of it"
                                     : "jumps a page and half a page apart do not agree";
    if (!found)
        analysis_add_value(analysis, name, "", (struct interval){NAN, NAN, NAN}, 0)->text =
            pool_printf(analysis->pool, "pages of %s: not found, %s", size, why);
    analysis_read_off(analysis, series_of(analysis, &front_ladders[found ? ladder : PAGE]));
    return found;
}

/* Adds the TLBs of small pages and of large ones, of which older documents have neither ladders nor
 * the reason why there are none. */
static void add_translations(struct analysis *analysis, const struct curve *curves, bool alone)
{
    const struct factor *none = analysis_parameter(analysis, front_no_large);
    const bool small = add_translation(analysis, curves, PAGE, "4K", alone,
                                       "jumps a page apart were not measured");
    if (!none && !series_of(analysis, &front_ladders[PIECE]))
        return;
    const char *why = none && none->text ? none->text
                      : small            ? "they take as long as small ones, with which most "
                                           "likely the hypervisor backs them"
                                         : "that of small ones is needed to tell whether they are "
                                           "whole";
    add_translation(analysis, curves, LARGE, "2M", alone, why);
}

/* From which size on instructions are decoded anew. Below the end of L1 the curve rises slowly from
 * there, and the next level is what it reaches at the end of L1. If it does not rise, decoded
 * instructions outlast L1, and the first end is theirs. */
static struct interval decoded_of(const struct curve *curve, struct interval l1)
{
    enum { OCTAVE = 4 };
    const struct series *series = curve->reading.series;
    struct interval fits = {NAN, NAN, NAN};
    double first[OCTAVE], last = NAN;
    size_t count = 0, past = 0;
    for (size_t i = 0; i < series->point_count && series->points[i].x < l1.low; i++) {
        last = (double)series->points[i].cycles.median;
        if (count < OCTAVE)
            first[count++] = last;
    }
    const double base = count ? median_of(first, count) : NAN;
    if (!(last >= least_step * base))
        return curve->fits[0].low <= l1.high ? fits : curve->fits[0];
    for (size_t i = 0; i < series->point_count && series->points[i].x < l1.low; i++) {
        const double share = ((double)series->points[i].cycles.median - base) / (last - base);
        if (share <= still)
            fits.low = series->points[i].x;
        past = share < beyond ? 0 : past + 1;
        if (past == 1)
            fits.high = series->points[i].x;
    }
    return fits;
}

void front_analyse(struct analysis *analysis)
{
    struct curve *curves = read_ladders(analysis);
    struct interval l1 = {NAN, NAN, NAN};
    const bool alone = add_caches(analysis, curves, &l1);
    if (alone) {
        /* Two lengths agree on a number, and better on it than on bytes. */
        struct agreement list[CURVE_LEVELS_MAX];
        for (size_t i = NOP4; i <= NOP12; i++)
            if (curves[i].ladder)
                curves[i].decoded = decoded_of(&curves[i], l1);
        if (agree(curves, FRONT_DECODED, list))
            add(analysis, "front.decoded.entries", "", list->curves[0], 0, list->fits,
                "instructions of two lengths agree");
    }
    add_buffer(analysis, curves, alone);
    add_translations(analysis, curves, alone);
}
