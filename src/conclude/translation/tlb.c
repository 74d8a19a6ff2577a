#include "conclude/translation/tlb.h"

#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "stats/order.h"
#include "stats/spread.h"

#include <math.h>
#include <stdio.h>

enum { LADDER_LEAST = 6, TRIALS_MAX = 64 };
/* The second level needs this many trials, as every vote does (stats/spread.h). */
enum { VOTED_LEAST = 5 };
/* Trials whose ends of the second level differ by more than this factor don't agree. */
static const double most_apart = 1.2;
static const double most_of_rise = 0.75, unseen = 0.98;
/* A rise over more than this factor in size contains several round numbers. */
static const double most_gradual = 1.25;
/* Pieces of huge pages are compared with small pages only if small pages cost at least this, in
 * cycles. */
static const double piece_cost_least = 2;
/* A smaller share of huge pages translated in pieces is noise. */
static const double share_noticed = 0.1;
enum { PIECE_SIZES_LEAST = 3, PIECE_SIZES_MOST = 32 };

/* --- the curves of spread and packed chases, point by point --- */

enum { FLOOR_POINTS = 3, LASTING_POINTS = 3 };
const double tlb_least_cost = 0.75;

/* Whether point i has core cycles as well as a time. */
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

/* The packed chase's latency, interpolated between two points of its ladder. That is possible
 * because it has no TLB steps, and cache steps are much wider than the rungs. */
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

/* The extra cost of point i over as many packed lines: the difference of two independent medians,
 * whose half widths are added (the worst case). NAN: beyond the curves. */
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

/* Index of the point nearest to x by ratio. */
static size_t nearest_to(const struct series *series, double x)
{
    size_t best = 0;
    for (size_t i = 1; i < series->point_count; i++)
        if (fabs(log(series->points[i].x / x)) < fabs(log(series->points[best].x / x)))
            best = i;
    return best;
}

/* Number of pages at which the cost first reaches `cost`, interpolated between two points; NAN:
 * never. */
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

unsigned tlb_shared(const struct series *spread, const struct series *sparse,
                    const struct series *packed)
{
    enum { SHARED_MOST = 8 };
    const size_t alone = tlb_departure(sparse, packed, 0, tlb_least_cost),
                 side_by_side = tlb_departure(spread, packed, 0, tlb_least_cost);
    if (alone >= sparse->point_count || side_by_side >= spread->point_count)
        return 1;
    const double ratio = spread->points[side_by_side].x / sparse->points[alone].x;
    for (unsigned shared = 2; shared <= SHARED_MOST; shared *= 2)
        if (fabs(log2(ratio / shared)) < 0.3)
            return shared;
    return 1;
}

/* --- findings --- */

static unsigned flags_of(const struct series *series)
{
    return series_flags(series) & FLAG_BIT(FLAG_MODELLED);
}

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

/* Adds a finding without a number, and returns NAN. */
static double add_unknown(const struct sheet *sheet, int level, const char *why)
{
    add(sheet, level, "entries", "")->text = pool_printf(sheet->pool, "not found: %s", why);
    return NAN;
}

/* Counts the votes of `trials` trials; trials without a point in the series abstain. */
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

/* Says why no end of the level was found. */
static const char *no_end(const struct sheet *sheet)
{
    const struct series *spread = sheet->evidence->spread;
    if (spread->point_count < LADDER_LEAST)
        return "there was no time to measure enough sizes: give it more time (a larger --budget)";
    return pool_printf(sheet->pool, "translation adds nothing up to %.0f pages",
                       spread->points[spread->point_count - 1].x);
}

/* Adds the number of pages at which translation begins to cost time, for levels whose number of
 * entries is unknown; NAN: it never does. */
static double add_onset(const struct sheet *sheet)
{
    const struct series *spread = sheet->evidence->spread;
    const size_t off = tlb_departure(spread, sheet->evidence->packed, 0, tlb_least_cost);
    if (off >= spread->point_count)
        return NAN;
    struct finding *finding = add(sheet, 1, "onset", "");
    finding->low = spread->points[off - 1].x;
    finding->high = spread->points[off].x;
    finding->value = sqrt(finding->low * finding->high);
    finding->flags = flags_of(spread);
    finding->text =
        pool_printf(sheet->pool, "translation begins to cost between %.0f and %.0f pages",
                    finding->low, finding->high);
    return finding->value;
}

