#include "measure/probes/latency/analyse.h"

#include "base/quantity.h"
#include "base/units.h"
#include "conclude/levels/levels.h"
#include "conclude/registry/finding.h"
#include "measure/probes/chase/knees.h"
#include "measure/probes/latency/small.h"
#include "measure/probes/latency/variants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* More sizes than this are a sweep, even where each was named. */
enum { SIZES_NAMED_MOST = 12 };

/* --- which curves --- */

static bool has_headline(const struct probe_result *result)
{
    for (size_t i = 0; i < result->series_count; i++)
        if (result->series[i].headline)
            return true;
    return false;
}

/* Of another tool's curves the one of most points, and of these the one of the largest stride,
 * which prefetchers follow least. */
static size_t most_telling(const struct probe_result *result)
{
    size_t best = 0;
    for (size_t i = 1; i < result->series_count; i++) {
        const struct factor *stride = series_factor(&result->series[i], "stride"),
                            *other = series_factor(&result->series[best], "stride");
        const size_t points = result->series[i].point_count,
                     most = result->series[best].point_count;
        if (points > most || (points == most && stride && other && stride->number > other->number))
            best = i;
    }
    return best;
}

/* --- translation --- */

/* "huge (2 MiB)": the size of the pages that were obtained, where one was; else 0. */
static uint64_t pages_obtained(const struct analysis *analysis)
{
    const struct factor *pages = analysis_parameter(analysis, "pages_obtained");
    const char *size = pages && pages->text ? strchr(pages->text, '(') : NULL;
    char text[UNIT_TEXT];
    uint64_t bytes;
    if (!size)
        return 0;
    const size_t length = strcspn(size + 1, ")");
    if (length >= sizeof text)
        return 0;
    snprintf(text, sizeof text, "%.*s", (int)length, size + 1);
    return size_parse(text, &bytes, NULL) == 0 ? bytes : 0;
}

/* --- sizes that were named --- */

static bool sizes_are_named(const struct analysis *analysis, const struct series *series)
{
    return series->point_count == 1 ||
           (series->point_count <= SIZES_NAMED_MOST &&
            (analysis_is_set(analysis, "size") || analysis_is_set(analysis, "sizes") ||
             analysis_is_set(analysis, "count")));
}

/* The latency of one working set: its size is a factor beside the series' own. */
static int add_size(struct analysis *analysis, const struct series *series,
                    const struct point *point, struct error *error)
{
    char size[UNIT_TEXT];
    struct probe_result *result = analysis->result;
    const size_t first = result->finding_count;
    const bool ns = !quantity_is(series->y.unit, DIMENSION_CYCLES);
    size_exact_format((uint64_t)point->x, size);
    const struct factor bytes = {"working set", pool_strdup(analysis->pool, size), NAN};
    const char *text = pool_printf(analysis->pool, "a load in a working set of %s", size);
    bool added = true;
    if (ns && isfinite(point->cycles.median))
        added = finding_add_cycles_of(result, analysis->pool, "latency", point, point->flags);
    added = added && finding_add_time_of(result, analysis->pool, ns ? "latency_ns" : "latency",
                                         ns ? "ns" : "cycles", point, point->flags);
    for (size_t i = first; i < result->finding_count; i++)
        result->findings[i].text = text;
    analysis_read_off(analysis, first, series);
    for (size_t i = first; i < result->finding_count; i++)
        analysis_add_factor(analysis, &result->findings[i], &bytes);
    return 0;
}

/* Of curves in ns and in cycles, whose sizes can be findings. */
static int add_sizes(struct analysis *analysis, const struct series *series, struct error *error)
{
    int code = 0;
    if (!quantity_comparable(series->y.unit, "ns") &&
        !quantity_is(series->y.unit, DIMENSION_CYCLES))
        return 0;
    for (size_t i = 0; i < series->point_count && code == 0; i++)
        if (series->points[i].y.n && series->points[i].x >= 1 && series->points[i].x < 0x1p63)
            code = add_size(analysis, series, &series->points[i], error);
    return code;
}

/* --- all of it --- */

static int analyse_curve(struct analysis *analysis, const struct series *series,
                         const struct translation_knee *knees, size_t count, struct error *error)
{
    const size_t first = analysis->result->finding_count;
    /* Another tool's table says neither what is declared nor which pages its memory lay on. */
    const bool ours = series_factor(series, "pages") != NULL;
    const struct machine_facts *declared = ours ? analysis->machine : NULL;
    const struct series *joined = latency_small_joined(analysis->result, series, analysis->pool);
    int code = 0;
    findings_levels(analysis->result, analysis->pool, joined, declared, knees, count);
    if (sizes_are_named(analysis, series))
        code = add_sizes(analysis, series, error);
    if (code == 0)
        analysis_read_off(analysis, first, series);
    return code;
}

void latency_analyse(struct analysis *analysis)
{
    struct error *error = pool_error(analysis->pool);
    const struct probe_result *result = analysis->result;
    const bool ours = has_headline(result);
    const size_t best = ours ? 0 : most_telling(result);
    struct translation_knee knees[KNEES_TRANSLATION_MOST];
    const size_t count = knees_of_translation(analysis->document, pages_obtained(analysis), knees);
    int code = 0;
    for (size_t i = 0; i < result->series_count && code == 0; i++)
        if (ours ? result->series[i].headline : i == best)
            code = analyse_curve(analysis, &result->series[i], knees, count, error);
    if (code == 0 && analysis_is_set(analysis, "variants"))
        code = latency_variants_analyse(analysis, error);
    return (void)pool_check(
        analysis->pool,
        code == 0
            ? (analysis_keep(analysis, "core.clock", "the clock was read beside the trials"), 0)
            : code);
}
