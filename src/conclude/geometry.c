#include "conclude/geometry.h"

#include "base/units.h"
#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "stats/spread.h"

#include <math.h>
#include <stdio.h>

/* A distance is within a line if latency there has risen by less than `within` of the whole rise,
 * and beyond the line if by more than `outside`. */
static const double within = 0.25, outside = 0.75;
/* Loads beyond a line cost more than loads within it by at least this factor. */
static const double least_contrast = 1.15;
/* The second of two loads far apart must cost at least this share of the first, or its line was
 * fetched together with the first one. The first load also pays for translation. */
static const double least_second = 0.45;
enum { TRIALS_MAX = 64 };
/* Evictions of each hot line in a round, less those of contention alone: an inclusive level evicts
 * each about once. Above surely_lost lines were evicted, below surely_kept they were not. */
static const double surely_lost = 0.4, surely_kept = 0.1;
/* Ways times way stride may differ by this much from a capacity read off a curve. */
static const double capacity_apart = 0.15;

struct sheet {
    struct probe_result *result;
    struct pool *pool;
    const struct geometry_evidence *evidence;
};

static const struct cache_facts *declared_cache(const struct sheet *sheet, int level)
{
    const struct geometry_evidence *evidence = sheet->evidence;
    return evidence->declared ? cache_of_cpu(evidence->declared, level, evidence->cpu) : NULL;
}

static struct finding *add(const struct sheet *sheet, int level, const char *what, const char *unit)
{
    char name[32];
    snprintf(name, sizeof name, "L%d.%s", level, what);
    return finding_add(sheet->result, sheet->pool, name, unit);
}

static const char too_few_rounds[] =
    "too few rounds were measured to decide: give it more time (a larger --budget)";

/* Adds a whole number that was read off the series, or says why there is none. */
static void add_number(const struct sheet *sheet, int level, const char *what, const char *unit,
                       double value, double declared, const struct series *source, const char *text)
{
    struct finding *finding = add(sheet, level, what, unit);
    finding->value = finding->low = finding->high = value;
    finding->declared = declared > 0 ? declared : NAN;
    finding->flags = series_flags(source) & FLAG_BIT(FLAG_MODELLED);
    finding->text = text;
}

static const char *not_detected(const struct sheet *sheet, const char *why)
{
    return pool_printf(sheet->pool, "not found: %s", why);
}

/* --- ways --- */

/* Other users of the cache (the core's other thread, a hypervisor) can only take room in a set. So
 * the largest number of lines that ever fitted is the answer, if three quarters of the trials found
 * it. Others that take room in every trial take more in some than in others, and then no number is
 * found so often. */
static bool agreed(const struct series *fitting, size_t i, double *lines)
{
    if (i >= fitting->point_count)
        return false;
    const struct summary *y = &fitting->points[i].y;
    *lines = (double)y->max;
    return y->n && !(y->max > y->p25);
}

static bool doubles(const struct series *fitting, size_t i)
{
    double ratio = fitting->points[i + 1].x / fitting->points[i].x;
    return ratio > 1.9 && ratio < 2.1;
}

/* Whether the same number of lines, more than `lines`, fits at two strides before point i. A
 * cache's set has the same ways at all larger strides, so what holds fewer lines is no cache but a
 * TLB, of which fewer pages at that stride meet in one set. */
static bool stood_still(const struct series *fitting, size_t i, double lines)
{
    double near, far;
    for (size_t a = 0; a < i; a++)
        for (size_t b = a + 1; b < i; b++)
            if (agreed(fitting, a, &near) && agreed(fitting, b, &far) && !(near > far) &&
                !(near < far) && far > lines)
                return true;
    return false;
}

static const char no_stride[] = "at no stride do lines collide in one set: the set index is "
                                "hashed, or a hypervisor keeps the memory in small pages";

struct geometry_ways geometry_ways_of(const struct series *fitting, double above)
{
    struct geometry_ways ways = {NAN, NAN, no_stride};
    for (size_t i = 0; i + 1 < fitting->point_count; i++) {
        double here, next, before;
        if (!agreed(fitting, i, &here) || !agreed(fitting, i + 1, &next) || here > next ||
            here < next || !doubles(fitting, i))
            continue;
        bool known = i > 0 && doubles(fitting, i - 1) && agreed(fitting, i - 1, &before);
        if (!known) {
            ways.why = "trials disagree on how many lines fit at half the stride";
            return ways;
        }
        /* In a true set, half the stride leaves room for twice as many lines; not with a hashed
         * index, or if a TLB overflowed and not the cache. */
        if (before < 2 * here || before > 2 * here || stood_still(fitting, i, here)) {
            ways.why = "half the stride does not hold twice as many lines, so the strides "
                       "contradict each other";
            return ways;
        }
        if (here <= above) {
            ways.why =
                "no more lines fit than the level above has ways, so they may be that level's";
            return ways;
        }
        return (struct geometry_ways){here, fitting->points[i].x, NULL};
    }
    return ways;
}

