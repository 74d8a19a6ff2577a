#include "conclude/translation/tlb.h"

#include "conclude/registry/finding.h"
#include "conclude/translation/tlb_curves.h"
#include "document/flag.h"
#include "stats/quantile.h"
#include "stats/vote.h"

#include <math.h>
#include <stdio.h>

enum { LADDER_LEAST = 6, TRIALS_MAX = 64 };
/* The second level needs this many trials, as every vote does (stats/vote.h). */
enum { VOTED_LEAST = 5 };
/* Trials that put the second level's end further apart than this don't agree. */
static const double most_apart = 1.2;
static const double most_of_rise = 0.75, unseen = 0.98;
/* A rise from one size to more than this many times it has several round numbers in it. */
static const double most_gradual = 1.25;
/* The cost of small pages, in cycles, below which pieces of huge pages are not compared with
 * them. */
static const double piece_cost_least = 2;
/* A smaller share of huge pages in pieces is noise. */
static const double share_noticed = 0.1;
enum { PIECE_SIZES_LEAST = 3, PIECE_SIZES_MOST = 32 };

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

/* Adds a finding without a number. */
static bool add_unknown(const struct sheet *sheet, int level, const char *why)
{
    struct finding *finding = add(sheet, level, "entries", "");
    if (finding)
        finding->text = pool_printf(sheet->pool, "not found: %s", why);
    return finding && finding->text;
}

/* Counts the votes of `trials` trials; those without a point in the series abstain. */
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

/* Says why the first level's trials give no number. */
static const char *no_vote(const struct sheet *sheet, const struct vote *vote)
{
    const size_t trials = sheet->evidence->first_trials;
    if (!vote->voted)
        return pool_printf(sheet->pool, "none of %zu trials shows where it ends", trials);
    return pool_printf(sheet->pool,
                       "trials disagree: only %zu of %zu find %.0f; other work shares the TLB or "
                       "interrupts, like a busy hardware thread of the same core",
                       vote->agreeing, trials, vote->value);
}

/* Adds the number of pages at which costs begin, for levels whose number of entries is unknown, and
 * leaves it in *onset; NAN: they never begin. */
static bool add_onset(const struct sheet *sheet, double *onset)
{
    const struct series *spread = sheet->evidence->spread;
    const size_t off = tlb_departure(spread, sheet->evidence->packed, 0, tlb_least_cost);
    if (off == 0 || off >= spread->point_count)
        return true;
    struct finding *finding = add(sheet, 1, "onset", "");
    if (!finding)
        return false;
    finding->low = spread->points[off - 1].x;
    finding->high = spread->points[off].x;
    finding->value = *onset = sqrt(finding->low * finding->high);
    finding->flags = flags_of(spread);
    finding->text =
        pool_printf(sheet->pool, "translation begins to cost between %.0f and %.0f pages",
                    finding->low, finding->high);
    return finding->text;
}

/* Leaves the number of entries in *entries and the number of pages at which costs begin in *onset;
 * NAN where unknown. */
static bool add_first(const struct sheet *sheet, double *entries, double *onset)
{
    const struct tlb_evidence *evidence = sheet->evidence;
    struct vote vote;
    *entries = *onset = NAN;
    if (!evidence->first)
        return add_unknown(sheet, 1, no_end(sheet)) && add_onset(sheet, onset);
    if (!count_votes(evidence->first, evidence->first_trials, &vote))
        return add_unknown(sheet, 1, no_vote(sheet, &vote)) && add_onset(sheet, onset);
    struct finding *finding = add(sheet, 1, "entries", "");
    if (!finding)
        return false;
    *entries = *onset = finding->value = vote.value;
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

/* Adds what an access takes longer at that number of pages. */
static bool add_cost(const struct sheet *sheet, const char *what, double pages, const char *text)
{
    const struct series *spread = sheet->evidence->spread, *packed = sheet->evidence->packed;
    size_t at = tlb_nearest(spread, pages);
    struct estimate cost = tlb_cost_at(spread, packed, at);
    if (!(cost.median > 0) || fabs(log2(spread->points[at].x / pages)) > 0.5)
        return true;
    struct finding *finding = add(sheet, 2, what, tlb_in_cycles(spread, at) ? "cycles" : "ns");
    if (!finding)
        return false;
    finding->value = cost.median;
    finding->low = cost.low;
    finding->high = cost.high;
    finding->flags =
        (spread->points[at].flags | packed->points[at].flags) &
        ~(FLAG_BIT(FLAG_UNCONVERGED) | FLAG_BIT(FLAG_TOO_FEW) | FLAG_BIT(FLAG_SMALL_PAGES));
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
                           pool_printf(sheet->pool, "only %zu of %zu trials show where it ends",
                                       vote.voted, evidence->second_trials));
    if (vote.high > most_apart * vote.low)
        return add_unknown(sheet, 2, "trials disagree on where it ends");
    /* Onset: the most pages that cost no more. */
    double onset = (vote.low + vote.high) / 2;
    double hit = tlb_cost(spread, evidence->packed, tlb_nearest(spread, onset / 2));
    double walk = tlb_cost(spread, evidence->packed, tlb_nearest(spread, 2 * onset));
    double cost = hit + most_of_rise * (walk - hit);
    double most = tlb_pages_at(fine, evidence->packed, cost);
    if (isnan(most))
        most = tlb_pages_at(spread, evidence->packed, cost);
    if (!(most >= onset) || !(walk > hit))
        return add_unknown(sheet, 2, "costs rise, and the end of the rise was not measured");
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
    /* A large TLB's first misses are too few to be seen, so the search begins a little below. */
    finding->value = roundest(unseen * vote.low, most);
    finding->low = fmin(finding->low, finding->value);
    finding->text = pool_printf(
        sheet->pool,
        "the number with the most factors of two between %.0f pages, where costs begin to "
        "rise, and %.0f, where most of the rise is done",
        onset, most);
    return finding->text;
}

