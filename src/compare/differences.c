#include "compare/differences.h"

#include "base/text.h"
#include "compare/pairs.h"
#include "compare/series.h"
#include "conclude/registry/device.h"
#include "conclude/registry/experiment.h"
#include "conclude/registry/home.h"
#include "stats/peers.h"

#include <math.h>

struct search {
    struct differences *result;
    const struct document *a, *b;
    struct figure_source of_a, of_b;
    double tolerance;
    bool placed; /* the placement is among the facts */
    bool itself; /* both are one document */
    struct level_links levels[2];
};

static void add_missing(struct search *search, const char *text)
{
    struct differences *result = search->result;
    struct remark_line *line =
        pool_append(&result->pool, (void **)&result->missing, &result->missing_count, sizeof *line);
    line->text = text;
}

/* --- values --- */

static void add(struct search *search, struct difference difference, const struct figure *a,
                const struct figure *b, bool placed)
{
    struct differences *result = search->result;
    struct difference *slot =
        pool_append(&result->pool, (void **)&result->list, &result->count, sizeof *slot);
    difference.a = a->value;
    difference.b = b->value;
    difference.worse = a->worse;
    difference.compared = compare(a, b, search->tolerance);
    if (search->itself)
        comparison_decide(&difference.compared, SAME, BY_ITSELF);
    else if (!placed)
        comparison_decide(&difference.compared, CANT_TELL, BY_PLACEMENT);
    *slot = difference;
}

/* A condition is never tested. The clock is one only where the runs had different governors, else
 * a fact that is judged by itself. */
static void note_condition(struct search *search, struct difference *difference)
{
    struct comparison *compared = &difference->compared;
    difference->fact = compared->sort == SORT_CLOCK &&
                       text_same(search->a->conditions.governor, search->b->conditions.governor);
    if (difference->fact)
        return;
    comparison_decide(compared, CONDITION, compared->decided);
    compared->side = difference->worse = SIDE_NEITHER;
}

static const char *place_text(struct search *search, const struct finding *of, double value)
{
    const struct factor *name = finding_factor(of, parameter_placement),
                        *ns = finding_factor(of, parameter_placement_ns);
    return ns || !name
               ? pool_printf(&search->result->pool, "%s (%.0f ns)",
                             text_or_unknown(name ? name->text : NULL), ns ? ns->number : value)
               : name->text;
}

/* What several CPUs of a guest do together depends on where its host put them: two hardware threads
 * of a core have half of what two cores have. Hand-offs of one placement are compared as such.
 * Such figures of two placements can't be compared, nor can hand-offs that differ where no
 * placement is known (the function returns false), and the first of the changed facts is the
 * placement. Of `before` and `after` only the factors are read. */
static bool place(struct search *search, struct figure *a, struct figure *b,
                  const struct finding *before, const struct finding *after)
{
    const bool together = a->guest && b->guest && a->sort == SORT_RATE_ALL;
    const bool known =
        finding_factor(before, parameter_placement) && finding_factor(after, parameter_placement);
    if (!(together && known) && (a->sort != SORT_UNPLACED || b->sort != SORT_UNPLACED))
        return true;
    if (known && experiment_same_placement(before, after)) {
        a->sort = b->sort = together ? SORT_RATE_ALL : SORT_HANDOFF;
        return true;
    }
    if (!known && fabs(log(b->value / a->value)) <= log1p(sorts[SORT_UNPLACED].tolerance))
        return true;
    if (!search->placed)
        facts_put_first(&search->result->facts, &search->result->pool, "placement of the CPUs",
                        place_text(search, before, a->value), place_text(search, after, b->value));
    search->placed = true;
    return false;
}

static void compare_pair(struct search *search, const struct probe_result *probe,
                         const struct finding *before, const struct finding *after)
{
    const struct finding_meaning meaning = finding_meaning(before);
    struct figure a = figure_of(&search->of_a, before, &meaning);
    struct figure b = figure_of(&search->of_b, after, &meaning);
    if (a.sort != b.sort) /* only one of them is a whole number, or knows its placement */
        a.sort = b.sort = a.sort == SORT_COUNT ? b.sort : a.sort == SORT_HANDOFF ? b.sort : a.sort;
    /* A clock's range explains nothing where the other run's lies outside. */
    if (a.sort == SORT_CLOCK && (a.high < b.low || b.high < a.low)) {
        a.low = a.high = a.value;
        b.low = b.high = b.value;
    }
    const bool placed = place(search, &a, &b, before, after);
    const enum figure_weight weight = figure_weight(before, &meaning);
    search->result->most = weight > search->result->most ? weight : search->result->most;
    add(search, (struct difference){.probe = probe, .finding = before, .weight = weight}, &a, &b,
        placed);
    if (meaning.role == ROLE_CONDITION)
        note_condition(search, &search->result->list[search->result->count - 1]);
}