/* Adds the first level's number of entries and returns it; NAN: unknown. */
static double add_first(const struct sheet *sheet)
{
    const struct tlb_evidence *evidence = sheet->evidence;
    struct vote vote;
    if (!evidence->first)
        return add_unknown(sheet, 1, no_end(sheet));
    const size_t trials = evidence->first_trials;
    if (!count_votes(evidence->first, trials, &vote)) {
        const char *why =
            vote.voted
                ? pool_printf(sheet->pool,
                              "trials disagree: only %zu of %zu find %.0f; other work shares the "
                              "TLB or interrupts, like a busy hardware thread of the same core",
                              vote.agreeing, trials, vote.value)
            : trials ? pool_printf(sheet->pool, "none of %zu trials shows where it ends", trials)
                     : "there was no time for trials of where it ends";
        return add_unknown(sheet, 1, why);
    }
    struct finding *finding = add(sheet, 1, "entries", "");
    finding->value = vote.value;
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
                                evidence->first_trials, shared);
    return vote.value;
}

/* Adds the extra time of an access at that number of pages, where the trials tell it from none. */
static void add_cost(const struct sheet *sheet, const char *what, double pages, const char *text)
{
    const struct series *spread = sheet->evidence->spread, *packed = sheet->evidence->packed;
    size_t at = nearest_to(spread, pages);
    struct estimate cost = cost_at(spread, packed, at);
    if (!(cost.median > 0) || cost.low <= 0 || fabs(log2(spread->points[at].x / pages)) > 0.5)
        return;
    struct finding *finding = add(sheet, 2, what, in_cycles(spread, at) ? "cycles" : "ns");
    finding->value = cost.median;
    finding->low = cost.low;
    finding->high = cost.high;
    finding->flags =
        (spread->points[at].flags |
         packed->points[nearest_to(packed, spread->points[at].x)].flags) &
        ~(FLAG_BIT(FLAG_UNCONVERGED) | FLAG_BIT(FLAG_TOO_FEW) | FLAG_BIT(FLAG_SMALL_PAGES));
    finding->text = pool_printf(sheet->pool, "%s, at %.0f pages", text, spread->points[at].x);
}

/* Adds the second level's end. Returns a number of pages beyond it; NAN: no end was found. */
static double add_second(const struct sheet *sheet)
{
    const struct tlb_evidence *evidence = sheet->evidence;
    const struct series *spread = evidence->spread, *fine = evidence->fine_spread;
    struct vote vote;
    if (!evidence->second)
        return add_unknown(sheet, 2, no_end(sheet));
    count_votes(evidence->second, evidence->second_trials, &vote);
    if (2 * vote.voted < evidence->second_trials || vote.voted < VOTED_LEAST)
        return add_unknown(sheet, 2,
                           pool_printf(sheet->pool, "only %zu of %zu trials show where it ends",
                                       vote.voted, evidence->second_trials));
    if (vote.high > most_apart * vote.low)
        return add_unknown(sheet, 2, "trials disagree on where it ends");
    /* Onset: the largest number of pages that costs no more. */
    double onset = (vote.low + vote.high) / 2;
    double hit = tlb_cost(spread, evidence->packed, nearest_to(spread, onset / 2));
    double walk = tlb_cost(spread, evidence->packed, nearest_to(spread, 2 * onset));
    double cost = hit + most_of_rise * (walk - hit);
    double most = pages_at(fine, evidence->packed, cost);
    if (isnan(most))
        most = pages_at(spread, evidence->packed, cost);
    if (!(most >= onset) || !(walk > hit))
        return add_unknown(sheet, 2, "costs rise, and the end of the rise was not measured");
    if (most > most_gradual * vote.low) {
        add_unknown(sheet, 2,
                    pool_printf(sheet->pool,
                                "costs rise slowly, from %.0f pages to %.0f, and no number of "
                                "entries stands out",
                                onset, most));
        return most;
    }
    struct finding *finding = add(sheet, 2, "entries", "");
    finding->flags = flags_of(spread);
    finding->low = vote.low;
    finding->high = most;
    /* The number that is divisible by the highest power of two: a TLB has a few ways times a power
     * of two. Its first misses are too few to be seen, so the search begins lower. */
    double unit = exp2(floor(log2(most)));
    while (unit > 1 && ceil(unseen * vote.low / unit) * unit > most)
        unit /= 2;
    finding->value = fmin(floor(most), ceil(unseen * vote.low / unit) * unit);
    finding->low = fmin(finding->low, finding->value);
    finding->text = pool_printf(
        sheet->pool,
        "the number with the most factors of two between %.0f pages, where costs begin to "
        "rise, and %.0f, where most of the rise is done",
        onset, most);
    return most;
}

/* --- huge pages in pieces --- */

const uint64_t tlb_huge_least = 2 << 20;