/* --- huge pages in pieces --- */

const struct tlb_page tlb_pages[TLB_PAGES] = {
    {"4K", 4 << 10},   {"16K", 16 << 10},   {"64K", 64 << 10}, {"2M", 2 << 20},
    {"32M", 32 << 20}, {"512M", 512 << 20}, {"1G", 1 << 30}};

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

/* The cost of the pieces at point i over the cost of as many small pages; NAN where small pages
 * cost too little to compare. The interval is the widest that the two intervals allow. */
static struct estimate piece_share(const struct tlb_evidence *evidence, size_t i)
{
    const struct series *small = evidence->piece_spread;
    const struct estimate here = tlb_cost_at(evidence->pieces, evidence->packed, i);
    const size_t same = tlb_nearest(small, evidence->pieces->points[i].x);
    const struct estimate whole = tlb_cost_at(small, evidence->piece_packed, same);
    if (small->points[same].x != evidence->pieces->points[i].x || !(whole.low > piece_cost_least))
        return (struct estimate){NAN, NAN, NAN};
    return (struct estimate){here.median / whole.median, here.low / whole.high,
                             here.high / whole.low};
}

static const char *pieces_text(const struct sheet *sheet, double share)
{
    const char *page = sheet->evidence->page, *piece = sheet->evidence->piece;
    return share < share_noticed
               ? pool_printf(sheet->pool, "pages of %s are translated whole", page)
               : pool_printf(sheet->pool,
                             "huge pages do not help here: %.0f %% of the memory on pages of %s is "
                             "translated as if on pages of %s, most likely because the hypervisor "
                             "backs it with small pages",
                             fmin(100, 100 * share), page, piece);
}

/* The system says that the pages are huge, so it declares a share of 0 in pieces. */
static bool add_pieces(const struct sheet *sheet)
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
        return true;
    char name[48];
    split_name(name, sizeof name, evidence->page, evidence->piece);
    struct finding *finding = finding_add(sheet->result, sheet->pool, name, "");
    if (!finding)
        return false;
    sort_ascending(shares, n);
    sort_ascending(low, known);
    sort_ascending(high, known);
    finding->value = median(shares, n);
    finding->low = known ? fmin(finding->value, median(low, known)) : NAN;
    finding->high = known ? fmax(finding->value, median(high, known)) : NAN;
    finding->flags = flags_of(evidence->pieces);
    if (finding->value >= share_noticed)
        finding->declared = 0;
    finding->text = pieces_text(sheet, finding->value);
    return finding->text;
}

int findings_tlb(struct probe_result *result, struct pool *pool,
                 const struct tlb_evidence *evidence, struct error *error)
{
    const struct sheet sheet = {result, pool, evidence};
    double first = NAN, onset = NAN, second = NAN;
    bool done;
    if (evidence->unavailable) {
        done = add_unknown(&sheet, 1, evidence->unavailable);
    } else {
        done = add_first(&sheet, &first, &onset);
        if (done && evidence->second_level)
            done = isnan(first) ? add_unknown(&sheet, 2, "the first level's end was not found")
                                : add_second(&sheet, &second);
        if (done && !isnan(onset))
            done =
                add_cost(&sheet, "hit", 2 * onset,
                         evidence->second_level
                             ? "what a hit in the second level adds"
                             : "what an access beyond the first level adds: a hit in the second, "
                               "or a page walk where the second holds no pages of this size");
        if (done && !isnan(second))
            done = add_cost(&sheet, "walk", 2 * second, "what a walk of the page tables adds");
        if (done && evidence->pieces && evidence->piece_spread && evidence->piece_packed)
            done = add_pieces(&sheet);
    }
    return done ? 0 : error_out_of_memory(error);
}