/* Whether two units can be compared; adds a remark if they can't. */
static bool are_comparable(struct search *search, const char *what, const char *a, const char *b)
{
    struct pool *pool = &search->result->pool;
    if (quantity_comparable(a, b))
        return true;
    add_missing(search, text_same(a, b)
                            ? pool_printf(pool, "%s is in %s, a unit that fathom does not know",
                                          what, text_or_unknown(a))
                            : pool_printf(pool, "%s is in %s, then in %s", what, text_or_unknown(a),
                                          text_or_unknown(b)));
    return false;
}

/* A ratio has a meaning only if both values are above zero. */
static bool is_comparable(struct search *search, const struct probe_result *probe,
                          const struct finding *before, const struct finding *after)
{
    if (before->value > 0 && after->value > 0 && isfinite(before->value) && isfinite(after->value))
        return are_comparable(search, before->name, before->unit, after->unit);
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
    const char *with = experiment_text(finding, pool);
    const char *cpus = *with ? NULL : finding->cpus;
    add_missing(search, pool_printf(pool, "only the %s has %s%s%s (%s%s)", which, finding->name,
                                    *with ? " with " : "", with, cpus ? "CPUs " : "",
                                    cpus ? cpus : probe->name));
}

/* Notes for a health check that the first document's finding was not compared. */
static void note_lonely(struct search *search, const struct probe_result *probe,
                        const struct finding *finding, const struct probe_result *other, bool found)
{
    struct differences *result = search->result;
    const struct finding_meaning meaning = finding_meaning(finding);
    if (!isfinite(finding->value) || meaning.role == ROLE_CONDITION ||
        (meaning.quantity && meaning.side == SIDE_NEITHER))
        return;
    struct lonely *lonely =
        pool_append(&result->pool, (void **)&result->lonely, &result->lonely_count, sizeof *lonely);
    *lonely = (struct lonely){probe, finding, other, found, figure_weight(finding, &meaning)};
    result->most = lonely->weight > result->most ? lonely->weight : result->most;
}

static void compare_findings(struct search *search, const struct probe_result *a,
                             const struct probe_result *b)
{
    struct pool *pool = &search->result->pool;
    struct finding_pairs pairs;
    finding_pairs_find(&pairs, pool, a, NULL, b, &search->levels[1]);
    for (size_t i = 0; i < a->finding_count; i++) {
        const struct finding *before = &a->findings[i], *after = pairs.of_a[i];
        if (finding_is_derived(before) && (!after || finding_is_derived(after)))
            continue;
        if (after && is_comparable(search, a, before, after)) {
            compare_pair(search, a, before, after);
        } else if (!after || !search->itself) {
            note_lonely(search, a, before, b, after != NULL);
            if (!after)
                add_lonely(search, "first", before, a);
        }
    }
    for (size_t i = 0; i < b->finding_count; i++)
        if (!pairs.of_b[i] && !finding_is_derived(&b->findings[i]))
            add_lonely(search, "second", &b->findings[i], b);
}

/* --- pairs --- */

/* The sort of a matrix's points: hand-offs or rates, as the probe's findings say; SORT_SYSTEM for
 * other properties, if they are times. */
static enum figure_sort sort_of_points(const struct probe_result *probe)
{
    bool property = false;
    for (size_t i = 0; i < probe->finding_count; i++) {
        const enum finding_role role = finding_meaning(&probe->findings[i]).role;
        if (role == ROLE_HANDOFF || role == ROLE_WIDTH)
            return role == ROLE_HANDOFF ? SORT_HANDOFF : SORT_RATE;
        property = property || role == ROLE_PROPERTY;
    }
    return property ? SORT_SYSTEM : SORT_OTHER;
}