const struct tlb_page tlb_pages[TLB_PAGES] = {
    {"4K", 4 << 10},     {"16K", 16 << 10},   {"32K", 32 << 10},   {"64K", 64 << 10},
    {"128K", 128 << 10}, {"256K", 256 << 10}, {"512K", 512 << 10}, {"1M", 1 << 20},
    {"2M", 2 << 20},     {"32M", 32 << 20},   {"512M", 512 << 20}, {"1G", 1 << 30}};

static void split_name(char *name, size_t room, const char *page, const char *piece)
{
    snprintf(name, room, "dtlb.%s.as.%s", page, piece);
}

const struct finding *tlb_split_of(const struct document *document, size_t page, size_t *piece)
{
    for (*piece = 0; *piece < page; ++*piece) {
        char name[48];
        split_name(name, sizeof name, tlb_pages[page].name, tlb_pages[*piece].name);
        const struct finding *split = document_finding(document, name);
        if (split && isfinite(split->value) && isfinite(split->declared))
            return split;
    }
    return NULL;
}

/* The cost of the pieces at point i over the cost of as many small pages; NAN: small pages cost too
 * little to compare. The interval is the widest that the two intervals allow. */
static struct estimate piece_share(const struct tlb_evidence *evidence, size_t i)
{
    const struct series *small = evidence->piece_spread;
    const struct estimate here = cost_at(evidence->pieces, evidence->packed, i);
    const size_t same = nearest_to(small, evidence->pieces->points[i].x);
    const struct estimate whole = cost_at(small, evidence->piece_packed, same);
    if (small->points[same].x != evidence->pieces->points[i].x || !(whole.low > piece_cost_least))
        return (struct estimate){NAN, NAN, NAN};
    return (struct estimate){here.median / whole.median, here.low / whole.high,
                             here.high / whole.low};
}

/* Adds the share. `declared` is 0, because the system says that the pages are huge. */
static void add_pieces(const struct sheet *sheet)
{
    const struct tlb_evidence *evidence = sheet->evidence;
    double shares[PIECE_SIZES_MOST], low[PIECE_SIZES_MOST], high[PIECE_SIZES_MOST];
    size_t n = 0, known = 0;
    for (size_t i = 0; i < evidence->pieces->point_count && n < PIECE_SIZES_MOST; i++) {
        const struct estimate share = piece_share(evidence, i);
        if (!isfinite(share.median))
            continue;
        shares[n++] = (double)share.median;
        if (!isfinite(share.low) || !isfinite(share.high))
            continue; /* measured once: there is no interval */
        low[known] = (double)share.low;
        high[known++] = (double)share.high;
    }
    if (n < PIECE_SIZES_LEAST)
        return;
    char name[48];
    split_name(name, sizeof name, evidence->page, evidence->piece);
    struct finding *finding = finding_add(sheet->result, sheet->pool, name, "");
    finding->value = median_of(shares, n);
    finding->low = known ? fmin(finding->value, median_of(low, known)) : NAN;
    finding->high = known ? fmax(finding->value, median_of(high, known)) : NAN;
    finding->flags = flags_of(evidence->pieces);
    if (finding->value >= share_noticed)
        finding->declared = 0;
    const char *page = sheet->evidence->page, *piece = sheet->evidence->piece;
    finding->text =
        finding->value < share_noticed
            ? pool_printf(sheet->pool, "pages of %s are translated whole", page)
            : pool_printf(sheet->pool,
                          "huge pages do not help here: most likely the hypervisor backs pages of "
                          "%s with pages of %s (%.0f %% of them)",
                          page, piece, fmin(100, 100 * finding->value));
}

void findings_tlb(struct probe_result *result, struct pool *pool,
                  const struct tlb_evidence *evidence)
{
    const struct sheet sheet = {result, pool, evidence};
    if (evidence->unavailable) {
        add_unknown(&sheet, 1, evidence->unavailable);
        return;
    }
    const double first = add_first(&sheet), onset = isnan(first) ? add_onset(&sheet) : first;
    double second = NAN;
    if (evidence->second_level)
        second = isnan(first) ? add_unknown(&sheet, 2, "the first level's end was not found")
                              : add_second(&sheet);
    if (!isnan(onset))
        add_cost(&sheet, "hit", 2 * onset,
                 evidence->second_level
                     ? "what a hit in the second level adds"
                     : "what an access beyond the first level adds: a hit in the second, or a page "
                       "walk where the second holds no pages of this size");
    if (!isnan(second))
        add_cost(&sheet, "walk", 2 * second, "what a walk of the page tables adds");
    if (evidence->pieces && evidence->piece_spread && evidence->piece_packed)
        add_pieces(&sheet);
}
