#include "compare/baseline.h"

#include "base/quantity.h"
#include "base/text.h"
#include "compare/joined.h"
#include "compare/pairs.h"
#include "compare/series.h"
#include "conclude/registry/experiment.h"
#include "conclude/registry/finding.h"
#include "conclude/verdict.h"
#include "document/flag.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENOUGH = 6,     /* documents for a spread */
    NAMED_MOST = 8, /* of the findings that are left out */
};

struct building {
    struct document *to;
    const struct document *documents;
    size_t count;
    bool repeated, any;       /* they are runs of one machine, and some may lack a probe */
    size_t runs;              /* of all documents: one may be made of others */
    size_t voters;            /* documents that could have the probe's values */
    double *values, *scratch; /* a value for each document */
    size_t *series_from;      /* for each document, where the last series was found */
    size_t left_out;          /* findings that fewer than half of the documents have */
    const char *names;        /* the names of the first NAMED_MOST of them */
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

/* The results of one probe in all documents that have it, and which of their findings have been
 * used. */
struct probe_of_each {
    const struct probe_result **probes;
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

/* Adds the document's value, or those of its own runs. */
static void add_runs(struct building *building, struct finding *to, const struct finding *from)
{
    const struct factor single = {.number = from->value};
    const size_t count = from->run_count ? from->run_count : 1;
    struct factor *added =
        pool_extend(&building->to->pool, (void **)&to->runs, &to->run_count, count, sizeof *added);
    memcpy(added, from->run_count ? from->runs : &single, count * sizeof *added);
}

/* Collects the finding's values from all documents that have it, whatever CPUs it is about. */
static size_t collect_values(struct building *building, struct probe_of_each *sources, size_t from,
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
        add_runs(building, &collected->runs, finding);
        vote(&collected->votes, finding->flags);
        if (finding_is_beside(finding)) {
            collected->beside++;
            collected->disturbance = finding->disturbance;
        }
    }
    return n;
}

/* Its runs' values, ascending. */
static double *sorted_runs(struct pool *pool, const struct finding *of)
{
    double *values = pool_alloc(pool, of->run_count, sizeof *values);
    for (size_t i = 0; i < of->run_count; i++)
        values[i] = of->runs[i].number;
    sort_ascending(values, of->run_count);
    return values;
}

static void add_finding(struct building *building, struct probe_result *result,
                        struct probe_of_each *sources, size_t from, size_t place,
                        const struct finding_pairs *pairs)
{
    const struct finding *model = &sources->probes[from]->findings[place];
    struct collected collected = {.beside = 0};
    const struct finding *runs = &collected.runs;
    const size_t n = collect_values(building, sources, from, place, pairs, &collected);
    struct pool *pool = &building->to->pool;
    if (n == 0 && building->repeated) { /* it tells why there is none */
        struct finding *kept =
            pool_append(pool, (void **)&result->findings, &result->finding_count, sizeof *kept);
        *kept = *model;
    }
    if (n == 0)
        return;
    const size_t votes = building->repeated ? n : runs->run_count;
    if (2 * votes < (building->repeated ? building->voters : building->runs)) {
        const char *experiment = experiment_text(model, pool), *names = building->names;
        if (building->left_out++ < NAMED_MOST)
            building->names = pool_printf(pool, "%s%s%s%s%s%s", names ? names : "",
                                          names ? ", " : "", model->name, *experiment ? " (" : "",
                                          experiment, *experiment ? ")" : "");
        return;
    }
    double *values = sorted_runs(pool, runs);
    struct finding *finding = finding_add_value(
        result, pool, model->name, model->unit ? model->unit : "",
        (struct interval){median(values, runs->run_count), quantile(values, runs->run_count, 0.1),
                          quantile(values, runs->run_count, 0.9)},
        elected(&collected.votes, n));
    pool_give_back(pool, values);
    if (2 * collected.beside >= n && building->repeated)
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
    finding->factors = model->factors;
    finding->factor_count = model->factor_count;
    finding->deviations = model->deviations;
    finding->cpus = pool_strdup(pool, model->cpus);
    if (!building->repeated)
        finding->text =
            pool_printf(pool, "median and middle four fifths of %zu documents", runs->run_count);
}

/* Adds the findings of one document that no earlier document had, with their partners in the later
 * ones. */
static void add_findings_of(struct building *building, struct probe_result *result,
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
                finding_pairs_find(&pairs[d], scratch, probe, sources->probes[d], NULL);
        }
        add_finding(building, result, sources, from, i, pairs);
    }
}

