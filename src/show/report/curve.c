/* A curve of a probe, a few of its points, and the capacities on its axis: found by the probe, or
 * declared. */
#include "base/quantity.h"
#include "base/sort.h"
#include "base/text.h"
#include "conclude/levels/of_document.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "show/report/figure.h"
#include "show/report/parts.h"
#include "show/report/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- capacities --- */

/* Limits for documents from elsewhere, so that time stays proportional to size: marked capacities
 * of a probe, its findings that are read, and declared caches. */
enum { FOUND_MAX = 64, FINDINGS_MAX = 4096, CACHES_MAX = 32 };

static void add_mark(struct report *report, struct curve *curve, double x, const char *name,
                     bool found)
{
    if (!isfinite(x) || !(x > 0))
        return;
    struct mark *mark =
        pool_append(report->pool, (void **)&curve->marks, &curve->mark_count, sizeof *mark);
    *mark = (struct mark){x, name, found};
}

static void add_cache(struct report *report, struct curve *curve, int level, uint64_t size_bytes,
                      unsigned stated)
{
    if (size_bytes && !(level >= 0 && level < CACHES_MAX && stated >> level & 1))
        add_mark(report, curve, (double)size_bytes, report_text(report, "L%d", level), false);
}

static int smaller_first(const void *a, const void *b)
{
    const struct mark *left = a, *right = b;
    const int order = (left->x > right->x) - (left->x < right->x);
    return order ? order : right->found - left->found;
}

void curve_add_marks(struct report *report, size_t index, struct curve *curve)
{
    const struct machine_facts *machine = &report->catalogue.documents[index]->machine;
    const int device = device_of_name(curve->series->name, NULL);
    const struct gpu_facts *gpu = device_facts(machine, device);
    if (!quantity_is(curve->series->x.unit, DIMENSION_SIZE))
        return;
    /* Returns the caches whose declared capacity the findings state, a bit for each. */
    const struct probe_result *probe = curve->probe;
    const struct catalogue_entry *list = catalogue_of(&report->catalogue, index, probe);
    unsigned stated = 0;
    const size_t count = probe->finding_count < FINDINGS_MAX ? probe->finding_count : FINDINGS_MAX;
    for (size_t i = 0, found = 0; i < count && found < FOUND_MAX; i++) {
        const struct finding_meaning *meaning = &list[i].meaning;
        const struct factor *what = series_factor(curve->series, "what");
        const char *of_curve = meaning->line ? meaning->line->curve : NULL;
        char name[LEVEL_NAME_BYTES];
        struct line label = {0}, bare = {0};
        if (meaning->device != device || meaning->fact != FACT_CAPACITY ||
            level_fact(&list[i], name) != FACT_CAPACITY ||
            (of_curve && what && !text_same(what->text, of_curve)))
            continue;
        found++;
        line_add_clean(&label, name);
        line_add_clean(&bare, name);
        line_add_in_brackets(&label, list[i].finding);
        add_mark(report, curve, list[i].finding->value, report_line(report, &label), true);
        add_mark(report, curve, list[i].finding->declared, report_line(report, &bare), false);
        if (meaning->level == LEVEL_CACHE && isfinite(list[i].finding->declared) &&
            meaning->number >= 0 && meaning->number < CACHES_MAX)
            stated |= 1u << meaning->number;
    }
    bool (*holds)(const struct cache_facts *) =
        text_same(curve->series->x.name, "code") ? cache_holds_code : cache_holds_data;
    if (gpu && curve->series->headline) {
        add_cache(report, curve, 1, gpu->first_level_bytes, stated);
        add_cache(report, curve, 2, gpu->l2_bytes, stated);
    }
    for (size_t i = 0; i < machine->cache_count && i < CACHES_MAX && device < 0; i++)
        if (holds(&machine->caches[i]))
            add_cache(report, curve, machine->caches[i].level, machine->caches[i].size_bytes,
                      stated);
    if (curve->mark_count)
        qsort(curve->marks, curve->mark_count, sizeof *curve->marks, smaller_first);
}

/* --- plateaus --- */

/* The part of the curve whose values are about those of the level. */
static bool find_part(const struct series *series, double value, struct plateau *plateau)
{
    const double near = 1.15;
    plateau->from = INFINITY;
    plateau->to = -INFINITY;
    for (size_t i = 0; i < series->point_count; i++) {
        const double y = (double)series->points[i].y.median;
        if (!(y < value * near && y > value / near))
            continue;
        plateau->from = fmin(plateau->from, series->points[i].x);
        plateau->to = fmax(plateau->to, series->points[i].x);
    }
    return plateau->from <= plateau->to;
}

