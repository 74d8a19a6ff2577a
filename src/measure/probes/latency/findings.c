/* Findings from latency curves, measured here or by another tool: the levels of each curve; the
 * latency of each named size; for variants, the latency that forward order hides. */
#include "base/quantity.h"
#include "base/units.h"
#include "conclude/levels/level.h"
#include "measure/probes/chase/knees.h"
#include "measure/probes/latency/latency.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* More sizes than this count as a sweep, even if each was named. */
enum { SIZES_NAMED_MOST = 12 };
const char latency_small_sets[] = "small sets", latency_chased[] = "long chase";

/* --- which curves --- */

/* Of another tool's curves the one with the most points; of equal ones, the one with the largest
 * stride, which prefetchers follow least. */
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

/* The page size in a text like "huge (2 MiB)"; 0 if it has none. */
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

/* Sweeps with fewer trials show no more than the curve. */
enum { TRIALS_LEAST = 20 };

/* A copy of the curve in the pool, in which the sweeps' points replace the points of their sizes;
 * the curve itself if the result has no sweeps of it. */
static const struct series *joined_with_sweeps(const struct analysis *analysis,
                                               const struct series *curve)
{
    const struct series *sweeps = analysis_series(analysis, latency_small_sets, NULL, NULL);
    bool enough = sweeps && sweeps->point_count > 1 && curve->headline;
    for (size_t i = 0; enough && i < sweeps->point_count; i++)
        enough = sweeps->points[i].y.n >= TRIALS_LEAST;
    if (!enough)
        return curve;
    const double from = sweeps->points[0].x, to = sweeps->points[sweeps->point_count - 1].x;
    struct series *joined = pool_alloc(analysis->pool, 1, sizeof *joined);
    struct point *points =
        pool_alloc(analysis->pool, curve->point_count + sweeps->point_count, sizeof *points);
    size_t count = 0, at = 0;
    for (; at < curve->point_count && curve->points[at].x < from; at++)
        points[count++] = curve->points[at];
    for (size_t i = 0; i < sweeps->point_count; i++)
        points[count++] = sweeps->points[i];
    for (; at < curve->point_count; at++)
        if (curve->points[at].x > to)
            points[count++] = curve->points[at];
    *joined = *curve;
    joined->points = points;
    joined->point_count = count;
    return joined;
}

/* --- sizes that were named --- */

/* Adds the latency of one working set; its size becomes a factor. */
static void add_size(struct analysis *analysis, const struct series *series,
                     const struct point *point)
{
    char size[UNIT_TEXT];
    struct probe_result *result = analysis->result;
    const size_t first = result->finding_count;
    const bool ns = !quantity_is(series->y.unit, DIMENSION_CYCLES);
    size_exact_format((uint64_t)point->x, size);
    const struct factor bytes = {"working set", .text = pool_strdup(analysis->pool, size),
                                 .number = NAN};
    if (ns && isfinite(point->cycles.median))
        finding_add_cycles_of(result, analysis->pool, "latency", point, point->flags);
    analysis_add_point(analysis, ns ? "latency_ns" : "latency", ns ? "ns" : "cycles", point,
                       point->flags);
    analysis_read_off(analysis, series);
    for (size_t i = first; i < result->finding_count; i++) {
        result->findings[i].text =
            pool_printf(analysis->pool, "a load in a working set of %s", size);
        analysis_add_factor(analysis, &result->findings[i], &bytes);
    }
}

/* --- what prefetchers hid --- */

static bool is(const struct series *series, const char *factor, const char *text)
{
    return strcmp(analysis_factor(series, factor), text) == 0;
}

/* The chase in random order that `forward` is compared with. */
static const struct series *random_beside(const struct probe_result *result)
{
    for (size_t i = 0; i < result->series_count; i++)
        if (is(&result->series[i], "order", "random") &&
            is(&result->series[i], "address", "pointer") &&
            is(&result->series[i], "access", "read") && result->series[i].point_count)
            return &result->series[i];
    return NULL;
}

