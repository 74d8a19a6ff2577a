#include "findings/baseline.h"

#include "base/text.h"
#include "findings/device.h"
#include "findings/differences.h"
#include "findings/finding.h"
#include "result/flag.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ENOUGH = 6 }; /* documents for a spread */

struct building {
    struct document *to;
    const struct document *documents;
    size_t count;
    double *values, *scratch; /* room for a value a document */
};

/* The documents' flags, as far as half of them agree. */
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

static const struct finding *same_finding(const struct document *document, const char *probe,
                                          const struct finding *finding)
{
    const struct probe_result *result = document_probe(document, probe);
    for (size_t i = 0; result && i < result->finding_count; i++)
        if (strcmp(result->findings[i].name, finding->name) == 0 &&
            text_same(result->findings[i].cpus, finding->cpus) &&
            text_same(result->findings[i].unit, finding->unit))
            return &result->findings[i];
    return NULL;
}

static int add_finding(struct building *building, struct probe_result *result,
                       const struct finding *model, struct error *error)
{
    struct votes votes = {{0}};
    size_t n = 0;
    for (size_t d = 0; d < building->count; d++) {
        const struct finding *finding = same_finding(&building->documents[d], result->name, model);
        if (!finding || !isfinite(finding->value))
            continue;
        building->values[n++] = finding->value;
        vote(&votes, finding->flags);
    }
    if (2 * n < building->count || n == 0)
        return 0;
    sort_ascending(building->values, n);
    struct pool *pool = &building->to->pool;
    struct finding *finding = finding_add_value(
        result, pool, model->name, model->unit ? model->unit : "", median(building->values, n),
        quantile(building->values, n, 0.1), quantile(building->values, n, 0.9), elected(&votes, n));
    if (!finding)
        return error_out_of_memory(error);
    if (n >= ENOUGH) /* what made a run doubtful is in the spread over them */
        finding->flags &= ~flag_doubts(finding->flags);
    if (n == 1) {
        finding->low = model->low;
        finding->high = model->high;
    }
    finding->declared = model->declared;
    finding->cpus = pool_strdup(pool, model->cpus);
    finding->text = pool_printf(pool, "median and middle four fifths of %zu documents", n);
    return 0;
}

/* --- series --- */

static bool same_series(const struct series *a, const struct series *b)
{
    return differences_alike(a, b) && text_same(a->y.unit, b->y.unit);
}

/* Series of two runs list their places in the same order, apart from sizes that only one of them
 * has: the search goes on from where the last point was found. */
static const struct point *same_place(const struct series *series, const struct point *place,
                                      size_t *from)
{
    for (size_t step = 0; step < series->point_count; step++) {
        size_t i = (*from + step) % series->point_count;
        const struct point *point = &series->points[i];
        if (series->matrix ? point->from == place->from && point->to == place->to
                           : point->x == place->x) {
            *from = i + 1;
            return point;
        }
    }
    return NULL;
}

struct source {
    const struct series *series;
    size_t next;
};

static int add_series(struct building *building, struct probe_result *result,
                      const struct series *model, struct error *error)
{
    struct pool *pool = &building->to->pool;
    struct source *sources = pool_alloc(pool, building->count, sizeof *sources);
    size_t have = 0;
    if (!sources)
        return error_out_of_memory(error);
    for (size_t d = 0; d < building->count; d++) {
        const struct probe_result *probe = document_probe(&building->documents[d], result->name);
        for (size_t s = 0; probe && s < probe->series_count && !sources[d].series; s++)
            if (same_series(&probe->series[s], model))
                sources[d].series = &probe->series[s];
        have += sources[d].series != NULL;
    }
    if (2 * have < building->count)
        return 0;
    struct series *series =
        pool_append(pool, (void **)&result->series, &result->series_count, sizeof *series);
    if (!series)
        return error_out_of_memory(error);
    *series = *model;
    series->points = NULL;
    series->point_count = 0;
    for (size_t i = 0; i < model->point_count; i++) {
        struct votes votes = {{0}};
        size_t n = 0;
        for (size_t d = 0; d < building->count; d++) {
            const struct point *point =
                sources[d].series
                    ? same_place(sources[d].series, &model->points[i], &sources[d].next)
                    : NULL;
            if (!point || !point->y.n)
                continue;
            building->values[n++] = point->y.median;
            vote(&votes, point->flags);
        }
        if (2 * n < building->count || n == 0)
            continue;
        struct point *point =
            pool_append(pool, (void **)&series->points, &series->point_count, sizeof *point);
        if (!point)
            return error_out_of_memory(error);
        *point = model->points[i];
        point->cycles = (struct estimate){NAN, NAN, NAN};
        point->scatter = (struct scatter){NAN, NAN, NAN};
        point->flags = elected(&votes, n);
        summarize(building->values, n, building->scratch, &point->y);
    }
    return 0;
}

