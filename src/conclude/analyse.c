#include "conclude/analyse.h"

#include "base/cpulist.h"
#include "base/text.h"
#include "conclude/complete.h"
#include "conclude/registry/catalogue.h"
#include "conclude/registry/device.h"
#include "conclude/registry/finding.h"
#include "conclude/registry/registry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- findings that are kept --- */

static void note_kept(struct analysis *analysis, size_t count, const char *why)
{
    struct analysis_remark *last =
        analysis->remark_count ? &analysis->remarks[analysis->remark_count - 1] : NULL;
    if (!count)
        return;
    if (last && last->probe == analysis->result->name && strcmp(last->why, why) == 0) {
        last->findings += count;
        return;
    }
    struct analysis_remark *remark = pool_append(analysis->pool, (void **)&analysis->remarks,
                                                 &analysis->remark_count, sizeof *remark);
    *remark = (struct analysis_remark){analysis->result->name, why, count};
}

/* The first few remarks in one line; a document may have any number of probes. */
static const char *tell_remarks(const struct analysis *analysis)
{
    enum { REMARKS_MOST = 12 };
    const char *text = "";
    size_t i = 0;
    for (; i < analysis->remark_count && i < REMARKS_MOST; i++)
        text = pool_printf(analysis->pool, "%s%s%zu of %s (%s)", text, i ? ", " : "",
                           analysis->remarks[i].findings, analysis->remarks[i].probe,
                           analysis->remarks[i].why);
    return i < analysis->remark_count ? pool_printf(analysis->pool, "%s, and more", text) : text;
}

/* Keeps the earlier findings that are marked (NULL: all) and not kept yet. */
static void keep_some(struct analysis *analysis, const char *why, const bool *wanted)
{
    struct probe_result *result = analysis->result;
    const bool all_read = analysis->read == result->finding_count;
    size_t count = 0;
    for (size_t i = 0; i < analysis->before_count; i++) {
        if (analysis->kept[i] || (wanted && !wanted[i]))
            continue;
        struct finding *finding = pool_append(analysis->pool, (void **)&result->findings,
                                              &result->finding_count, sizeof *finding);
        *finding = analysis->before[i];
        analysis->kept[i] = true;
        count++;
    }
    analysis->read = all_read ? result->finding_count : analysis->read;
    note_kept(analysis, count, why);
}

void analysis_keep(struct analysis *analysis, const char *patterns, const char *why)
{
    bool *of_patterns = pool_alloc(analysis->pool, analysis->before_count + 1, sizeof(bool));
    for (size_t i = 0; i < analysis->before_count; i++)
        of_patterns[i] = finding_name_matches(patterns, analysis->before[i].name);
    keep_some(analysis, why, of_patterns);
}

void analysis_keep_devices(struct analysis *analysis, const char *why)
{
    bool *unknown = pool_alloc(analysis->pool, analysis->before_count + 1, sizeof(bool));
    for (size_t i = 0; i < analysis->before_count; i++) {
        const int device = device_of_name(analysis->before[i].name, NULL);
        unknown[i] = device >= 0 && !(analysis->machine && device_facts(analysis->machine, device));
    }
    keep_some(analysis, why, unknown);
}

/* --- running --- */

struct analysing {
    struct analysis *analysis;
    analyse_function *analyse;
};

