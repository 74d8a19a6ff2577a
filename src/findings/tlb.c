#include "findings/tlb.h"

#include "findings/finding.h"
#include "result/flag.h"
#include "stats/quantile.h"
#include "stats/vote.h"

#include <math.h>
#include <stdio.h>

enum { FLOOR_POINTS = 3, LASTING_POINTS = 3, LADDER_LEAST = 6, TRIALS_MAX = 64 };
/* Of the second level's trials, as of every vote (stats/vote.h). */
enum { VOTED_LEAST = 5 };
/* Trials that put the second level's end further apart than this don't agree. */
static const double most_apart = 1.2;
static const double most_of_rise = 0.75, unseen = 0.98;
/* A rise over more than that has several round numbers in it. */
static const double most_gradual = 1.25;

/* --- reading the curves --- */

static bool in_cycles(const struct series *series, size_t i)
{
    return i < series->point_count && isfinite(series->points[i].cycles.median);
}

static struct estimate value_of(const struct point *point, bool cycles)
{
    return cycles ? finding_cycles_of(point) : finding_time_of(point);
}

static float between(float before, float after, double share)
{
    return before + (float)share * (after - before);
}

/* What the packed chain takes for so many pages, between two points of its ladder: it has no TLB's
 * steps, and the caches' are much wider than its rungs. */
static struct estimate packed_at(const struct series *packed, double pages, bool cycles)
{
    for (size_t i = 0; i < packed->point_count; i++) {
        const struct point *after = &packed->points[i], *before = after - (i > 0);
        if (after->x < pages)
            continue;
        double share = after->x > before->x ? (pages - before->x) / (after->x - before->x) : 1;
        struct estimate a = value_of(before, cycles), b = value_of(after, cycles);
        return (struct estimate){between(a.median, b.median, share), between(a.low, b.low, share),
                                 between(a.high, b.high, share)};
    }
    return (struct estimate){NAN, NAN, NAN};
}

/* The difference of two independent medians: half widths add as they would at worst. */
static struct estimate cost_at(const struct series *spread, const struct series *packed, size_t i)
{
    bool cycles = in_cycles(spread, i) && in_cycles(packed, 0);
    if (i >= spread->point_count)
        return (struct estimate){NAN, NAN, NAN};
    struct estimate s = value_of(&spread->points[i], cycles),
                    p = packed_at(packed, spread->points[i].x, cycles);
    return (struct estimate){s.median - p.median, s.low - p.high, s.high - p.low};
}

double tlb_packed(const struct series *packed, double pages)
{
    return (double)packed_at(packed, pages, in_cycles(packed, 0)).median;
}

double tlb_cost(const struct series *spread, const struct series *packed, size_t i)
{
    return (double)cost_at(spread, packed, i).median;
}

size_t tlb_departure(const struct series *spread, const struct series *packed, size_t from,
                     double least)
{
    double floor[FLOOR_POINTS];
    size_t n = spread->point_count, run = 0;
    if (from + FLOOR_POINTS >= n)
        return n;
    for (size_t i = 0; i < FLOOR_POINTS; i++)
        floor[i] = tlb_cost(spread, packed, from + i);
    sort_ascending(floor, FLOOR_POINTS);
    double limit = floor[1] + fmax(least, fabs(floor[1]) / 4);
    for (size_t i = from; i < n && run < LASTING_POINTS; i++) {
        run = tlb_cost(spread, packed, i) > limit ? run + 1 : 0;
        if (run == LASTING_POINTS || (run && i + 1 == n))
            return i + 1 - run;
    }
    return n;
}

static size_t nearest(const struct series *series, double x)
{
    size_t best = 0;
    for (size_t i = 1; i < series->point_count; i++)
        if (fabs(log(series->points[i].x / x)) < fabs(log(series->points[best].x / x)))
            best = i;
    return best;
}

/* Number of pages at which the cost has first come to `cost`, between two points; NAN: never. */
static double pages_at(const struct series *spread, const struct series *packed, double cost)
{
    for (size_t i = 1; i < spread->point_count; i++) {
        double before = tlb_cost(spread, packed, i - 1), here = tlb_cost(spread, packed, i);
        if (before < cost && here >= cost)
            return spread->points[i - 1].x + (spread->points[i].x - spread->points[i - 1].x) *
                                                 (cost - before) / (here - before);
    }
    return NAN;
}

