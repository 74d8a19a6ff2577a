#include "compare/differences.h"

#include "base/text.h"
#include "compare/alike.h"
#include "compare/judging.h"
#include "compare/pairs.h"
#include "compare/unfair.h"
#include "conclude/registry/catalogue.h"
#include "conclude/registry/device.h"
#include "conclude/registry/experiment.h"
#include "conclude/registry/finding.h"
#include "conclude/registry/registry.h"
#include "document/flag.h"
#include "stats/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_names[VERDICTS] = {"same", "uncertain", "changed", "condition"};

/* Of a shared plateau any change is tested, not only one beyond the threshold. */
static const double unchanged = 0;

struct search {
    struct differences *result;
    const struct document *a, *b;
    struct alike alike;
    double threshold;
    bool of_conditions; /* the compared probe measures conditions of the run */
    bool of_handoffs;   /* ... distances between CPUs */
    bool of_width;      /* ... memory bandwidth by number of CPUs */
    bool of_shared;     /* ... anything that all CPUs share */
    double own_bytes,
        last_bytes; /* declared bytes of the largest of a core's own caches, and of all caches */
    struct shared_plateaus shared; /* of that probe's curves */
};

static void add_missing(struct search *search, const char *text)
{
    struct differences *result = search->result;
    struct remark_line *line =
        pool_append(&result->pool, (void **)&result->missing, &result->missing_count, sizeof *line);
    line->text = text;
}

static const char *or_unknown(const char *text)
{
    return text ? text : "unknown";
}

/* --- values --- */

static struct difference *add(struct search *search, const struct probe_result *probe)
{
    struct differences *result = search->result;
    struct difference *difference =
        pool_append(&result->pool, (void **)&result->list, &result->count, sizeof *difference);
    *difference = (struct difference){.verdict = SAME, .probe = probe};
    return difference;
}

static void note_condition(struct difference *difference)
{
    if (difference->verdict == SAME)
        return;
    difference->verdict = CONDITION;
    difference->p = NAN;
}

/* Which of the two is worse, 0 or 1: shorter times are better, and larger values of all else,
 * unless the finding's line says otherwise. */
static int worse_of(const struct difference *difference, const char *unit, enum side side)
{
    const bool time = quantity_is(unit, DIMENSION_TIME) || quantity_is(unit, DIMENSION_CYCLES);
    const bool more_is_worse = side == SIDE_NEITHER ? time : side == SIDE_MORE;
    return (difference->ratio > 1) == more_is_worse;
}

static bool is_finding_of_others(const struct search *search, const struct difference *difference,
                                 const struct finding *finding)
{
    const enum side side = finding_meaning(finding).side;
    return alike_is_of_others(&search->alike, finding, worse_of(difference, finding->unit, side));
}

/* Whether other programs may be the reason why it is worse; alike_is_of_others() is the same for
 * findings. Only a curve of DRAM by number of CPUs measures all CPUs together. Sizes that fit into
 * a core's own caches are affected only by programs on the same core; of a larger cache other
 * programs can hold a part without using the memory. */
static bool is_point_of_others(const struct search *search, const struct series *series,
                               const struct difference *difference)
{
    const struct alike *alike = &search->alike;
    const int worse = worse_of(difference, series->y.unit, SIDE_NEITHER);
    const double x = difference->point_a->x;
    if (!search->of_shared)
        return false;
    if (quantity_is(series->x.unit, DIMENSION_SIZE) && x <= search->last_bytes)
        return x <= search->own_bytes ? alike->others.squeezed[worse] : alike->others.busy[worse];
    const struct factor *level = series_factor(series, "level");
    const bool by_cpus = search->of_width && text_same(series->x.name, "threads"),
               of_memory = !level || (level->text && level_is_memory(level->text)),
               busy = alike->others.busy[worse];
    if (by_cpus && ((x > 1 && busy) ||
                    (of_memory && alike->shares_host && (x > 1 || !alike->others.rates_agree))))
        return true;
    const bool of_latency = quantity_is(series->x.unit, DIMENSION_SIZE) &&
                            !quantity_is(series->y.unit, DIMENSION_BANDWIDTH);
    return of_latency ? alike->others.narrow[worse] : alike->others.crowded[worse];
}

