#include "compare/alike.h"

#include "base/text.h"
#include "conclude/registry/finding.h"
#include "conclude/registry/registry.h"
#include "conclude/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What one document's findings of the standard experiment tell of other programs. NAN: unknown. */
struct memory {
    struct estimate latency;  /* memory's, in ns */
    double rate, rate_of_all; /* to one CPU, to all CPUs */
    double first_level;       /* the first level's capacity over the declared one */
    uint64_t levels;          /* as in struct alike */
};

static bool is_latency(const struct finding_meaning *meaning)
{
    return meaning->role == ROLE_LEVEL &&
           (meaning->fact == FACT_LATENCY || meaning->fact == FACT_LATENCY_NS);
}

static void take(struct memory *memory, const struct finding *finding)
{
    const struct finding_meaning meaning = finding_meaning(finding);
    const bool of_memory = meaning.level == LEVEL_MEMORY, of_cache = meaning.level == LEVEL_CACHE;
    const int bit = of_memory ? 0 : meaning.number;
    if (meaning.device >= 0 || finding->deviations || !(finding->value > 0))
        return;
    /* No machine has more caches than there are bits. */
    if (is_latency(&meaning) && (of_memory || of_cache) && bit >= 0 && bit < 64)
        memory->levels |= UINT64_C(1) << bit;
    if (meaning.role == ROLE_LEVEL && of_memory && meaning.fact == FACT_LATENCY_NS &&
        isnan((double)memory->latency.median))
        memory->latency =
            (struct estimate){(float)finding->value, (float)finding->low, (float)finding->high};
    if (meaning.role == ROLE_LEVEL && of_cache && meaning.fact == FACT_CAPACITY &&
        meaning.number == 1 && finding->declared > 0 && isnan(memory->first_level))
        memory->first_level = finding->value / finding->declared;
    if (meaning.role == ROLE_WIDTH && meaning.fact == FACT_ONE && isnan(memory->rate))
        memory->rate = finding->value;
    if (meaning.role == ROLE_WIDTH && meaning.fact == FACT_ALL && isnan(memory->rate_of_all))
        memory->rate_of_all = finding->value;
}

static struct memory memory_of(const struct document *document)
{
    struct memory memory = {{NAN, NAN, NAN}, NAN, NAN, NAN, 0};
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++)
            take(&memory, &document->probes[p].findings[f]);
    return memory;
}

/* The ratio of the latencies; 0: it may be chance, or is below the threshold of differences. A
 * value without an interval counts as exact. */
static double later_by(const struct estimate *a, const struct estimate *b)
{
    const double ratio = (double)a->median / (double)b->median;
    return ratio >= 1 + differences_threshold && !(a->low <= b->high) ? ratio : 0;
}

static double given(const struct memory *memory, const struct memory *than)
{
    return memory->rate / than->rate;
}

/* Whether other programs may have used that memory: the memory's rate to one CPU fell by at least
 * the factor by which its latency rose. A program that streams through memory halves another CPU's
 * rate and raises its latency by a tenth; one that streams through the last cache leaves three
 * quarters or more of the rate and raises latency by a few percent. A slower memory changes both by
 * the same factor (a core has a fixed number of loads in flight, Little's law), so while other
 * programs run that proves nothing. Unknown values give true, because they can't show that other
 * programs left the memory alone. */
static bool is_narrow(const struct memory *memory, const struct memory *than)
{
    const double later = (double)memory->latency.median / (double)than->latency.median;
    return !(given(memory, than) * fmax(later, 1) >= 1 + differences_threshold);
}

/* Whether they did use it: it is narrow, and its latency rose beyond chance. */
static bool is_crowded(const struct memory *memory, const struct memory *than)
{
    if (!(memory->latency.median > 0 && than->latency.median > 0))
        return !(given(memory, than) > 1 / (1 + differences_threshold));
    const double later = later_by(&memory->latency, &than->latency);
    return later > 0 && !(given(memory, than) * later >= 1 + differences_threshold);
}

/* A streaming program takes half of one CPU's rate, but hardly any of the rate of all CPUs, whose
 * threads get that program's share as well. If memory itself gives less, the rate of all CPUs
 * changes by at least this share of the change of one CPU's rate. */
static const double least_of_all = 0.5;

