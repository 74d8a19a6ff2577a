#include "compare/spread.h"

#include "base/quantity.h"
#include "compare/joined.h"
#include "compare/levels.h"
#include "compare/pairs.h"
#include "compare/series.h"
#include "conclude/registry/finding.h"
#include "conclude/verdict.h"
#include "document/flag.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ENOUGH = 6 }; /* documents for a spread */

/* Several documents become one. */
struct spread {
    struct document *to; /* empty, but for the run's facts */
    const struct document *documents;
    size_t count;
    /* they are its runs: what other programs did to it and why a value is missing are kept, and a
     * value needs half of the documents that measured its probe */
    bool one_machine;
    bool any;                   /* a value in one document is enough */
    struct left_out out;        /* what fewer than half of the documents have */
    const char *left_out;       /* the same in words; NULL: nothing */
    struct level_links *levels; /* of each document, numbered as in one of them */
    /* Of the current probe: the documents and runs that could have its values, a value for each
     * document, and where its last series was found. */
    size_t voters, runs;
    double *values, *scratch;
    size_t *series_from;
};

/* How many documents carry each flag. */
struct votes {
    unsigned count[FLAG_COUNT];
};

static void vote(struct votes *votes, unsigned flags)
{
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        votes->count[flag] += (flags & FLAG_BIT(flag)) != 0;
}

static unsigned elected(const struct votes *votes, size_t voters)
{
    unsigned flags = 0;
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        if (2 * votes->count[flag] >= voters)
            flags |= FLAG_BIT(flag);
    return flags;
}

/* --- findings --- */

/* The results of one probe in all documents that have it, the numbers of their levels, and which of
 * their findings have been used. */
struct probe_of_each {
    const struct probe_result **probes;
    const struct level_links **levels;
    size_t count;
    bool **taken;
};

/* What the documents that have a finding say of it. */
struct collected {
    struct finding runs;
    struct votes votes;
    size_t beside; /* documents in which others had a part in it */
    struct disturbance disturbance;
};

/* Collects the finding's values from all documents that have it, whatever CPUs it is about. */
static size_t collect_values(struct spread *spread, struct probe_of_each *sources, size_t from,
                             size_t place, const struct finding_pairs *pairs,
                             struct collected *collected)
{
    const struct finding *model = &sources->probes[from]->findings[place];
    size_t n = 0;
    for (size_t d = from; d < sources->count; d++) {
        const struct finding *finding = d == from ? model : pairs[d].of_a[place];
        if (!finding || !quantity_same(finding->unit, model->unit))
            continue;
        sources->taken[d][finding - sources->probes[d]->findings] = true;
        if (!isfinite(finding->value))
            continue;
        n++;
        /* The document's value, or those of its own runs. */
        const struct factor single = {.number = finding->value};
        const size_t count = finding->run_count ? finding->run_count : 1;
        struct factor *added = pool_extend(&spread->to->pool, (void **)&collected->runs.runs,
                                           &collected->runs.run_count, count, sizeof *added);
        memcpy(added, finding->run_count ? finding->runs : &single, count * sizeof *added);
        vote(&collected->votes, finding->flags);
        if (finding_is_beside(finding)) {
            collected->beside++;
            collected->disturbance = finding->disturbance;
        }
    }
    return n;
}

static void add_finding(struct spread *spread, struct probe_result *result,
                        struct probe_of_each *sources, size_t from, size_t place,
                        const struct finding_pairs *pairs)
{
    const struct finding *model = &sources->probes[from]->findings[place];
    struct collected collected = {.beside = 0};
    const struct finding *runs = &collected.runs;
    const size_t n = collect_values(spread, sources, from, place, pairs, &collected);
    struct pool *pool = &spread->to->pool;
    const struct finding named = level_numbered(pool, sources->levels[from], model);
    const bool placed = level_partner(sources->levels[from], model) != 0;
    if (n == 0 && spread->one_machine && placed) { /* it tells why there is none */
        struct finding *kept =
            pool_append(pool, (void **)&result->findings, &result->finding_count, sizeof *kept);
        *kept = named;
    }
    if (n == 0)
        return;
    if (2 * runs->run_count < spread->runs || !placed) {
        joined_leave_out(&spread->out, pool, model);
        return;
    }
    double *values = pool_alloc(pool, runs->run_count, sizeof *values);
    for (size_t i = 0; i < runs->run_count; i++)
        values[i] = runs->runs[i].number;
    sort_ascending(values, runs->run_count);
    struct finding *finding = finding_add_value(
        result, pool, named.name, model->unit ? model->unit : "",
        (struct interval){median(values, runs->run_count), quantile(values, runs->run_count, 0.1),
                          quantile(values, runs->run_count, 0.9)},
        elected(&collected.votes, n));
    pool_give_back(pool, values);
    if (2 * collected.beside >= n && spread->one_machine)
        finding->disturbance = collected.disturbance;
    if (n >= ENOUGH) /* the spread over so many runs already contains what made each doubtful */
        finding->flags &= ~flag_widening(finding->flags);
    if (n == 1) {
        finding->low = model->low;
        finding->high = model->high;
    }
    if (runs->run_count > 1) {
        finding->runs = runs->runs;
        finding->run_count = runs->run_count;
    }
    finding->clock_hz = model->clock_hz;
    finding->declared = model->declared;
    finding->factors = named.factors;
    finding->factor_count = model->factor_count;
    finding->deviations = model->deviations;
    finding->cpus = pool_strdup(pool, model->cpus);
    if (!spread->one_machine)
        finding->text =
            pool_printf(pool, "median and middle four fifths of %zu documents", runs->run_count);
}