static void compare_points(struct search *search, const struct probe_result *probe,
                           const struct series *series, const struct point *a,
                           const struct point *b)
{
    struct difference *difference = add(search, probe);
    difference->series = series;
    difference->point_a = a;
    difference->point_b = b;
    judge_points(difference, search->threshold);
    if (search->of_conditions)
        note_condition(difference);
    if (difference->verdict == CHANGED && is_point_of_others(search, series, difference))
        difference->verdict = UNCERTAIN;
    if (difference->verdict == CHANGED && ((search->of_handoffs && search->alike.moves_cpus) ||
                                           plateaus_bend_at(&search->shared, series, a->x)))
        difference->verdict = UNCERTAIN;
}

static void compare_pair(struct search *search, const struct finding_lookup *in_a,
                         const struct finding_lookup *in_b, const struct probe_result *probe,
                         const struct probe_result *other, const struct finding *before,
                         const struct finding *after)
{
    struct difference *difference = add(search, probe);
    difference->finding_a = before;
    difference->finding_b = after;
    const struct twins twins = {before, after, finding_lookup_twin(in_a, before),
                                finding_lookup_twin(in_b, after)};
    const struct shared_plateau *shared = plateaus_before(&search->shared, before);
    if (shared && shared->after != after)
        shared = NULL;
    judge_findings(difference, &twins, shared, search->threshold);
    const struct finding_meaning meaning = finding_meaning(before);
    const bool size = quantity_is(before->unit, DIMENSION_SIZE);
    /* Sizes and counts are read off a curve and are no medians of trials. */
    const bool unsure = difference->verdict == CHANGED &&
                        (size || quantity_is(before->unit, DIMENSION_NUMBER)) &&
                        (flag_widening(before->flags | after->flags) ||
                         plateaus_are_thin(probe, before) || plateaus_are_thin(other, after));
    /* Other programs may have held the part of a cache that one run lacks: its declared size is
     * unchanged, and one of the two found less than that. */
    const double least = fmin(before->value, after->value), declared = before->declared;
    const bool held = meaning.device < 0 && size && declared > 0 && after->declared == declared &&
                      least * (1 + search->threshold) < declared;
    if (difference->verdict == CHANGED &&
        (unsure || held || plateaus_differ(&search->shared, before, after) ||
         is_finding_of_others(search, difference, before) ||
         (!shared && alike_is_doubtful(&search->alike, before))))
        difference->verdict = UNCERTAIN;
    if (meaning.role == ROLE_CONDITION)
        note_condition(difference);
}

/* A ratio has a meaning only if both values are above zero. */
static bool is_comparable(struct search *search, const struct probe_result *probe,
                          const struct finding *before, const struct finding *after)
{
    if (before->value > 0 && after->value > 0)
        return true;
    if (isfinite(before->value) && isfinite(after->value) && before->value != after->value)
        add_missing(search, pool_printf(&search->result->pool,
                                        "%s (%s) was %.4g, then %.4g: not compared, because only "
                                        "values above zero have a ratio",
                                        before->name, probe->name, before->value, after->value));
    return false;
}

static void add_lonely(struct search *search, const char *which, const struct finding *finding,
                       const struct probe_result *probe)
{
    struct pool *pool = &search->result->pool;
    const char *experiment = experiment_text(finding, pool);
    if (*experiment)
        add_missing(search, pool_printf(pool, "only the %s has %s with %s (%s)", which,
                                        finding->name, experiment, probe->name));
    else
        add_missing(search, pool_printf(pool, "only the %s has %s (%s%s)", which, finding->name,
                                        finding->cpus ? "CPUs " : "",
                                        finding->cpus ? finding->cpus : probe->name));
}

/* Whether two units can be compared; adds a remark if they can't. */
static bool are_comparable(struct search *search, const char *what, const char *a, const char *b)
{
    struct pool *pool = &search->result->pool;
    if (quantity_comparable(a, b))
        return true;
    if (text_same(a, b))
        add_missing(search, pool_printf(pool, "%s is in %s, a unit that fathom does not know", what,
                                        or_unknown(a)));
    else
        differences_add_unfair(search->result,
                               pool_printf(pool, "%s is in %s, then in %s: not compared", what,
                                           or_unknown(a), or_unknown(b)));
    return false;
}