static unsigned flags_of(const struct series *series)
{
    unsigned flags = 0;
    for (size_t i = 0; i < series->point_count; i++)
        flags |= series->points[i].flags & FLAG_BIT(FLAG_MODELLED);
    return flags;
}

/* --- findings --- */

struct sheet {
    struct probe_result *result;
    struct pool *pool;
    const struct tlb_evidence *evidence;
};

static struct finding *add(const struct sheet *sheet, int level, const char *what, const char *unit)
{
    char name[48];
    snprintf(name, sizeof name, "dtlb%d.%s.%s", level, sheet->evidence->page, what);
    return finding_add(sheet->result, sheet->pool, name, unit);
}

/* A finding without a number. */
static bool add_unknown(const struct sheet *sheet, int level, const char *why)
{
    struct finding *finding = add(sheet, level, "entries", "");
    if (finding)
        finding->text = pool_printf(sheet->pool, "not detected: %s", why);
    return finding && finding->text;
}

/* Of so many trials, those that are no point of the series abstain. */
static bool count_votes(const struct series *votes, size_t trials, struct vote *vote)
{
    double values[TRIALS_MAX], scratch[TRIALS_MAX];
    size_t n = 0;
    for (; n < votes->point_count && n < TRIALS_MAX; n++)
        values[n] = (double)votes->points[n].y.median;
    for (; n < trials && n < TRIALS_MAX; n++)
        values[n] = NAN;
    return vote_count(values, n, vote, scratch);
}

/* Why no end was in sight. */
static const char *no_end(const struct sheet *sheet)
{
    const struct series *spread = sheet->evidence->spread;
    if (spread->point_count < LADDER_LEAST)
        return "there was no time to measure enough sizes: give more with --budget";
    return pool_printf(sheet->pool, "translation costs no more up to %.0f pages",
                       spread->points[spread->point_count - 1].x);
}

/* Why the first level's trials make no number. */
static const char *no_vote(const struct sheet *sheet, const struct vote *vote)
{
    const size_t trials = sheet->evidence->first_trials;
    if (!vote->voted)
        return pool_printf(sheet->pool, "none of %zu trials tells where it ends", trials);
    return pool_printf(sheet->pool,
                       "trials do not agree: only %zu of %zu tell %.0f; something shares the TLB "
                       "or interrupts, like a busy hardware thread of the same core",
                       vote->agreeing, trials, vote->value);
}

/* Leaves the number in *entries, NAN where there is none. */
static bool add_first(const struct sheet *sheet, double *entries)
{
    const struct tlb_evidence *evidence = sheet->evidence;
    struct vote vote;
    *entries = NAN;
    if (!evidence->first)
        return add_unknown(sheet, 1, no_end(sheet));
    if (!count_votes(evidence->first, evidence->first_trials, &vote))
        return add_unknown(sheet, 1, no_vote(sheet, &vote));
    struct finding *finding = add(sheet, 1, "entries", "");
    if (!finding)
        return false;
    *entries = finding->value = vote.value;
    finding->low = fmin(vote.low, vote.value);
    finding->high = fmax(vote.high, vote.value);
    finding->flags = flags_of(evidence->spread);
    const char *shared =
        evidence->shared > 1
            ? pool_printf(
                  sheet->pool,
                  "; an entry serves up to %u neighbouring pages where memory is contiguous",
                  evidence->shared)
            : "";
    finding->text = pool_printf(sheet->pool, "%zu of %zu trials agree%s", vote.agreeing,
                                evidence->first_trials, shared ? shared : "");
    return finding->text;
}

/* What an access to so many pages takes longer. */
static bool add_cost(const struct sheet *sheet, const char *what, double pages, const char *text)
{
    const struct series *spread = sheet->evidence->spread, *packed = sheet->evidence->packed;
    size_t at = nearest(spread, pages);
    struct estimate cost = cost_at(spread, packed, at);
    if (!(cost.median > 0) || fabs(log2(spread->points[at].x / pages)) > 0.5)
        return true;
    struct finding *finding = add(sheet, 2, what, in_cycles(spread, at) ? "cycles" : "ns");
    if (!finding)
        return false;
    finding->value = cost.median;
    finding->low = cost.low;
    finding->high = cost.high;
    finding->flags = (spread->points[at].flags | packed->points[at].flags) &
                     ~(FLAG_BIT(FLAG_UNCONVERGED) | FLAG_BIT(FLAG_SMALL_PAGES));
    finding->text = pool_printf(sheet->pool, "%s, at %.0f pages", text, spread->points[at].x);
    return finding->text;
}