/* The level's capacity: the larger of the found and the declared one, because other programs can
 * only take room. NAN: neither is known. */
static double capacity_of(const struct sheet *sheet, int level)
{
    const struct cache_facts *cache = declared_cache(sheet, level);
    const double found = sheet->evidence->levels[level - 1].capacity;
    return fmax(found > 0 ? found : NAN, cache ? (double)cache->size_bytes : NAN);
}

/* The number of ways that follows from the capacity and the found stride. */
static double ways_expected(const struct sheet *sheet, int level, const struct geometry_ways *ways)
{
    return round(capacity_of(sheet, level) / ways->way_stride);
}

/* Whether fewer ways were free than the capacity implies. */
static bool is_occupied(const struct sheet *sheet, int level, const struct geometry_ways *ways)
{
    return ways->ways < (1 - capacity_apart) * ways_expected(sheet, level, ways);
}

static const char *ways_text(const struct sheet *sheet, int level, const struct geometry_ways *ways)
{
    if (!is_occupied(sheet, level, ways))
        return pool_printf(sheet->pool, "this many lines %.0f bytes apart fit, and no more",
                           ways->way_stride);
    const double expected = ways_expected(sheet, level, ways);
    return pool_printf(sheet->pool,
                       "this many lines %.0f bytes apart fit: %.0f %% of the %.0f ways that follow "
                       "from the cache's %.0f bytes were free; the rest was held by another thread "
                       "of this core, a hypervisor or a cache partition",
                       ways->way_stride, 100 * ways->ways / expected, expected,
                       capacity_of(sheet, level));
}

static struct geometry_ways add_ways(const struct sheet *sheet, int level, double above)
{
    const struct series *fitting = sheet->evidence->levels[level - 1].fitting;
    const struct cache_facts *cache = declared_cache(sheet, level);
    struct geometry_ways ways = {NAN, NAN, NULL};
    if (fitting) {
        ways = geometry_ways_of(fitting, above);
        /* If a way is no larger than a page, the offset in the page selects the set, so neither a
         * hashed index nor small pages can be the reason. */
        const struct machine_facts *facts = sheet->evidence->declared;
        const uint64_t page = facts && facts->page_size_count ? facts->page_sizes[0] : 4096;
        if (level == 1 && ways.why == no_stride && cache && cache->ways &&
            cache->size_bytes / cache->ways <= page)
            ways.why = "trials agree on no stride at which lines collide: other work on this core "
                       "kept a part of the cache busy; repeat when it is idle, or with --thorough";
        if (ways.why && sheet->evidence->too_few_for_ways)
            ways.why = too_few_rounds;
    } else {
        ways.why =
            level > 1 && sheet->evidence->small_pages
                ? "addresses of one set lie further apart than a small page: it takes huge pages "
                  "to find them"
                : "the ways of the level above were not found, and this search starts from them";
    }
    const double declared = cache ? cache->ways : 0;
    const double stride = declared > 0 ? (double)cache->size_bytes / declared : 0;
    const char *text = ways.why ? not_detected(sheet, ways.why) : ways_text(sheet, level, &ways);
    add_number(sheet, level, "ways", "", ways.ways, declared, fitting, text);
    if (is_occupied(sheet, level, &ways))
        sheet->result->findings[sheet->result->finding_count - 1].flags |= FLAG_BIT(FLAG_OCCUPIED);
    add_number(sheet, level, "way_stride", "B", ways.way_stride, stride, fitting,
               ways.why ? text : "lines this far apart contend for the same set");
    return ways;
}

static void compare_capacity(const struct sheet *sheet, int level, const struct geometry_ways *ways)
{
    const struct cache_facts *cache = declared_cache(sheet, level);
    double found = sheet->evidence->levels[level - 1].capacity;
    double declared = cache ? (double)cache->size_bytes : 0;
    double capacity = found > 0 ? found : declared, product = ways->ways * ways->way_stride;
    if (isnan(product) || !(capacity > 0) || fabs(product / capacity - 1) <= capacity_apart ||
        is_occupied(sheet, level, ways)) /* the text of the ways' finding says so */
        return;
    struct finding *finding = add(sheet, level, "disagreement", "B");
    finding->value = product;
    finding->declared = declared > 0 ? declared : NAN;
    finding->text =
        pool_printf(sheet->pool,
                    "ways times way stride come to %s, but the capacity %s is %s: a part of the "
                    "cache is not available, or one of the two is wrong",
                    size_text(sheet->pool, product), found > 0 ? "found by then" : "declared",
                    size_text(sheet->pool, capacity));
}

/* --- lines --- */