/* Adds the findings of one document that no earlier document had, with their partners in the later
 * ones. */
static void add_findings_of(struct spread *spread, struct probe_result *result,
                            struct probe_of_each *sources, size_t from, struct pool *scratch)
{
    const struct probe_result *probe = sources->probes[from];
    struct finding_pairs *pairs = NULL;
    for (size_t i = 0; i < probe->finding_count; i++) {
        if (sources->taken[from][i])
            continue;
        if (!pairs) {
            pairs = pool_alloc(scratch, sources->count, sizeof *pairs);
            for (size_t d = from + 1; d < sources->count; d++)
                finding_pairs_find(&pairs[d], scratch, probe, sources->levels[from],
                                   sources->probes[d], sources->levels[d]);
        }
        add_finding(spread, result, sources, from, i, pairs);
    }
}

/* --- series --- */

/* A document's series, and its points in the order of their places. */
struct series_of_one {
    const struct series *series;
    const struct point **sorted;
};

static void add_points(struct spread *spread, struct series *series, const struct series *model,
                       const struct series_of_one *sources)
{
    struct pool *pool = &spread->to->pool;
    for (size_t i = 0; i < model->point_count; i++) {
        struct votes votes = {{0}};
        size_t n = 0;
        for (size_t d = 0; d < spread->count; d++) {
            const struct point *place = &model->points[i];
            const struct point **found =
                sources[d].series
                    ? bsearch(&place, sources[d].sorted, sources[d].series->point_count,
                              sizeof *sources[d].sorted, point_order)
                    : NULL;
            if (!found || !(*found)->y.n)
                continue;
            const struct point *point = *found;
            spread->values[n++] = point->y.median;
            vote(&votes, point->flags);
        }
        if (2 * n < spread->voters || n == 0)
            continue;
        struct point *point =
            pool_append(pool, (void **)&series->points, &series->point_count, sizeof *point);
        *point = model->points[i];
        point_drop_details(point);
        point->flags = elected(&votes, n);
        summarize(spread->values, n, spread->scratch, &point->y);
    }
}

static void add_series(struct spread *spread, struct probe_result *result,
                       const struct series *model, struct pool *scratch)
{
    struct pool *pool = &spread->to->pool;
    struct series_of_one *sources = pool_alloc(scratch, spread->count, sizeof *sources);
    size_t have = 0;
    for (size_t d = 0; d < spread->count; d++) {
        const struct probe_result *probe =
            document_probe_near(&spread->documents[d], result->name, spread->to->probe_count - 1);
        const struct series *series =
            probe ? series_alike_find(probe, model, &spread->series_from[d]) : NULL;
        if (series && quantity_same(series->y.unit, model->y.unit))
            sources[d].series = series;
        have += sources[d].series != NULL;
    }
    if (2 * have < spread->voters)
        return;
    struct series *series =
        pool_append(pool, (void **)&result->series, &result->series_count, sizeof *series);
    *series = *model;
    series->points = NULL;
    series->point_count = 0;
    for (size_t d = 0; d < spread->count; d++)
        if (sources[d].series)
            sources[d].sorted = series_by_place(scratch, sources[d].series);
    add_points(spread, series, model, sources);
}

/* --- probes --- */

struct adding {
    struct spread *spread;
    const struct joined_probe *of;
};

/* The probe's series are those of the document with its most complete result. Of one machine a run
 * that did not measure the probe tells nothing of it beside one that did, and what a single run
 * measured stays as it is. */