/* --- documents --- */

static int check_machines(const struct document *documents, size_t count, bool one_machine,
                          struct error *error)
{
    for (size_t i = 1; i < count; i++) {
        const struct machine_facts *a = &documents[0].machine, *b = &documents[i].machine;
        if (!text_same(a->cpu_model, b->cpu_model))
            return error_set(error, ERROR_USAGE,
                             "the documents are of different processors (%s and %s): give those of "
                             "one kind",
                             a->cpu_model ? a->cpu_model : "unknown",
                             b->cpu_model ? b->cpu_model : "unknown");
        const int device = device_of_another_kind(a, b);
        if (device >= 0)
            return error_set(error, ERROR_USAGE,
                             "the documents are of different devices (gpu%d is %s and %s): give "
                             "those of one kind",
                             device, device_facts(a, device)->name, device_facts(b, device)->name);
        if (one_machine && !text_same(a->hostname, b->hostname))
            return error_set(error, ERROR_USAGE,
                             "the documents are of different machines (%s and %s): merge those of "
                             "one; 'fathom baseline' takes many",
                             a->hostname ? a->hostname : "unknown",
                             b->hostname ? b->hostname : "unknown");
    }
    return 0;
}

/* --- what is of all runs --- */

static bool same_value(const struct factor *a, const struct factor *b)
{
    return strcmp(a->name, b->name) == 0 && text_same(a->text, b->text) &&
           (a->text || a->number == b->number);
}

static bool all_have_parameter(const struct building *building, const char *probe,
                               const struct factor *wanted)
{
    for (size_t d = 0; d < building->count; d++) {
        const struct probe_result *of = document_probe(&building->documents[d], probe);
        bool has = !of;
        for (size_t i = 0; of && i < of->parameter_count && !has; i++)
            has = same_value(&of->parameters[i], wanted);
        if (!has)
            return false;
    }
    return true;
}

/* The parameters that the probe had in every run that has it. */
static int keep_shared_parameters(struct building *building, struct probe_result *result,
                                  const struct probe_result *model, struct error *error)
{
    for (size_t i = 0; i < model->parameter_count; i++) {
        if (!all_have_parameter(building, model->name, &model->parameters[i]))
            continue;
        struct factor *kept = pool_append(&building->to->pool, (void **)&result->parameters,
                                          &result->parameter_count, sizeof *kept);
        if (!kept)
            return error_out_of_memory(error);
        *kept = model->parameters[i];
    }
    return 0;
}

static bool all_warn(const struct document *documents, size_t count, const char *line)
{
    for (size_t d = 0; d < count; d++) {
        const struct conditions *conditions = &documents[d].conditions;
        bool warns = false;
        for (size_t i = 0; i < conditions->warning_count && !warns; i++)
            warns = text_same(conditions->warnings[i], line);
        if (!warns)
            return false;
    }
    return true;
}

/* Leaves out of the conditions what is of one run alone. */
static int keep_shared_conditions(struct building *building, struct error *error)
{
    struct document *to = building->to;
    struct conditions *kept = &to->conditions;
    const struct conditions of = *kept;
    kept->warnings = NULL;
    kept->warning_count = 0;
    for (size_t d = 0; d < building->count; d++) {
        const struct conditions *other = &building->documents[d].conditions;
        kept->load1 = kept->load1 == other->load1 ? kept->load1 : NAN;
        kept->stolen_s = kept->stolen_s == other->stolen_s ? kept->stolen_s : NAN;
    }
    for (size_t i = 0; i < of.warning_count; i++) {
        if (!all_warn(building->documents, building->count, of.warnings[i]))
            continue;
        const char **line =
            pool_append(&to->pool, (void **)&kept->warnings, &kept->warning_count, sizeof *line);
        if (!line)
            return error_out_of_memory(error);
        *line = of.warnings[i];
    }
    return 0;
}

/* --- documents of several --- */

