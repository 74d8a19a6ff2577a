#include "compare/alike.h"

#include "base/text.h"
#include "conclude/registry/finding.h"
#include "conclude/registry/registry.h"
#include "conclude/registry/shared.h"

#include <stdlib.h>
#include <string.h>

/* More factors than this are only compared place by place; series of fathom have a few. */
enum { FACTORS_MOST = 64 };

/* In documents of former versions a series has the number of the CPU that measured as a factor. It
 * is no kind of core, so it is ignored. */
static bool is_number_of_cpu(const struct factor *factor)
{
    return strcmp(factor->name, "cpu") == 0;
}

/* Finds the other series' factor of the same name, which is mostly at the same place. */
static const struct factor *counterpart(const struct series *series, size_t place,
                                        const struct factor *of)
{
    if (place < series->factor_count && strcmp(series->factors[place].name, of->name) == 0)
        return &series->factors[place];
    return series->factor_count <= FACTORS_MOST ? series_factor(series, of->name) : NULL;
}

static bool has_factors_of(const struct series *a, const struct series *b)
{
    for (size_t i = 0; i < a->factor_count; i++) {
        const struct factor *factor = &a->factors[i], *other = counterpart(b, i, factor);
        if (is_number_of_cpu(factor))
            continue;
        if (!other || !text_same(factor->text, other->text) ||
            (!other->text && factor->number != other->number))
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

static bool is_latency(const struct finding_meaning *meaning)
{
    return meaning->role == ROLE_LEVEL &&
           (meaning->fact == FACT_LATENCY || meaning->fact == FACT_LATENCY_NS);
}

/* Bit N: the N-th cache has a latency; bit 0: DRAM has one. No machine has more caches. */
static uint64_t levels_seen(const struct document *document)
{
    uint64_t levels = 0;
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t f = 0; f < document->probes[p].finding_count; f++) {
            const struct finding *finding = &document->probes[p].findings[f];
            const struct finding_meaning meaning = finding_meaning(finding);
            const int bit = meaning.level == LEVEL_MEMORY ? 0 : meaning.number;
            if (is_latency(&meaning) && meaning.device < 0 && !finding->deviations &&
                (meaning.level == LEVEL_MEMORY || meaning.level == LEVEL_CACHE) && bit >= 0 &&
                bit < 64 && finding->value > 0)
                levels |= UINT64_C(1) << bit;
        }
    return levels;
}

static bool is_of_one_run(const struct document *document)
{
    return !document->run.joined;
}

struct alike alike_of(const struct document *a, const struct document *b)
{
    const bool guests = a->machine.hypervisor && b->machine.hypervisor;
    return (struct alike){.machines = {&a->machine, &b->machine},
                          .moves_cpus = guests,
                          .shares_host = guests && is_of_one_run(a) && is_of_one_run(b),
                          .others = neighbours_of(a, b),
                          .levels = {levels_seen(a), levels_seen(b)}};
}

static bool is_level_shared(const struct alike *both, int level)
{
    return level_is_shared(both->machines[0], level) || level_is_shared(both->machines[1], level);
}

static bool is_shared(const struct alike *both, const struct finding_meaning *meaning)
{
    return finding_is_shared(both->machines[0], meaning) ||
           finding_is_shared(both->machines[1], meaning);
}

/* Whether the finding is about something of which other programs can take a part without using the
 * memory. */
static bool is_beside_any(const struct alike *both, const struct finding_meaning *meaning)
{
    return finding_is_of_all_cpus(meaning) || meaning->role == ROLE_HANDOFF ||
           meaning->role == ROLE_CLUSTER || meaning->role == ROLE_CONTENTION ||
           (meaning->level == LEVEL_CACHE && is_shared(both, meaning)) ||
           (both->shares_host && meaning->role == ROLE_WIDTH && !both->others.rates_agree);
}

/* Whether the finding is the latency or rate of one of a core's own caches. */
static bool is_of_own_cache(const struct alike *both, const struct finding_meaning *meaning)
{
    return meaning->level == LEVEL_CACHE && !is_shared(both, meaning) &&
           (is_latency(meaning) || meaning->fact == FACT_ONE);
}

bool alike_is_of_others(const struct alike *both, const struct finding *finding, int worse)
{
    const struct finding_meaning meaning = finding_meaning(finding);
    const bool either = meaning.fact == FACT_EFFICIENCY;
    const bool busy = both->others.busy[worse] || (either && both->others.busy[!worse]),
               crowded = both->others.crowded[worse] || (either && both->others.crowded[!worse]);
    return meaning.device < 0 &&
           ((busy && is_beside_any(both, &meaning)) || (crowded && is_shared(both, &meaning)) ||
            (both->others.narrow[worse] && meaning.level == LEVEL_MEMORY && is_latency(&meaning)) ||
            (both->others.squeezed[worse] && is_of_own_cache(both, &meaning)));
}

static bool has_dram(uint64_t levels)
{
    return levels & 1;
}

/* The number of levels with DRAM; caches count up to the first that is missing. */
static int level_count(uint64_t levels)
{
    int caches = 0;
    while (caches < 63 && levels >> (caches + 1) & 1)
        caches++;
    return caches + has_dram(levels);
}

/* Whether the level is the last of a curve without DRAM: what it is then depends on the curve's
 * largest size. */
static bool is_last_seen(uint64_t levels, int level)
{
    return !has_dram(levels) && (level >= 63 || !(levels >> (level + 1) & 1));
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
           is_level_shared(both, meaning.number) &&
           (level_count(a) != level_count(b) || is_last_seen(a, meaning.number) ||
            is_last_seen(b, meaning.number));
}