/* --- series --- */

/* A document's series, and its points in the order of their places. */
struct series_of_one {
    const struct series *series;
    const struct point **sorted;
};

static void add_points(struct building *building, struct series *series, const struct series *model,
                       const struct series_of_one *sources)
{
    struct pool *pool = &building->to->pool;
    for (size_t i = 0; i < model->point_count; i++) {
        struct votes votes = {{0}};
        size_t n = 0;
        for (size_t d = 0; d < building->count; d++) {
            const struct point *place = &model->points[i];
            const struct point **found =
                sources[d].series
                    ? bsearch(&place, sources[d].sorted, sources[d].series->point_count,
                              sizeof *sources[d].sorted, point_order)
                    : NULL;
            if (!found || !(*found)->y.n)
                continue;
            const struct point *point = *found;
            building->values[n++] = point->y.median;
            vote(&votes, point->flags);
        }
        if (2 * n < building->voters || n == 0)
            continue;
        struct point *point =
            pool_append(pool, (void **)&series->points, &series->point_count, sizeof *point);
        *point = model->points[i];
        point_drop_details(point);
        point->flags = elected(&votes, n);
        summarize(building->values, n, building->scratch, &point->y);
    }
}

static void add_series(struct building *building, struct probe_result *result,
                       const struct series *model, struct pool *scratch)
{
    struct pool *pool = &building->to->pool;
    struct series_of_one *sources = pool_alloc(scratch, building->count, sizeof *sources);
    size_t have = 0;
    for (size_t d = 0; d < building->count; d++) {
        const struct probe_result *probe = document_probe_near(
            &building->documents[d], result->name, building->to->probe_count - 1);
        const struct series *series =
            probe ? series_alike_find(probe, model, &building->series_from[d]) : NULL;
        if (series && quantity_same(series->y.unit, model->y.unit))
            sources[d].series = series;
        have += sources[d].series != NULL;
    }
    if (2 * have < building->voters)
        return;
    struct series *series =
        pool_append(pool, (void **)&result->series, &result->series_count, sizeof *series);
    *series = *model;
    series->points = NULL;
    series->point_count = 0;
    for (size_t d = 0; d < building->count; d++)
        if (sources[d].series)
            sources[d].sorted = series_by_place(scratch, sources[d].series);
    add_points(building, series, model, sources);
}

/* --- facts that all runs share --- */

/* Limits foreign documents, so that the time stays proportional to their size; fathom's have about
 * ten. */
enum { REMARKS_MOST = 256 };

static bool all_remark(const struct document *documents, size_t count, const struct remark *remark)
{
    for (size_t d = 0; d < count; d++) {
        const struct conditions *conditions = &documents[d].conditions;
        bool has = false;
        for (size_t i = 0; i < conditions->remark_count && i < REMARKS_MOST && !has; i++)
            has = text_same(conditions->remarks[i].what, remark->what);
        if (!has)
            return false;
    }
    return true;
}

/* Of runs of one machine the most that others did. */
static double of_both(const struct building *building, double a, double b)
{
    if (building->repeated)
        return b > a || isnan(a) ? b : a;
    return a == b ? a : NAN;
}

/* Keeps only the conditions that all runs share. */
static void keep_shared_conditions(struct building *building)
{
    struct document *to = building->to;
    struct conditions *kept = &to->conditions;
    const struct conditions of = *kept;
    kept->remarks = NULL;
    kept->remark_count = 0;
    for (size_t d = 0; d < building->count; d++) {
        const struct conditions *other = &building->documents[d].conditions;
        kept->load1 = of_both(building, kept->load1, other->load1);
        kept->others_cpus = of_both(building, kept->others_cpus, other->others_cpus);
        kept->stolen_s = of_both(building, kept->stolen_s, other->stolen_s);
    }
    for (size_t i = 0; i < of.remark_count && i < REMARKS_MOST; i++) {
        if (!all_remark(building->documents, building->count, &of.remarks[i]))
            continue;
        struct remark *remark =
            pool_append(&to->pool, (void **)&kept->remarks, &kept->remark_count, sizeof *remark);
        *remark = of.remarks[i];
    }
}

/* --- documents of several --- */

struct adding {
    struct building *building;
    const struct joined_probe *of;
};