static void add_probe(struct pool *scratch, void *with)
{
    struct spread *spread = ((const struct adding *)with)->spread;
    const struct joined_probe *of = ((const struct adding *)with)->of;
    struct document *to = spread->to;
    struct probe_result *result =
        pool_append(&to->pool, (void **)&to->probes, &to->probe_count, sizeof *result);
    struct probe_of_each sources = {
        .probes = pool_alloc(scratch, spread->count, sizeof(const struct probe_result *)),
        .levels = pool_alloc(scratch, spread->count, sizeof(const struct level_links *)),
        .taken = pool_alloc(scratch, spread->count, sizeof(bool *))};
    const struct probe_result *model = NULL;
    size_t runs = 0;
    for (size_t d = 0; d < spread->count; d++) {
        const struct document *document = &spread->documents[d];
        const struct probe_result *probe = document_probe_near(document, of->name, of->place);
        runs += probe || !spread->one_machine ? joined_runs(document) : 0;
        if (!probe || (spread->one_machine && model && !probe->finding_count))
            continue;
        sources.taken[sources.count] = pool_alloc(scratch, probe->finding_count, sizeof(bool));
        sources.levels[sources.count] = &spread->levels[d];
        sources.probes[sources.count++] = probe;
        model = model && model->finding_count >= probe->finding_count ? model : probe;
    }
    spread->voters = spread->any ? 1 : spread->one_machine ? sources.count : spread->count;
    spread->runs = spread->any ? 1 : runs;
    *result = *model;
    if (spread->one_machine && sources.count == 1) {
        joined_number_levels(result, &to->pool, sources.levels[0], &spread->out);
        return;
    }
    /* What is known of the probe itself. */
    *result = (struct probe_result){.name = model->name, .title = model->title, .elapsed_s = NAN};
    if (spread->one_machine) {
        result->about = model->about;
        result->status = model->status;
        result->reason = model->reason;
    }
    joined_parameters(result, &to->pool, sources.probes, sources.count);
    for (size_t d = 0; d < sources.count; d++)
        add_findings_of(spread, result, &sources, d, scratch);
    for (size_t i = 0; i < model->series_count; i++)
        add_series(spread, result, &model->series[i], scratch);
}

/* For runs of one machine the larger value, of what other programs did; for several machines the
 * value that they share, else NAN. */
static double of_both(const struct spread *spread, double a, double b)
{
    if (spread->one_machine)
        return b > a || isnan(a) ? b : a;
    return a == b ? a : NAN;
}

static int build(void *with)
{
    struct spread *spread = with;
    const struct document *documents = spread->documents;
    struct document *to = spread->to;
    struct pool *pool = &to->pool;
    joined_check(pool, documents, spread->count, spread->one_machine);
    spread->values = pool_alloc(pool, spread->count, sizeof(double));
    spread->scratch = pool_alloc(pool, spread->count, sizeof(double));
    spread->series_from = pool_alloc(pool, spread->count, sizeof(size_t));
    to->tool = documents[0].tool;
    to->machine = documents[0].machine;
    to->conditions = documents[0].conditions;
    if (spread->count > 1 && !spread->one_machine)
        to->machine.hostname = NULL;
    struct conditions *kept = &to->conditions;
    for (size_t d = 0; d < spread->count; d++) {
        const struct conditions *other = &documents[d].conditions;
        kept->load1 = of_both(spread, kept->load1, other->load1);
        kept->others_cpus = of_both(spread, kept->others_cpus, other->others_cpus);
        kept->stolen_s = of_both(spread, kept->stolen_s, other->stolen_s);
    }
    joined_remarks(to, documents, spread->count);
    spread->levels = level_links_of_all(pool, documents, spread->count);
    level_links_number(spread->levels, spread->count,
                       level_links_usual(spread->levels, spread->count, pool), pool);
    size_t names, values = 0;
    const struct joined_probe *probes = joined_probes(pool, documents, spread->count, &names);
    for (size_t i = 0; i < names; i++) {
        pool_scratch(pool, add_probe, &(struct adding){spread, &probes[i]});
        values += to->probes[i].finding_count + to->probes[i].series_count;
    }
    if (values == 0)
        pool_leave(pool, ERROR_USAGE,
                   "the documents have no value in common: give runs of the same probes");
    spread->left_out =
        joined_left_out(&spread->out, pool, "fewer than half of the documents have them");
    return verdict_note(to, pool_error(pool));
}

int baseline_build(struct document *to, const struct document *documents, size_t count,
                   const char **left_out, struct error *error)
{
    struct spread spread = {.to = to, .documents = documents, .count = count};
    to->run = joined_run("baseline", documents, count);
    to->run.complete = true;
    const int code = pool_enter(&to->pool, build, &spread, error);
    *left_out = code < 0 ? NULL : spread.left_out;
    return code;
}

int repeats_join(struct document *to, const struct document *documents, size_t count, bool any,
                 struct error *error)
{
    struct spread spread = {
        .to = to, .documents = documents, .count = count, .one_machine = true, .any = any};
    /* The first run's facts hold for all, except those that are summed up. */
    to->run = documents[0].run;
    to->run.joined = "repeat";
    to->run.documents = (unsigned)count;
    for (size_t d = 1; d < count; d++) {
        to->run.complete = to->run.complete && documents[d].run.complete;
        to->run.elapsed_s += documents[d].run.elapsed_s;
    }
    return pool_enter(&to->pool, build, &spread, error);
}