/* The document that tells most of a probe stands for what all have of it. */
static int add_probe(struct building *building, const char *name, struct error *error)
{
    const struct probe_result *model = NULL;
    for (size_t d = 0; d < building->count; d++) {
        const struct probe_result *probe = document_probe(&building->documents[d], name);
        if (probe && (!model || probe->finding_count > model->finding_count))
            model = probe;
    }
    struct document *to = building->to;
    struct probe_result *result =
        pool_append(&to->pool, (void **)&to->probes, &to->probe_count, sizeof *result);
    if (!result)
        return error_out_of_memory(error);
    *result = (struct probe_result){.name = model->name, .title = model->title, .elapsed_s = NAN};
    int code = keep_shared_parameters(building, result, model, error);
    for (size_t i = 0; i < model->finding_count && code == 0; i++)
        code = add_finding(building, result, &model->findings[i], error);
    for (size_t i = 0; i < model->series_count && code == 0; i++)
        code = add_series(building, result, &model->series[i], error);
    return code;
}

/* RFC 3339 in UTC sorts as text. */
static bool is_newer(const struct document *a, const struct document *b)
{
    return strcmp(a->run.started ? a->run.started : "", b->run.started ? b->run.started : "") > 0;
}

/* What can still be said of the run: a command or a seed would repeat one of several. */
static struct run_facts joined_run(const char *how, const struct document *newest, size_t count,
                                   bool complete)
{
    return (struct run_facts){.started = newest->run.started,
                              .elapsed_s = NAN,
                              .precision = NAN,
                              .budget_s = NAN,
                              .complete = complete,
                              .joined = how,
                              .documents = (unsigned)count};
}

int baseline_build(struct document *to, const struct document *documents, size_t count,
                   struct error *error)
{
    struct building building = {to, documents, count, calloc(count, sizeof(double)),
                                calloc(count, sizeof(double))};
    int code = building.values && building.scratch ? check_machines(documents, count, false, error)
                                                   : error_out_of_memory(error);
    const struct document *newest = &documents[0];
    for (size_t d = 1; d < count; d++)
        newest = is_newer(&documents[d], newest) ? &documents[d] : newest;
    to->tool = documents[0].tool;
    to->run = joined_run("baseline", newest, count, true);
    to->machine = documents[0].machine;
    to->conditions = documents[0].conditions;
    if (count > 1)
        to->machine.hostname = NULL;
    if (code == 0)
        code = keep_shared_conditions(&building, error);
    for (size_t d = 0; d < count && code == 0; d++)
        for (size_t p = 0; p < documents[d].probe_count && code == 0; p++)
            if (!document_probe(to, documents[d].probes[p].name))
                code = add_probe(&building, documents[d].probes[p].name, error);
    free(building.values);
    free(building.scratch);
    size_t values = 0;
    for (size_t p = 0; p < to->probe_count; p++)
        values += to->probes[p].finding_count + to->probes[p].series_count;
    if (code == 0 && values == 0)
        code = error_set(error, ERROR_USAGE,
                         "the documents have no value in common: give runs of the same probes");
    return code;
}

int documents_merge(struct document *to, const struct document *documents, size_t count,
                    struct error *error)
{
    int code = check_machines(documents, count, true, error);
    if (code < 0)
        return code;
    const struct document *newest = &documents[0], *devices = NULL;
    bool complete = true;
    size_t runs = 0; /* what was merged before is merged of several itself */
    for (size_t d = 0; d < count; d++) {
        newest = is_newer(&documents[d], newest) ? &documents[d] : newest;
        if (documents[d].machine.gpu_count && (!devices || is_newer(&documents[d], devices)))
            devices = &documents[d];
        complete = complete && documents[d].run.complete;
        runs += documents[d].run.documents ? documents[d].run.documents : 1;
    }
    struct pool pool = to->pool;
    *to = *newest;
    to->pool = pool;
    to->probes = NULL;
    to->probe_count = 0;
    if (count > 1)
        to->run = joined_run("merge", newest, runs, complete);
    if (devices) { /* the newest may not have looked for them */
        to->machine.gpus = devices->machine.gpus;
        to->machine.gpu_count = devices->machine.gpu_count;
    }
    for (size_t d = 0; d < count; d++)
        for (size_t p = 0; p < documents[d].probe_count; p++) {
            const struct probe_result *probe = &documents[d].probes[p];
            const struct document *from = &documents[d];
            if (document_probe(to, probe->name))
                continue;
            for (size_t other = d + 1; other < count; other++)
                if (document_probe(&documents[other], probe->name) &&
                    is_newer(&documents[other], from))
                    from = &documents[other];
            struct probe_result *slot =
                pool_append(&to->pool, (void **)&to->probes, &to->probe_count, sizeof *slot);
            if (!slot)
                return error_out_of_memory(error);
            *slot = *document_probe(from, probe->name);
        }
    return 0;
}