static void add_probe(struct pool *scratch, void *with)
{
    const struct joined_probe *of = ((const struct adding *)with)->of;
    struct building *building = ((const struct adding *)with)->building;
    struct document *to = building->to;
    struct probe_result *result =
        pool_append(&to->pool, (void **)&to->probes, &to->probe_count, sizeof *result);
    struct probe_of_each sources = {
        .probes = pool_alloc(scratch, building->count, sizeof(const struct probe_result *)),
        .taken = pool_alloc(scratch, building->count, sizeof(bool *))};
    /* The probe's series are those of the document with its most complete result. */
    const struct probe_result *model = NULL;
    for (size_t d = 0; d < building->count; d++) {
        const struct probe_result *probe =
            document_probe_near(&building->documents[d], of->name, of->place);
        if (!probe || (building->repeated && model && !probe->finding_count))
            continue;
        sources.taken[sources.count] = pool_alloc(scratch, probe->finding_count, sizeof(bool));
        sources.probes[sources.count++] = probe;
        model = model && model->finding_count >= probe->finding_count ? model : probe;
    }
    building->voters = building->any ? 1 : building->repeated ? sources.count : building->count;
    if (building->repeated && sources.count == 1) {
        *result = *model;
        return;
    }
    *result = (struct probe_result){.name = model->name, .title = model->title, .elapsed_s = NAN};
    if (building->repeated) {
        result->about = model->about;
        result->status = model->status;
        result->reason = model->reason;
    }
    joined_parameters(result, &to->pool, sources.probes, sources.count);
    for (size_t d = 0; d < sources.count; d++)
        add_findings_of(building, result, &sources, d, scratch);
    for (size_t i = 0; i < model->series_count; i++)
        add_series(building, result, &model->series[i], scratch);
}

/* The first run's facts hold for all, but for what they add up to. */
static struct run_facts facts_of_repeats(const struct document *documents, size_t count)
{
    struct run_facts run = documents[0].run;
    run.joined = "repeat";
    run.documents = (unsigned)count;
    for (size_t d = 1; d < count; d++) {
        run.complete = run.complete && documents[d].run.complete;
        run.elapsed_s += documents[d].run.elapsed_s;
    }
    return run;
}

static int build(void *with)
{
    struct building *building = with;
    const struct document *documents = building->documents;
    const size_t count = building->count;
    struct document *to = building->to;
    struct pool *pool = &to->pool;
    building->values = pool_alloc(pool, count, sizeof(double));
    building->scratch = pool_alloc(pool, count, sizeof(double));
    building->series_from = pool_alloc(pool, count, sizeof(size_t));
    joined_check(pool, documents, count, building->repeated);
    to->tool = documents[0].tool;
    for (size_t d = 0; d < count; d++)
        building->runs += documents[d].run.documents ? documents[d].run.documents : 1;
    to->run = building->repeated
                  ? facts_of_repeats(documents, count)
                  : joined_run("baseline", joined_newest(documents, count), building->runs, true);
    to->machine = documents[0].machine;
    to->conditions = documents[0].conditions;
    if (count > 1 && !building->repeated)
        to->machine.hostname = NULL;
    keep_shared_conditions(building);
    size_t names, values = 0;
    const struct joined_probe *probes = joined_probes(pool, documents, count, &names);
    for (size_t i = 0; i < names; i++) {
        pool_scratch(pool, add_probe, &(struct adding){building, &probes[i]});
        values += to->probes[i].finding_count + to->probes[i].series_count;
    }
    if (values == 0)
        pool_leave(pool, ERROR_USAGE,
                   "the documents have no value in common: give runs of the same probes");
    if (building->left_out > NAMED_MOST)
        building->names =
            pool_printf(pool, "%s and %zu more", building->names, building->left_out - NAMED_MOST);
    if (building->left_out)
        building->names =
            pool_printf(pool, "left out, because fewer than half of the documents have them: %s",
                        building->names);
    return verdict_note(to, pool_error(pool));
}

int baseline_build(struct document *to, const struct document *documents, size_t count,
                   const char **left_out, struct error *error)
{
    struct building building = {.to = to, .documents = documents, .count = count};
    const int code = pool_enter(&to->pool, build, &building, error);
    *left_out = code < 0 ? NULL : building.names;
    return code;
}

int repeats_join(struct document *to, const struct document *documents, size_t count, bool any,
                 struct error *error)
{
    struct building building = {
        .to = to, .documents = documents, .count = count, .repeated = true, .any = any};
    return pool_enter(&to->pool, build, &building, error);
}