/* A finding and its twin in ns are compared, or reported as missing, once. */
static void compare_findings(struct search *search, const struct probe_result *a,
                             const struct probe_result *b)
{
    struct pool *pool = &search->result->pool;
    struct finding_lookup in_a, in_b;
    struct finding_pairs pairs;
    finding_lookup_build(&in_a, pool, NULL, a);
    finding_lookup_build(&in_b, pool, NULL, b);
    finding_pairs_find(&pairs, pool, a, b);
    for (size_t i = 0; i < a->finding_count; i++) {
        const struct finding *before = &a->findings[i], *after = pairs.of_a[i];
        if (finding_lookup_is_twin(&in_a, before))
            continue;
        const struct shared_plateau *shared = plateaus_before(&search->shared, before);
        if (!after && shared) {
            /* The plateau has another name in the second document, because that found more or fewer
             * plateaus. */
            struct difference *difference = add(search, a);
            difference->finding_a = before;
            difference->finding_b = shared->after;
            judge_level(difference, shared, search->threshold);
            if (difference->verdict == CHANGED && is_finding_of_others(search, difference, before))
                difference->verdict = UNCERTAIN;
        } else if (!after) {
            add_lonely(search, "first", before, a);
        } else if (is_comparable(search, a, before, after) &&
                   are_comparable(search, before->name, before->unit, after->unit)) {
            compare_pair(search, &in_a, &in_b, a, b, before, after);
        }
    }
    for (size_t i = 0; i < b->finding_count; i++)
        if (!pairs.of_b[i] && !plateaus_after(&search->shared, &b->findings[i]) &&
            !finding_lookup_is_twin(&in_b, &b->findings[i]))
            add_lonely(search, "second", &b->findings[i], b);
}

/* --- pairs --- */

static void compare_series(struct search *search, const struct probe_result *probe,
                           const struct series *a, const struct series *b)
{
    struct pool *pool = &search->result->pool;
    if (!quantity_same(a->x.unit, b->x.unit)) {
        differences_add_unfair(
            search->result,
            pool_printf(pool, "%s %s is not compared: the documents give its x in different units",
                        probe->name, or_unknown(a->name)));
        return;
    }
    const char *what = pool_printf(pool, "%s %s", probe->name, or_unknown(a->name));
    if (!are_comparable(search, what, a->y.unit, b->y.unit))
        return;
    const struct point **left = series_by_place(pool, a), **right = series_by_place(pool, b);
    size_t i = 0, j = 0, both = 0, failed = 0, without = 0;
    while (i < a->point_count && j < b->point_count) {
        int order = point_order(&left[i], &right[j]);
        both += order == 0;
        failed += order == 0 && (!left[i]->y.n || !right[j]->y.n);
        if (order == 0 && left[i]->y.median > 0 && right[j]->y.median > 0) {
            compare_points(search, probe, a, left[i], right[j]);
        } else if (order == 0 && left[i]->y.n && right[j]->y.n) {
            without += left[i]->y.median != right[j]->y.median;
        }
        i += order <= 0;
        j += order >= 0;
    }
    if (failed)
        add_missing(search,
                    pool_printf(pool,
                                "%s %s: %zu of the common points failed in one document or in both",
                                probe->name, or_unknown(a->name), failed));
    if (without)
        add_missing(search,
                    pool_printf(pool, "%s %s: %zu point%s not compared: a value is not above zero",
                                probe->name, or_unknown(a->name), without,
                                without == 1 ? "" : "s"));
    /* Only matrices should have all pairs in common: every run refines curves around its own
     * levels, so their sizes differ. */
    if (a->matrix && (both < a->point_count || both < b->point_count))
        add_missing(search,
                    pool_printf(pool, "%s %s: %zu pairs are in both, of %zu and %zu", probe->name,
                                or_unknown(a->name), both, a->point_count, b->point_count));
}

static void compare_status(struct search *search, const char *which,
                           const struct probe_result *probe, const struct probe_result *other)
{
    if (probe->status != other->status &&
        (probe->status == PROBE_SKIPPED || probe->status == PROBE_FAILED))
        add_missing(search,
                    pool_printf(&search->result->pool, "%s of the %s: %s, %s", probe->name, which,
                                probe_status_names[probe->status], or_unknown(probe->reason)));
}

static void add_lonely_series(struct search *search, const char *which,
                              const struct probe_result *probe, const struct series *series)
{
    enum { NAMED_MOST = 8 }; /* of its factors */
    const struct finding factors = {
        .factors = series->factors,
        .deviations = series->factor_count < NAMED_MOST ? series->factor_count : NAMED_MOST};
    struct pool *pool = &search->result->pool;
    if (device_has_condition(series)) /* a device's temperature is no result */
        return;
    const char *with = experiment_text(&factors, pool);
    add_missing(search, pool_printf(pool, "only the %s has the series %s of %s%s%s%s", which,
                                    or_unknown(series->name), probe->name, *with ? " (" : "", with,
                                    *with ? ")" : ""));
}