double geometry_line_of(const double *latencies, const double *distances, size_t n, double nearest)
{
    if (n < 3 || !(latencies[n - 1] > least_contrast * latencies[0]))
        return NAN;
    /* A pair's latency is the mean of its two loads; within a line, the second load hits the first
     * level. */
    double first = 2 * latencies[0] - nearest, line = NAN;
    double second = 2 * latencies[n - 1] - first;
    if (!(second > least_second * first))
        return NAN;
    for (size_t i = 0; i < n; i++) {
        double share = (latencies[i] - latencies[0]) / (latencies[n - 1] - latencies[0]);
        if (!(share < within) && !(share > outside))
            return NAN;
        if (share > outside && isnan(line))
            line = distances[i];
        else if (share < within && !isnan(line))
            return NAN;
    }
    return line;
}

/* `nearer` is the line of the level before; NAN: none. */
static double add_line(const struct sheet *sheet, int level, double nearer)
{
    const struct series *votes = sheet->evidence->levels[level - 1].lines;
    const struct cache_facts *cache = declared_cache(sheet, level);
    const double declared = cache ? cache->line_bytes : 0;
    double values[TRIALS_MAX], scratch[TRIALS_MAX];
    const char *why = "this level was not measured";
    struct vote vote = {.value = NAN};
    size_t n = 0;
    for (; votes && n < votes->point_count && n < TRIALS_MAX; n++)
        values[n] = (double)votes->points[n].y.median;
    for (; n < sheet->evidence->line_votes && n < TRIALS_MAX; n++)
        values[n] = NAN; /* abstained */
    if (votes && !vote_count(values, n, &vote, scratch)) {
        vote.value = NAN;
        why = "at no distance does a second load begin to miss: prefetchers fetch what lies near, "
              "or trials disagree";
    }
    if (level > 1 && vote.value > nearer && fabs(vote.value - declared) > 0) {
        vote.value = NAN;
        why = "lines arrive in pairs from the next level: an adjacent-line prefetcher fetches "
              "them, or its lines are longer";
    }
    if (isnan(vote.value) && votes && sheet->evidence->too_few_for_lines)
        why = too_few_rounds;
    add_number(sheet, level, "line", "B", vote.value, declared, votes,
               isnan(vote.value)
                   ? not_detected(sheet, why)
                   : pool_printf(sheet->pool,
                                 "two loads in an aligned block of this size cost one miss; %zu of "
                                 "%zu groups of trials agree",
                                 vote.agreeing, n));
    return vote.value;
}

/* --- the second and the third level --- */

static void add_inclusive(const struct sheet *sheet)
{
    const struct geometry_evidence *evidence = sheet->evidence;
    const struct series *hot = evidence->hot;
    const char *text = "not found: no lines were found that contend in the second level alone";
    double value = NAN;
    if (hot && hot->point_count == 2) {
        struct estimate elsewhere = finding_latency_of(&hot->points[0]),
                        same = finding_latency_of(&hot->points[1]);
        /* A round loads each contending line once, and hot lines just as often. */
        double round = 2 * evidence->hot_others;
        double miss = 2 * (double)elsewhere.median - evidence->nearest;
        double each = (miss - evidence->nearest) * evidence->hot_lines;
        double least = (double)(same.low - elsewhere.high) * round / each;
        double most = (double)(same.high - elsewhere.low) * round / each;
        text = "not found: the first level neither clearly kept nor clearly lost its lines";
        if (each > 0 && least > surely_lost) {
            value = 1;
            text = "yes: a line that the second level evicts leaves the first level too";
        } else if (each > 0 && most < surely_kept) {
            value = 0;
            text = "no: the first level keeps lines that the second has evicted";
        }
    }
    add_number(sheet, 2, "inclusive", "", value, NAN, hot, text);
}

static void add_third(const struct sheet *sheet)
{
    const struct geometry_evidence *evidence = sheet->evidence;
    const struct cache_facts *cache = declared_cache(sheet, 3);
    if (!cache)
        return;
    double declared = cache->ways;
    /* The lines that fit if the index is not hashed. */
    double plain =
        declared > 0
            ? declared * fmax(1, (double)cache->size_bytes / declared / evidence->stride_most)
            : NAN;
    const char *text =
        "not found: lines would have to be further apart than those that were measured";
    if (evidence->third_held && evidence->lines_most > plain)
        text = pool_printf(sheet->pool,
                           "not found: %.0f lines %.0f bytes apart still fit, more than an "
                           "index without a hash has room for: the set index is hashed",
                           evidence->lines_most, evidence->stride_most);
    add_number(sheet, 3, "ways", "", NAN, declared, NULL, text);
}

void findings_geometry(struct probe_result *result, struct pool *pool,
                       const struct geometry_evidence *evidence)
{
    const struct sheet sheet = {result, pool, evidence};
    double line = NAN, above = 0;
    for (int level = 1; level <= GEOMETRY_LEVELS; level++) {
        line = add_line(&sheet, level, line);
        const struct geometry_ways ways = add_ways(&sheet, level, above);
        compare_capacity(&sheet, level, &ways);
        above = ways.ways;
    }
    add_inclusive(&sheet);
    add_third(&sheet);
}