/* A program that streams through the last cache takes a quarter of the rate of one CPU, and of all
 * CPUs. */
static const double taken_at_most = 0.25;

/* Whether the rate of one CPU and that of all CPUs changed in the same direction,
 * by more than other programs can take that were running in the run with less. With a single CPU
 * there is no rate of all. */
static bool rates_agree(const struct memory *a, const struct memory *b, const bool busy[2])
{
    const double one = log(b->rate / a->rate), all = log(b->rate_of_all / a->rate_of_all),
                 least = log1p(differences_threshold);
    const bool alone = isnan(a->rate_of_all) && isnan(b->rate_of_all),
               taken = busy[one < 0] || alone;
    return fabs(one) > (taken ? -log1p(-taken_at_most) : least) &&
           (alone || (fabs(all) > least && all / one > least_of_all));
}

/* A program that holds this much of a first level (three of twelve ways) all the time is on the
 * core's other hardware thread. */
static const double held_by_thread = 0.25;

/* Whether this run found less than declared and less than the other run. The second condition is
 * needed because a hypervisor may declare another machine's capacity, so that every run finds less.
 */
static bool is_squeezed(double found, double in_other)
{
    const double left = 1 - held_by_thread;
    return found < left && !(found >= left * in_other);
}

/* Whether other programs were running. If the verdict says so from disturbed values alone while the
 * system counted no other program, it may be chance; but a guest's system can't count the host's
 * other guests. */
static bool is_busy(const struct document *document)
{
    struct document_verdict verdict;
    verdict_of(&verdict, document);
    return verdict.busy.length > 0 && (document->machine.hypervisor || !verdict.uncounted);
}

static struct neighbours neighbours_of(const struct document *a, const struct document *b,
                                       const struct memory *in_a, const struct memory *in_b)
{
    const bool busy[] = {is_busy(a), is_busy(b)};
    const bool crowded[] = {busy[0] && is_crowded(in_a, in_b), busy[1] && is_crowded(in_b, in_a)};
    return (struct neighbours){
        .busy = {busy[0], busy[1]},
        .narrow = {busy[0] && is_narrow(in_a, in_b), busy[1] && is_narrow(in_b, in_a)},
        .crowded = {crowded[0], crowded[1]},
        .squeezed = {is_squeezed(in_a->first_level, in_b->first_level),
                     is_squeezed(in_b->first_level, in_a->first_level)},
        .rates_agree = rates_agree(in_a, in_b, busy)};
}

/* --- series that measured the same --- */

/* More factors than this are only compared place by place; series of fathom have a few. */
enum { FACTORS_MOST = 64 };

static bool has_factors_of(const struct series *a, const struct series *b)
{
    for (size_t i = 0; i < a->factor_count; i++) {
        const struct factor *factor = &a->factors[i], *other = NULL;
        /* The factor of the same name is mostly at the same place. */
        if (i < b->factor_count && strcmp(b->factors[i].name, factor->name) == 0)
            other = &b->factors[i];
        else if (b->factor_count <= FACTORS_MOST)
            other = series_factor(b, factor->name);
        /* In documents of former versions a series has the number of the CPU that measured as a
         * factor. It is no kind of core, so it is ignored. */
        if (strcmp(factor->name, "cpu") == 0)
            continue;
        if (!factor_same(factor, other))
            return false;
    }
    return true;
}

bool series_alike(const struct series *a, const struct series *b)
{
    return text_same(a->name, b->name) && a->matrix == b->matrix && has_factors_of(a, b) &&
           has_factors_of(b, a);
}

/* A document that fathom wrote has some hundreds of series. In a foreign one with many more, in
 * another order, the search for each of them stops early. */
const struct series *series_alike_find(const struct probe_result *probe, const struct series *as,
                                       size_t *from)
{
    enum { STEPS_MOST = 512 };
    for (size_t step = 0; step < probe->series_count && step < STEPS_MOST; step++) {
        size_t i = (*from + step) % probe->series_count;
        if (series_alike(as, &probe->series[i])) {
            *from = i + 1;
            return &probe->series[i];
        }
    }
    return NULL;
}