static const char *plateau_text(struct report *report, const char *level,
                                const struct finding *finding)
{
    struct line line = {0};
    line_add_clean(&line, level);
    line_add(&line, " ");
    line_add_value(&line, finding->value, finding->unit);
    return report_line(report, &line);
}

/* `ns`: what is drawn. A name stands once: its first experiment that the curve shows. */
static void add_plateau(struct report *report, struct curve *curve, const char *level,
                        const struct finding *ns, const struct finding *cycles)
{
    const struct probe_result *probe = curve->probe;
    struct plateau plateau;
    const char *text = ns ? plateau_text(report, level, ns) : NULL;
    const bool own = ns && probe->finding_count && ns >= probe->findings &&
                     ns < probe->findings + probe->finding_count;
    if (!own || !isfinite(ns->value) || !quantity_same(ns->unit, curve->series->y.unit) ||
        !find_part(curve->series, ns->value, &plateau))
        return;
    for (size_t i = 0; i < curve->plateau_count; i++)
        if (strncmp(curve->plateaus[i].text, text, strlen(level) + 1) == 0)
            return;
    plateau.value = ns->value;
    plateau.cycles = cycles ? cycles->value : NAN;
    plateau.text = text;
    plateau.cycles_text = cycles ? plateau_text(report, level, cycles) : text;
    *(struct plateau *)pool_append(report->pool, (void **)&curve->plateaus, &curve->plateau_count,
                                   sizeof plateau) = plateau;
}

void curve_add_plateaus(struct report *report, size_t index, struct curve *curve)
{
    const struct series *series = curve->series;
    struct levels levels;
    if (!quantity_is(series->x.unit, DIMENSION_SIZE))
        return;
    /* Bandwidths of one CPU, by the kernel that the curve is of. */
    const struct catalogue_entry *list = catalogue_of(&report->catalogue, index, curve->probe);
    const struct factor *kernel =
        quantity_is(series->y.unit, DIMENSION_BANDWIDTH) ? series_factor(series, "kernel") : NULL;
    for (size_t i = 0; i < curve->probe->finding_count && i < FINDINGS_MAX && kernel; i++) {
        const struct finding_meaning *meaning = &list[i].meaning;
        const bool memory = meaning->role == ROLE_WIDTH;
        char name[LEVEL_NAME_BYTES];
        bool same = false;
        for (size_t f = 0; f < list[i].finding->factor_count; f++)
            same = same || factor_same(&list[i].finding->factors[f], kernel);
        if (meaning->fact != FACT_ONE || list[i].experiment || meaning->device >= 0 || !same)
            continue;
        snprintf(name, sizeof name, "%.*s", memory ? 6 : (int)meaning->subject_length,
                 memory ? "memory" : meaning->subject);
        add_plateau(report, curve, name, list[i].finding, NULL);
    }
    levels_collect(&levels, &report->catalogue, index, device_of_name(series->name, NULL));
    for (size_t i = 0; i < levels.count && series->headline; i++)
        if (levels.list[i].kind == LEVEL_CACHE || levels.list[i].kind == LEVEL_MEMORY)
            add_plateau(report, curve, levels.list[i].name, levels.list[i].facts[FACT_LATENCY_NS],
                        levels.list[i].facts[FACT_LATENCY]);
    if (curve->plateau_count)
        qsort(curve->plateaus, curve->plateau_count, sizeof *curve->plateaus, by_number);
}

/* --- the curve --- */

/* Whether the logarithm of it, and of values a few rows around it, is defined. */
static bool is_plausible(double value)
{
    return value >= 1e-15 && value <= 1e15;
}

bool curve_has_point(const struct point *point)
{
    return is_plausible(point->x) && is_plausible((double)point->y.median);
}

bool curve_is_worth_drawing(const struct series *series)
{
    enum { POINTS_MIN = 12 };
    double low = INFINITY, high = -INFINITY;
    int count = 0;
    for (size_t i = 0; i < series->point_count; i++)
        if (curve_has_point(&series->points[i])) {
            low = fmin(low, series->points[i].x);
            high = fmax(high, series->points[i].x);
            count += count < POINTS_MIN;
        }
    return count == POINTS_MIN && high > low * 1.01 && !axis_has_ids(&series->x);
}

struct curve report_curve(const struct probe_result *probe, const struct series *series)
{
    return (struct curve){.probe = probe, .series = series, .apart = axis_has_ids(&series->x)};
}

void report_add_curve(struct report *report, size_t index, const struct probe_result *probe,
                      const struct series *series, bool brief)
{
    if (!curve_is_worth_drawing(series))
        return;
    struct block *block = report_add(report, BLOCK_CURVE, SECTION_RESULTS, index, probe);
    block->curve = report_curve(probe, series);
    block->curve.brief = brief;
    curve_add_marks(report, index, &block->curve);
    curve_add_plateaus(report, index, &block->curve);
}
