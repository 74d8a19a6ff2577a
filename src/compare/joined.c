#include "compare/joined.h"

#include "base/sort.h"
#include "base/text.h"
#include "conclude/registry/device.h"
#include "conclude/registry/experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void joined_check(struct pool *pool, const struct document *documents, size_t count,
                  bool one_machine)
{
    for (size_t i = 1; i < count; i++) {
        const struct machine_facts *a = &documents[0].machine, *b = &documents[i].machine;
        if (!text_same(a->cpu_model, b->cpu_model))
            pool_leave(pool, ERROR_USAGE,
                       "the documents are of different processors (%s and %s): give those of "
                       "one kind",
                       text_or_unknown(a->cpu_model), text_or_unknown(b->cpu_model));
        const int device = device_of_another_kind(a, b);
        if (device >= 0)
            pool_leave(pool, ERROR_USAGE,
                       "the documents are of different devices (gpu%d is %s and %s): give "
                       "those of one kind",
                       device, device_facts(a, device)->name, device_facts(b, device)->name);
        if (one_machine && !text_same(a->hostname, b->hostname))
            pool_leave(pool, ERROR_USAGE,
                       "the documents are of different machines (%s and %s): merge those of "
                       "one; 'fathom baseline' takes many",
                       text_or_unknown(a->hostname), text_or_unknown(b->hostname));
    }
}

/* RFC 3339 in UTC sorts as text. */
bool joined_is_newer(const struct document *a, const struct document *b)
{
    return strcmp(a->run.started ? a->run.started : "", b->run.started ? b->run.started : "") > 0;
}

unsigned joined_runs(const struct document *document)
{
    return document->run.documents ? document->run.documents : 1;
}

struct run_facts joined_run(const char *how, const struct document *documents, size_t count)
{
    struct run_facts run = {.started = joined_newest(documents, count)->run.started,
                            .elapsed_s = NAN,
                            .precision = NAN,
                            .budget_s = NAN,
                            .complete = true,
                            .joined = how};
    for (size_t d = 0; d < count; d++) {
        run.complete = run.complete && documents[d].run.complete;
        run.documents += joined_runs(&documents[d]);
    }
    return run;
}

const struct document *joined_newest(const struct document *documents, size_t count)
{
    const struct document *newest = &documents[0];
    for (size_t d = 1; d < count; d++)
        newest = joined_is_newer(&documents[d], newest) ? &documents[d] : newest;
    return newest;
}

enum { NAMED_MOST = 8 }; /* of the findings that are left out */

void joined_leave_out(struct left_out *out, struct pool *pool, const struct finding *finding)
{
    const char *experiment = experiment_text(finding, pool), *names = out->names;
    if (out->count++ < NAMED_MOST)
        out->names =
            pool_printf(pool, "%s%s%s%s%s%s", names ? names : "", names ? ", " : "", finding->name,
                        *experiment ? " (" : "", experiment, *experiment ? ")" : "");
}

const char *joined_left_out(const struct left_out *out, struct pool *pool, const char *reason)
{
    if (!out->count)
        return NULL;
    const char *more =
        out->count > NAMED_MOST ? pool_printf(pool, " and %zu more", out->count - NAMED_MOST) : "";
    return pool_printf(pool, "left out, because %s: %s%s", reason, out->names, more);
}

void joined_number_levels(struct probe_result *result, struct pool *pool,
                          const struct level_links *links, struct left_out *out)
{
    const struct probe_result of = *result;
    result->findings = NULL;
    result->finding_count = 0;
    for (size_t i = 0; i < of.finding_count; i++) {
        const struct finding *finding = &of.findings[i];
        if (level_partner(links, finding) == 0) {
            if (isfinite(finding->value))
                joined_leave_out(out, pool, finding);
            continue;
        }
        struct finding *slot =
            pool_append(pool, (void **)&result->findings, &result->finding_count, sizeof *slot);
        *slot = level_numbered(pool, links, finding);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct joined_probe *left = a, *right = b;
    return ORDER_BY({left->document, right->document}, {left->place, right->place});
}

static int by_name(const void *a, const void *b)
{
    const struct joined_probe *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : by_place(a, b);
}

struct joined_probe *joined_probes(struct pool *pool, const struct document *documents,
                                   size_t count, size_t *names)
{
    size_t all = 0, n = 0;
    for (size_t d = 0; d < count; d++)
        all += documents[d].probe_count;
    struct joined_probe *list = pool_alloc(pool, all, sizeof *list);
    for (size_t d = 0; d < count; d++)
        for (size_t p = 0; p < documents[d].probe_count; p++)
            list[n++] = (struct joined_probe){documents[d].probes[p].name, d, p};
    *names = 0;
    qsort(list, n, sizeof *list, by_name);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(list[i].name, list[*names - 1].name) != 0)
            list[(*names)++] = list[i];
    qsort(list, *names, sizeof *list, by_place);
    return list;
}

/* More parameters than this are only compared place by place; fathom's probes have about twenty. */
enum { PARAMETERS_MOST = 256 };

/* Runs of one probe mostly list their parameters in the same order. */
static bool has_parameter(const struct probe_result *probe, const struct factor *wanted,
                          size_t place)
{
    if (place < probe->parameter_count && factor_same(&probe->parameters[place], wanted))
        return true;
    if (probe->parameter_count > PARAMETERS_MOST)
        return false;
    for (size_t i = 0; i < probe->parameter_count; i++)
        if (factor_same(&probe->parameters[i], wanted))
            return true;
    return false;
}

void joined_parameters(struct probe_result *to, struct pool *pool,
                       const struct probe_result *const *of, size_t count)
{
    for (size_t i = 0; i < of[0]->parameter_count; i++) {
        const struct factor *parameter = &of[0]->parameters[i];
        size_t have = 1;
        while (have < count && has_parameter(of[have], parameter, i))
            have++;
        if (have < count)
            continue;
        struct factor *kept =
            pool_append(pool, (void **)&to->parameters, &to->parameter_count, sizeof *kept);
        *kept = *parameter;
    }
}

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

void joined_remarks(struct document *to, const struct document *documents, size_t count)
{
    struct conditions *kept = &to->conditions;
    const struct conditions of = *kept;
    kept->remarks = NULL;
    kept->remark_count = 0;
    for (size_t i = 0; i < of.remark_count && i < REMARKS_MOST; i++) {
        if (!all_remark(documents, count, &of.remarks[i]))
            continue;
        struct remark *remark =
            pool_append(&to->pool, (void **)&kept->remarks, &kept->remark_count, sizeof *remark);
        *remark = of.remarks[i];
    }
}