static void compare_series(struct search *search, enum figure_sort sort,
                           const struct probe_result *probe, const struct probe_result *other,
                           const struct series *a, const struct series *b)
{
    struct pool *pool = &search->result->pool;
    const char *what = pool_printf(pool, "%s %s", probe->name, text_or_unknown(a->name));
    if (!are_comparable(search, what, a->y.unit, b->y.unit))
        return;
    const enum side worse = quantity_of(a->y.unit)->worse;
    sort = sort == SORT_SYSTEM && !quantity_is(a->y.unit, DIMENSION_TIME) ? SORT_OTHER : sort;
    const struct finding in_a = {.factors = probe->parameters,
                                 .factor_count = probe->parameter_count};
    const struct finding in_b = {.factors = other->parameters,
                                 .factor_count = other->parameter_count};
    const struct point **left = series_by_place(pool, a), **right = series_by_place(pool, b);
    size_t i = 0, j = 0, both = 0, failed = 0;
    while (i < a->point_count && j < b->point_count) {
        const int order = point_order(&left[i], &right[j]);
        const bool valued = order == 0 && left[i]->y.median > 0 && right[j]->y.median > 0;
        both += order == 0;
        failed += order == 0 && !valued;
        if (valued) {
            struct figure before = figure_of_point(&search->of_a, left[i], sort, worse);
            struct figure after = figure_of_point(&search->of_b, right[j], sort, worse);
            const bool placed = place(search, &before, &after, &in_a, &in_b);
            add(search, (struct difference){.probe = probe, .series = a, .point = left[i]}, &before,
                &after, placed);
        }
        i += order <= 0;
        j += order >= 0;
    }
    if (failed)
        add_missing(search,
                    pool_printf(pool, "%s: %zu of the common points have no value", what, failed));
    if (both < a->point_count || both < b->point_count)
        add_missing(search, pool_printf(pool, "%s: %zu pairs are in both, of %zu and %zu", what,
                                        both, a->point_count, b->point_count));
}

static void compare_status(struct search *search, const char *which,
                           const struct probe_result *probe, const struct probe_result *other)
{
    if (probe->status != other->status &&
        (probe->status == PROBE_SKIPPED || probe->status == PROBE_FAILED))
        add_missing(search,
                    pool_printf(&search->result->pool, "%s of the %s: %s, %s", probe->name, which,
                                probe_status_names[probe->status], text_or_unknown(probe->reason)));
}

static void add_lonely_series(struct search *search, const char *which,
                              const struct probe_result *probe, const struct series *series)
{
    enum { NAMED_MOST = 8 }; /* of its factors */
    const struct finding factors = {
        .factors = series->factors,
        .deviations = series->factor_count < NAMED_MOST ? series->factor_count : NAMED_MOST};
    struct pool *pool = &search->result->pool;
    const char *with = experiment_text(&factors, pool);
    add_missing(search, pool_printf(pool, "only the %s has the series %s of %s%s%s%s", which,
                                    text_or_unknown(series->name), probe->name, *with ? " (" : "",
                                    with, *with ? ")" : ""));
}

static const char *obtained_text(struct search *search, const struct obtained *obtained)
{
    const struct finding finding = {.factors = (struct factor *)obtained->list,
                                    .deviations = obtained->count};
    const char *text = experiment_text(&finding, &search->result->pool);
    return *text ? text : "standard";
}

/* Matrices that were measured on different pages, nodes or cores are two experiments, even if their
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
                            "the pairs of %s are not compared: they were measured on "
                            "different memory or cores (%s, then %s)",
                            a->name, obtained_text(search, &in_a), obtained_text(search, &in_b)));
    return false;
}

static void compare_matrices(struct search *search, const struct probe_result *a,
                             const struct probe_result *b)
{
    size_t matrices = 0, in_a = 0, in_b = 0;
    for (size_t i = 0; i < a->series_count; i++)
        matrices += a->series[i].matrix;
    if (!matrices || !obtained_alike(search, a, b))
        return;
    const enum figure_sort sort = sort_of_points(a);
    for (size_t i = 0; i < a->series_count; i++) {
        const struct series *series = &a->series[i], *other;
        if (!series->matrix || device_has_condition(series))
            continue;
        other = series_alike_find(b, series, &in_b);
        if (other)
            compare_series(search, sort, a, b, series, other);
        else
            add_lonely_series(search, "first", a, series);
    }
    for (size_t i = 0; i < b->series_count; i++)
        if (b->series[i].matrix && !device_has_condition(&b->series[i]) &&
            !series_alike_find(a, &b->series[i], &in_a))
            add_lonely_series(search, "second", b, &b->series[i]);
}

/* --- all of them --- */