static int analyse_anew(void *with)
{
    const struct analysing *analysing = with;
    struct analysis *analysis = analysing->analysis;
    struct probe_result *result = analysis->result;
    analysis->kept = pool_alloc(analysis->pool, analysis->before_count + 1, sizeof *analysis->kept);
    result->findings = NULL;
    result->finding_count = analysis->read = 0;
    bool values = false;
    for (size_t s = 0; s < result->series_count && !values; s++)
        for (size_t p = 0; p < result->series[s].point_count && !values; p++)
            values = result->series[s].points[p].y.n;
    if (!analysing->analyse)
        keep_some(analysis, "this version does not know the probe", NULL);
    else if (!values)
        keep_some(analysis, "its series hold no values", NULL);
    else
        analysing->analyse(analysis);
    if (!result->finding_count) /* from another tool, or a version that measured in another way */
        keep_some(analysis, "this version finds nothing in its series", NULL);
    /* Keeps findings that no line of the registry explains, because another program wrote them,
     * unless they were computed now. All are looked up before any is added, because adding moves
     * findings in memory. */
    struct finding_lookup computed;
    bool *foreign = pool_alloc(analysis->pool, analysis->before_count + 1, sizeof *foreign);
    finding_lookup_build(&computed, analysis->pool, NULL, analysis->result);
    for (size_t i = 0; i < analysis->before_count; i++) {
        const struct finding *finding = &analysis->before[i];
        foreign[i] =
            !finding_line_find(finding->name) && !finding_lookup_name(&computed, finding->name);
    }
    keep_some(analysis, "this version does not know them", foreign);
    return 0;
}

int analysis_run(struct analysis *analysis, analyse_function *analyse, struct error *error)
{
    struct probe_result *result = analysis->result;
    analysis->before = result->findings;
    analysis->before_count = result->finding_count;
    const int code =
        pool_enter(analysis->pool, analyse_anew, &(struct analysing){analysis, analyse}, error);
    if (code < 0) {
        result->findings = (struct finding *)analysis->before;
        result->finding_count = analysis->before_count;
    }
    return code;
}

struct document_analysing {
    struct document *document;
    const char **remarks;
};

static int analyse_document(void *with)
{
    const struct document_analysing *analysing = with;
    struct document *document = analysing->document;
    struct analysis analysis = {
        .document = document, .machine = &document->machine, .pool = &document->pool};
    for (int others = 0; others < 2; others++)
        for (size_t i = 0; i < document->probe_count; i++) {
            analysis.result = &document->probes[i];
            const enum probe_status status = analysis.result->status;
            const struct finding_table *table = finding_table_of(analysis.result->name);
            const bool first = table && table->before_others;
            if (first == (others == 1))
                continue;
            if (document_is_pooled(document))
                note_kept(&analysis, analysis.result->finding_count,
                          "its findings are those of the documents that it was made of");
            else if (status != PROBE_SKIPPED && status != PROBE_FAILED)
                pool_check(&document->pool,
                           analysis_run(&analysis, analysis_of(analysis.result->name),
                                        pool_error(&document->pool)));
        }
    *analysing->remarks = analysis.remark_count ? tell_remarks(&analysis) : NULL;
    return experiments_complete(document, pool_error(&document->pool));
}

int document_analyse(struct document *document, const char **remarks, struct error *error)
{
    return pool_enter(&document->pool, analyse_document,
                      &(struct document_analysing){document, remarks}, error);
}

/* --- for the probes' functions --- */

struct finding *analysis_add(struct analysis *analysis, const char *name, const char *unit)
{
    return finding_add(analysis->result, analysis->pool, name, unit);
}

struct finding *analysis_add_summary(struct analysis *analysis, const char *name, const char *unit,
                                     const struct summary *summary, unsigned flags)
{
    return finding_add_summary(analysis->result, analysis->pool, name, unit, summary, flags);
}

struct finding *analysis_add_point(struct analysis *analysis, const char *name, const char *unit,
                                   const struct point *point, unsigned flags)
{
    return finding_add_time_of(analysis->result, analysis->pool, name, unit, point, flags);
}

struct finding *analysis_add_value(struct analysis *analysis, const char *name, const char *unit,
                                   struct interval value, unsigned flags)
{
    return finding_add_value(analysis->result, analysis->pool, name, unit, value, flags);
}

/* Removes a finding's value if its series has too few points for a conclusion. */
static void refuse_thin(struct analysis *analysis, struct finding *finding,
                        const struct series *series, size_t measured)
{
    const struct finding_line *line = finding_line_find(finding->name);
    const size_t least = line && line->least_points ? line->least_points : 1;
    if (measured >= least)
        return;
    finding->value = finding->low = finding->high = NAN;
    finding->text = pool_printf(
        analysis->pool,
        "not enough data: '%s' has %zu measured point%s, and this takes %zu: give it more "
        "time (a larger --budget)",
        series->name, measured, measured == 1 ? "" : "s", least);
}