static const char *obtained_text(struct search *search, const struct obtained *obtained)
{
    const struct finding finding = {.factors = (struct factor *)obtained->list,
                                    .deviations = obtained->count};
    const char *text = experiment_text(&finding, &search->result->pool);
    return *text ? text : "standard";
}

/* Curves that were measured on different pages, nodes or cores are two experiments, even if their
 * factors agree. */
static bool obtained_alike(struct search *search, const struct probe_result *a,
                           const struct probe_result *b)
{
    struct pool *pool = &search->result->pool;
    struct obtained in_a, in_b;
    experiment_obtained(&in_a, a, &search->a->machine, pool);
    experiment_obtained(&in_b, b, &search->b->machine, pool);
    if (experiment_obtained_alike(&in_a, &in_b))
        return true;
    add_missing(search,
                pool_printf(pool,
                            "the curves of %s are not compared: they were measured on "
                            "different memory or cores (%s, then %s)",
                            a->name, obtained_text(search, &in_a), obtained_text(search, &in_b)));
    return false;
}

static size_t count_of_role(const struct probe_result *probe, enum finding_role role)
{
    size_t count = 0;
    for (size_t i = 0; i < probe->finding_count; i++)
        count += finding_meaning(&probe->findings[i]).role == role;
    return count;
}

static void compare_probes(struct search *search, const struct probe_result *a,
                           const struct probe_result *b)
{
    const size_t conditions = count_of_role(a, ROLE_CONDITION);
    search->of_conditions = conditions && conditions == a->finding_count;
    search->of_handoffs = count_of_role(a, ROLE_HANDOFF) > 0;
    search->of_width = count_of_role(a, ROLE_WIDTH) > 0;
    search->of_shared = false;
    for (size_t i = 0; i < a->finding_count && !search->of_shared; i++) {
        const struct finding_meaning meaning = finding_meaning(&a->findings[i]);
        search->of_shared = finding_is_shared(&search->a->machine, &meaning);
    }
    differences_find_other_pages(search->result, a, b);
    compare_status(search, "first", a, b);
    compare_status(search, "second", b, a);
    plateaus_shared(&search->shared, &search->result->pool, a, b, unchanged);
    compare_findings(search, a, b);
    if (!obtained_alike(search, a, b))
        return;
    size_t in_a = 0, in_b = 0;
    for (size_t i = 0; i < a->series_count; i++) {
        const struct series *series = &a->series[i], *other = series_alike_find(b, series, &in_b);
        if (!other)
            add_lonely_series(search, "first", a, series);
        else if (!device_has_condition(series))
            compare_series(search, a, series, other);
    }
    for (size_t i = 0; i < b->series_count; i++)
        if (!series_alike_find(a, &b->series[i], &in_a))
            add_lonely_series(search, "second", b, &b->series[i]);
}

static int compare_documents(void *with)
{
    struct search *search = with;
    struct pool *pool = &search->result->pool;
    differences_find_unfair(search->result, search->a, search->b, search->threshold);
    for (size_t i = 0; i < search->a->probe_count; i++) {
        const struct probe_result *probe = &search->a->probes[i];
        const struct probe_result *other = document_probe_near(search->b, probe->name, i);
        if (other)
            compare_probes(search, probe, other);
        else
            add_missing(search, pool_printf(pool, "only the first has %s", probe->name));
    }
    for (size_t i = 0; i < search->b->probe_count; i++)
        if (!document_probe_near(search->a, search->b->probes[i].name, i))
            add_missing(search,
                        pool_printf(pool, "only the second has %s", search->b->probes[i].name));
    differences_weigh(search->result);
    if (!search->result->count)
        pool_leave(pool, ERROR_USAGE,
                   "the two documents have no value in common: compare runs of the same probes");
    return 0;
}

int differences_find(struct differences *result, const struct document *a, const struct document *b,
                     double threshold, struct error *error)
{
    *result = (struct differences){0};
    struct search search = {
        .result = result, .a = a, .b = b, .alike = alike_of(a, b), .threshold = threshold};
    search.own_bytes = own_cache_bytes(&a->machine);
    search.last_bytes = last_cache_bytes(&a->machine);
    return pool_enter(&result->pool, compare_documents, &search, error);
}

void differences_free(struct differences *result)
{
    pool_free(&result->pool);
    *result = (struct differences){0};
}