/* The share of random order's latency that forward order hides, at the largest size. */
static void add_hidden(struct analysis *analysis, const struct series *forward,
                       const struct series *random)
{
    const struct factor *stride = series_factor(forward, "stride");
    const struct point *at = &forward->points[forward->point_count - 1];
    const struct point *beside = series_point(random, at->x);
    if (!stride || !at->y.n || !beside || !beside->y.n)
        return;
    const double fast = (double)at->y.median, slow = (double)beside->y.median;
    const double hidden = 100 * (1 - fast / slow);
    const struct interval share = {hidden, 100 * (1 - (double)at->y.high / (double)beside->y.low),
                                   100 * (1 - (double)at->y.low / (double)beside->y.high)};
    struct finding *finding =
        analysis_add_value(analysis, "latency.hidden", "%", share, at->flags | beside->flags);
    finding->text = pool_printf(
        analysis->pool,
        hidden > 0 ? "forward by %.0f bytes a load in %s takes %.3g ns, in random order %.3g: "
                     "prefetchers, and lines that hold several elements, hide %.0f %% of it"
                   : "forward by %.0f bytes a load in %s takes %.3g ns, in random order %.3g: "
                     "nothing of it is hidden",
        stride->number, size_text(analysis->pool, at->x), fast, slow, hidden);
    analysis_read_off(analysis, forward);
}

/* --- as a chase keeps the caches --- */

static double nth_of(const struct point *point, int which)
{
    const struct estimate y = finding_time_of(point);
    return (double)(which == 0 ? y.median : which < 0 ? y.low : y.high);
}

/* The working set from which on the chase takes `ns`. By its medians (0) it is interpolated between
 * two sizes; by its low ends (-1) it is the larger of the two, by its high ends (1) the smaller. 0:
 * less than the least size. NAN: it stays below. */
static double bytes_at(const struct series *chased, int which, double ns)
{
    for (size_t i = 0; i < chased->point_count; i++) {
        const struct point *at = &chased->points[i], *before = at - 1;
        const double high = nth_of(at, which), low = i ? nth_of(before, which) : NAN;
        if (!(high >= ns))
            continue;
        if (!(low > 0 && low < ns))
            return 0;
        return which < 0   ? at->x
               : which > 0 ? before->x
                           : before->x * pow(at->x / before->x, log(ns / low) / log(high / low));
    }
    return NAN;
}

/* Where the level ends, or where its misses begin. NULL: neither was found. */
static struct finding *end_of(const struct analysis *analysis, int level)
{
    struct finding *end =
        probe_finding(analysis->result, pool_printf(analysis->pool, "L%d.capacity", level));
    return end ? end
               : probe_finding(analysis->result, pool_printf(analysis->pool, "L%d.begins", level));
}

/* The last of the caches that cores share, by its number; 0: none was found. */
static int last_shared(const struct analysis *analysis)
{
    for (int level = LEVELS_DECLARED_MOST; level > PRIVATE_LEVELS; level--) {
        const struct finding *end = end_of(analysis, level);
        if (end && end->value > 0)
            return level;
    }
    return 0;
}

/* That cache as a single chase keeps it: how long a load takes at the largest size that the cache
 * serves when it was just filled, and up to which size a load is nearer to the cache than to
 * memory. */