/* The number in [low, high] that most powers of two divide: a TLB is a few ways times a power of
 * two. */
static double roundest(double low, double high)
{
    for (double unit = exp2(floor(log2(high))); unit >= 1; unit /= 2)
        if (ceil(low / unit) * unit <= high)
            return ceil(low / unit) * unit;
    return floor(high);
}

/* Adds the second level's end. Leaves a number of pages beyond it in *entries: NAN where no end was
 * seen. */
static bool add_second(const struct sheet *sheet, double *entries)
{
    const struct tlb_evidence *evidence = sheet->evidence;
    const struct series *spread = evidence->spread, *fine = evidence->fine_spread;
    struct vote vote;
    *entries = NAN;
    if (!evidence->second)
        return add_unknown(sheet, 2, no_end(sheet));
    count_votes(evidence->second, evidence->second_trials, &vote);
    if (2 * vote.voted < evidence->second_trials || vote.voted < VOTED_LEAST)
        return add_unknown(sheet, 2,
                           pool_printf(sheet->pool, "only %zu of %zu trials tell where it ends",
                                       vote.voted, evidence->second_trials));
    if (vote.high > most_apart * vote.low)
        return add_unknown(sheet, 2, "trials do not agree on where it ends");
    /* Onset: the most pages that cost no more. */
    double onset = (vote.low + vote.high) / 2;
    double hit = tlb_cost(spread, evidence->packed, nearest(spread, onset / 2));
    double walk = tlb_cost(spread, evidence->packed, nearest(spread, 2 * onset));
    double cost = hit + most_of_rise * (walk - hit);
    double most = pages_at(fine, evidence->packed, cost);
    if (isnan(most))
        most = pages_at(spread, evidence->packed, cost);
    if (!(most >= onset) || !(walk > hit))
        return add_unknown(sheet, 2, "costs rise, and no end of the rise was measured");
    *entries = most;
    if (most > most_gradual * vote.low)
        return add_unknown(sheet, 2,
                           pool_printf(sheet->pool,
                                       "costs rise slowly, from %.0f pages to %.0f, and no number "
                                       "of entries stands out",
                                       onset, most));
    struct finding *finding = add(sheet, 2, "entries", "");
    if (!finding)
        return false;
    finding->flags = flags_of(spread);
    finding->low = vote.low;
    finding->high = most;
    /* The first misses of a large TLB are too few to be seen at once. */
    finding->value = roundest(unseen * vote.low, most);
    finding->low = fmin(finding->low, finding->value);
    finding->text = pool_printf(sheet->pool,
                                "the roundest number from %.0f pages, where costs begin to rise, "
                                "to %.0f, where most of the rise is done",
                                onset, most);
    return finding->text;
}

int findings_tlb(struct probe_result *result, struct pool *pool,
                 const struct tlb_evidence *evidence, struct error *error)
{
    const struct sheet sheet = {result, pool, evidence};
    double first = NAN, second = NAN;
    bool done;
    if (evidence->unavailable) {
        done = add_unknown(&sheet, 1, evidence->unavailable);
    } else {
        done = add_first(&sheet, &first);
        if (done && evidence->second_level)
            done = isnan(first) ? add_unknown(&sheet, 2, "the first level's end was not found")
                                : add_second(&sheet, &second);
        if (done && !isnan(first))
            done =
                add_cost(&sheet, "hit", 2 * first,
                         evidence->second_level
                             ? "what a hit in the second level adds"
                             : "what an access beyond the first level adds: a hit in the second, "
                               "or a walk where that holds no such pages");
        if (done && !isnan(second))
            done = add_cost(&sheet, "walk", 2 * second, "what a walk of the page tables adds");
    }
    return done ? 0 : error_out_of_memory(error);
}