static void settle(struct search *search)
{
    struct differences *result = search->result;
    double *p = pool_alloc(&result->pool, result->count, sizeof *p);
    size_t n = 0;
    for (size_t i = 0; i < result->count; i++)
        if (!isnan(result->list[i].compared.p) && !result->list[i].fact)
            p[n++] = result->list[i].compared.p;
    const double limit = false_discovery_limit(p, n, comparison_share);
    pool_give_back(&result->pool, p);
    for (size_t i = 0; i < result->count; i++) {
        struct difference *difference = &result->list[i];
        difference->headline = difference->weight == result->most;
        comparison_settle(&difference->compared, difference->fact ? comparison_share : limit);
        result->counts[difference->compared.answer]++;
    }
    result->figures = result->count - result->counts[CONDITION];
}

static bool is_equal(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool are_equal(const struct probe_result *a, const struct probe_result *b)
{
    bool equal = text_same(a->name, b->name) && a->finding_count == b->finding_count &&
                 a->series_count == b->series_count;
    for (size_t f = 0; equal && f < a->finding_count; f++) {
        const struct finding *one = &a->findings[f], *other = &b->findings[f];
        equal = text_same(one->name, other->name) && is_equal(one->value, other->value) &&
                is_equal(one->low, other->low) && is_equal(one->high, other->high);
    }
    for (size_t s = 0; equal && s < a->series_count; s++) {
        const struct series *one = &a->series[s], *other = &b->series[s];
        equal = one->point_count == other->point_count;
        for (size_t i = 0; equal && i < one->point_count; i++)
            equal = is_equal(one->points[i].y.median, other->points[i].y.median);
    }
    return equal;
}

bool differences_of_copies(const struct document *a, const struct document *b)
{
    bool copies = text_same(a->run.id, b->run.id) && text_same(a->run.started, b->run.started) &&
                  text_same(a->machine.hostname, b->machine.hostname) &&
                  a->probe_count == b->probe_count;
    for (size_t p = 0; copies && p < a->probe_count; p++)
        copies = are_equal(&a->probes[p], &b->probes[p]);
    return copies;
}

static int compare_documents(void *with)
{
    struct search *search = with;
    struct pool *pool = &search->result->pool;
    search->itself = differences_of_copies(search->a, search->b);
    facts_compare(&search->result->facts, pool, search->a, search->b);
    level_links_find(search->levels, pool, search->a, search->b);
    facts_compare_levels(&search->result->facts, pool, search->levels);
    for (size_t i = 0; i < search->a->probe_count; i++) {
        const struct probe_result *probe = &search->a->probes[i];
        const struct probe_result *other = document_probe_near(search->b, probe->name, i);
        if (other) {
            facts_compare_pages(&search->result->facts, &search->result->pool, probe, other);
            compare_status(search, "first", probe, other);
            compare_status(search, "second", other, probe);
            compare_findings(search, probe, other);
            compare_matrices(search, probe, other);
            continue;
        }
        add_missing(search, pool_printf(pool, "only the first has %s", probe->name));
        for (size_t f = 0; f < probe->finding_count; f++)
            if (!finding_is_derived(&probe->findings[f]))
                note_lonely(search, probe, &probe->findings[f], NULL, false);
    }
    for (size_t i = 0; i < search->b->probe_count; i++)
        if (!document_probe_near(search->a, search->b->probes[i].name, i))
            add_missing(search,
                        pool_printf(pool, "only the second has %s", search->b->probes[i].name));
    settle(search);
    if (!search->result->count && !search->result->lonely_count)
        pool_leave(pool, ERROR_USAGE,
                   "the two documents have no value in common: compare runs of the same probes");
    return 0;
}

int differences_find(struct differences *result, const struct document *a, const struct document *b,
                     double tolerance, struct error *error)
{
    *result = (struct differences){.facts = {.list = NULL}};
    struct search search = {.result = result,
                            .a = a,
                            .b = b,
                            .of_a = figure_source_of(a),
                            .of_b = figure_source_of(b),
                            .tolerance = tolerance};
    return pool_enter(&result->pool, compare_documents, &search, error);
}

void differences_free(struct differences *result)
{
    pool_free(&result->pool);
    *result = (struct differences){.facts = {.list = NULL}};
}

bool differences_exist(const struct differences *result)
{
    return result->counts[CHANGED] || facts_have(&result->facts, SIDE_NEITHER);
}