/* Each finding has a list of its own, because experiment_complete() adds to it later. */
void analysis_read_off(struct analysis *analysis, const struct series *series)
{
    struct probe_result *result = analysis->result;
    size_t measured = 0;
    for (size_t i = 0; series && i < series->point_count; i++)
        measured += series->points[i].y.n > 0;
    for (; analysis->read < result->finding_count; analysis->read++) {
        struct finding *finding = &result->findings[analysis->read];
        if (!series || finding->factor_count)
            continue;
        refuse_thin(analysis, finding, series, measured);
        for (size_t f = 0; f < series->factor_count; f++)
            analysis_add_factor(analysis, finding, &series->factors[f]);
    }
}

void analysis_add_factor(struct analysis *analysis, struct finding *finding,
                         const struct factor *factor)
{
    struct factor *added = pool_append(analysis->pool, (void **)&finding->factors,
                                       &finding->factor_count, sizeof *added);
    *added = *factor;
}

const struct series *analysis_series(const struct analysis *analysis, const char *name,
                                     const char *factor, const char *text)
{
    return probe_series(analysis->result, name, factor, text);
}

const struct factor *analysis_parameter(const struct analysis *analysis, const char *name)
{
    return probe_parameter(analysis->result, name);
}

double analysis_number(const struct analysis *analysis, const char *name)
{
    const struct factor *parameter = analysis_parameter(analysis, name);
    return parameter && !parameter->text ? parameter->number : NAN;
}

const struct factor *analysis_list(const struct analysis *analysis, const char *name, size_t *count)
{
    const struct factor *parameter = analysis_parameter(analysis, name);
    *count = parameter ? parameter->list_count : 0;
    if (*count || !parameter || !parameter->text)
        return parameter ? parameter->list : NULL;
    static const char between[] = " ,=";
    struct factor *list = NULL;
    for (const char *at = parameter->text; *(at += strspn(at, between));) {
        const size_t length = strcspn(at, between);
        const char *word = pool_printf(analysis->pool, "%.*s", (int)length, at);
        struct factor *element =
            pool_append(analysis->pool, (void **)&list, count, sizeof *element);
        char *end;
        element->number = strtod(word, &end);
        element->text = *end ? word : NULL;
        at += length;
    }
    return list;
}

size_t analysis_count(double number)
{
    const double most = 1e6;
    return number >= 1 ? (size_t)(number < most ? number : most) : 0;
}

const char *analysis_factor(const struct series *series, const char *name)
{
    const struct factor *factor = series_factor(series, name);
    return factor && factor->text ? factor->text : "";
}

unsigned analysis_line_bytes(const struct analysis *analysis)
{
    const struct machine_facts *facts = analysis->machine;
    unsigned largest = 0;
    for (size_t i = 0; facts && i < facts->cache_count; i++)
        if (facts->caches[i].line_bytes > largest)
            largest = facts->caches[i].line_bytes;
    if (largest)
        return largest;
    return facts && facts->cpu_arch && strncmp(facts->cpu_arch, "ppc64", 5) == 0 ? 128 : 64;
}

/* The CPUs that were asked for, or all that the process was allowed to use. */
size_t analysis_cpu_count(const struct analysis *analysis, size_t least)
{
    const struct factor *asked = analysis_parameter(analysis, "cpus");
    const char *text = asked                ? asked->text
                       : analysis->document ? analysis->document->conditions.affinity
                                            : NULL;
    const size_t count = cpulist_text_count(text);
    return count > least ? count : least;
}

size_t analysis_threads(const struct analysis *analysis, const char *name)
{
    const double asked = analysis_number(analysis, name);
    double most = 1;
    for (size_t i = 0; i < analysis->result->series_count; i++) {
        const struct series *series = &analysis->result->series[i];
        for (size_t p = 0; p < series->point_count && text_same(series->x.name, name); p++)
            most = fmax(most, series->points[p].x);
    }
    return asked >= 1 ? analysis_count(asked) : analysis_cpu_count(analysis, analysis_count(most));
}