int point_order(const void *left, const void *right)
{
    const struct point *a = *(const struct point *const *)left;
    const struct point *b = *(const struct point *const *)right;
    if (a->from != b->from)
        return (a->from > b->from) - (a->from < b->from);
    if (a->to != b->to)
        return (a->to > b->to) - (a->to < b->to);
    return (a->x > b->x) - (a->x < b->x);
}

const struct point **series_by_place(struct pool *pool, const struct series *series)
{
    const struct point **points =
        pool_alloc(pool, series->point_count, sizeof(const struct point *));
    for (size_t i = 0; i < series->point_count; i++)
        points[i] = &series->points[i];
    qsort(points, series->point_count, sizeof *points, point_order);
    return points;
}

/* --- two documents --- */

struct alike alike_of(const struct document *a, const struct document *b)
{
    const bool guests = a->machine.hypervisor && b->machine.hypervisor;
    const struct memory in_a = memory_of(a), in_b = memory_of(b);
    return (struct alike){.machines = {&a->machine, &b->machine},
                          .moves_cpus = guests,
                          .shares_host = guests && !a->run.joined && !b->run.joined,
                          .others = neighbours_of(a, b, &in_a, &in_b),
                          .levels = {in_a.levels, in_b.levels}};
}

bool alike_is_of_others(const struct alike *both, const struct finding *finding, int worse)
{
    const struct finding_meaning meaning = finding_meaning(finding);
    const struct neighbours *others = &both->others;
    const bool either = meaning.fact == FACT_EFFICIENCY;
    const bool shared = finding_is_shared(both->machines[0], &meaning) ||
                        finding_is_shared(both->machines[1], &meaning);
    const bool busy = others->busy[worse] || (either && others->busy[!worse]),
               crowded = others->crowded[worse] || (either && others->crowded[!worse]);
    /* Other programs can take a part of it without using the memory. */
    const bool beside_any =
        finding_is_of_all_cpus(&meaning) || meaning.role == ROLE_HANDOFF ||
        meaning.role == ROLE_CLUSTER || meaning.role == ROLE_CONTENTION ||
        (meaning.level == LEVEL_CACHE && shared) ||
        (both->shares_host && meaning.role == ROLE_WIDTH && !others->rates_agree);
    /* The latency or rate of one of a core's own caches. */
    const bool of_own_cache = meaning.level == LEVEL_CACHE && !shared &&
                              (is_latency(&meaning) || meaning.fact == FACT_ONE);
    return meaning.device < 0 &&
           ((busy && beside_any) || (crowded && shared) ||
            (others->squeezed[worse] && of_own_cache) ||
            (others->narrow[worse] && meaning.level == LEVEL_MEMORY && is_latency(&meaning)));
}

/* The number of levels with DRAM; caches count up to the first that is missing. */
static int level_count(uint64_t levels)
{
    int caches = 0;
    while (caches < 63 && levels >> (caches + 1) & 1)
        caches++;
    return caches + (int)(levels & 1);
}

/* Whether the level is the last of a curve without DRAM: what it is then depends on the curve's
 * largest size. */
static bool is_last_seen(uint64_t levels, int level)
{
    return !(levels & 1) && (level >= 63 || !(levels >> (level + 1) & 1));
}

bool alike_is_doubtful(const struct alike *both, const struct finding *finding)
{
    const struct finding_meaning meaning = finding_meaning(finding);
    const uint64_t a = both->levels[0], b = both->levels[1];
    if (meaning.role == ROLE_HANDOFF)
        return both->moves_cpus;
    if (both->shares_host && meaning.device < 0 && meaning.level != LEVEL_CACHE &&
        (meaning.role == ROLE_WIDTH || finding_is_of_all_cpus(&meaning)))
        return finding_is_of_all_cpus(&meaning) || !both->others.rates_agree;
    if ((both->others.busy[0] || both->others.busy[1]) && meaning.role == ROLE_LEVEL &&
        meaning.device < 0 && meaning.fact == FACT_CAPACITY)
        return true;
    return meaning.level == LEVEL_CACHE && meaning.device < 0 &&
           (level_is_shared(both->machines[0], meaning.number) ||
            level_is_shared(both->machines[1], meaning.number)) &&
           (level_count(a) != level_count(b) || is_last_seen(a, meaning.number) ||
            is_last_seen(b, meaning.number));
}