static void add_chased(struct analysis *analysis, const struct series *filled,
                       const struct series *chased)
{
    const int level = last_shared(analysis);
    const double dram = probe_value(analysis->result, "DRAM.latency_ns"),
                 memory = isnan(dram) ? probe_value(analysis->result, "last.latency_ns") : dram;
    struct finding *capacity = level ? end_of(analysis, level) : NULL;
    const double near =
        probe_value(analysis->result, pool_printf(analysis->pool, "L%d.latency_ns", level));
    const struct point *at = NULL, *beside;
    char size[UNIT_TEXT], ago[UNIT_TEXT];
    for (size_t i = 0; i < chased->point_count && capacity; i++)
        if (chased->points[i].y.n && chased->points[i].x <= capacity->value)
            at = &chased->points[i];
    if (!at)
        return;
    beside = series_point(filled, at->x);
    const double kept = bytes_at(chased, 0, sqrt(near * memory)),
                 most = bytes_at(chased, -1, sqrt(near * memory)),
                 least = bytes_at(chased, 1, sqrt(near * memory));
    const bool known = memory > near && kept > 0;
    const char *plan =
        pool_printf(analysis->pool,
                    "just after it was filled; beyond %s a chase that comes back finds "
                    "most of its lines gone: size buffers by that",
                    size_format(kept, size));
    if (known && kept < capacity->value)
        capacity->text = plan;
    struct finding *finding = analysis_add_point(
        analysis, pool_printf(analysis->pool, "L%d.chased", level), "ns", at, at->flags);
    finding->text = pool_printf(
        analysis->pool, "in %s, where each line was last used %s ms ago%s",
        size_format(at->x, size),
        figure_format(1e-6 * at->x / analysis_line_bytes(analysis) * (double)at->y.median, 2, ago),
        beside ? pool_printf(analysis->pool, "; just filled, a load takes %.3g ns there",
                             (double)beside->y.median)
               : "");
    if (known)
        analysis_add_value(analysis, pool_printf(analysis->pool, "L%d.kept", level), "B",
                           (struct interval){kept, least > 0 ? least : NAN,
                                             least > 0 && isfinite(most) ? most : NAN},
                           at->flags)
            ->text = "beyond this size a chase finds more of its lines gone than kept";
    analysis_read_off(analysis, chased);
}

/* --- all of it --- */

/* A curve in forward order shows what prefetchers hide, and no levels. */
static void analyse_curve(struct analysis *analysis, const struct series *series, bool levels,
                          const struct translation_knee *knees, size_t count)
{
    /* Another tool's table has neither declared values nor the page size. */
    const bool ours = series_factor(series, "pages") != NULL;
    const struct series *joined = joined_with_sweeps(analysis, series);
    if (levels)
        findings_levels(analysis->result, analysis->pool, joined, series,
                        ours ? analysis->machine : NULL, probe_cpu(analysis->result), knees, count);
    const bool named = series->point_count == 1 || (series->point_count <= SIZES_NAMED_MOST &&
                                                    (analysis_parameter(analysis, "size") ||
                                                     analysis_parameter(analysis, "sizes") ||
                                                     analysis_parameter(analysis, "count")));
    if (named && (quantity_comparable(series->y.unit, "ns") ||
                  quantity_is(series->y.unit, DIMENSION_CYCLES)))
        for (size_t i = 0; i < series->point_count; i++)
            if (series->points[i].y.n && series->points[i].x >= 1 && series->points[i].x < 0x1p63)
                add_size(analysis, series, &series->points[i]);
    analysis_read_off(analysis, series);
}

void latency_analyse(struct analysis *analysis)
{
    const struct probe_result *result = analysis->result;
    bool ours = false;
    for (size_t i = 0; i < result->series_count; i++)
        ours = ours || result->series[i].headline;
    const size_t best = ours ? 0 : most_telling(result);
    struct translation_knee knees[KNEES_TRANSLATION_MOST];
    const size_t count = knees_of_translation(analysis->document, pages_obtained(analysis), knees);
    /* With --variants the curve in random order is analysed first; the findings of the others have
     * their own factors. */
    const struct series *random =
        analysis_parameter(analysis, "variants") ? random_beside(result) : NULL;
    if (random && random->headline)
        analyse_curve(analysis, random, true, knees, count);
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        if (series != random && (ours ? series->headline : i == best))
            analyse_curve(analysis, series, !random || is(series, "order", "random"), knees, count);
    }
    const struct series *chased = analysis_series(analysis, latency_chased, NULL, NULL);
    if (chased)
        add_chased(analysis, &result->series[0], chased);
    for (size_t i = 0; random && i < result->series_count; i++)
        if (is(&result->series[i], "order", "forward") && result->series[i].point_count)
            add_hidden(analysis, &result->series[i], random);
    analysis_keep(analysis, "core.clock", "the clock was measured between the trials");
}

/* --- the registry's lines --- */

#include "latency.findings.h"
