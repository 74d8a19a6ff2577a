/* A curve of a probe: what is declared along its axis, and a few of its points. */
#include "findings/device.h"
#include "quantity/quantity.h"
#include "report/details.h"
#include "report/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether a logarithm of it, and of what lies a few rows around it, makes sense. */
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
    return count == POINTS_MIN && high > low * 1.01;
}

static void add_mark(struct report *report, struct curve *curve, int level, uint64_t size_bytes)
{
    struct mark *mark = size_bytes ? pool_append(&report->pool, (void **)&curve->marks,
                                                 &curve->mark_count, sizeof *mark)
                                   : NULL;
    if (mark)
        *mark = (struct mark){level, (double)size_bytes};
}

static int smaller_first(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    return (x->size_bytes > y->size_bytes) - (x->size_bytes < y->size_bytes);
}

/* The caches that are declared: the machine's, or those of the device that the series is about. */
static void add_marks(struct report *report, struct curve *curve,
                      const struct machine_facts *machine)
{
    const int device = device_of_name(curve->series->name, NULL);
    const struct gpu_facts *gpu = device_facts(machine, device);
    if (gpu) {
        add_mark(report, curve, 1, gpu->first_level_bytes);
        add_mark(report, curve, 2, gpu->l2_bytes);
    }
    for (size_t i = 0; i < machine->cache_count && device < 0; i++) {
        const struct cache_facts *cache = &machine->caches[i];
        if (cache->type && strcmp(cache->type, "instruction") != 0)
            add_mark(report, curve, cache->level, cache->size_bytes);
    }
    if (curve->mark_count)
        qsort(curve->marks, curve->mark_count, sizeof *curve->marks, smaller_first);
}

void report_add_curve(struct report *report, size_t index, const struct probe_result *probe,
                      const struct series *series, bool brief)
{
    if (!series->point_count) {
        report_add_nothing(report, index, probe);
        return;
    }
    const bool drawn = curve_is_worth_drawing(series);
    struct table points = {.title = NULL};
    if (brief)
        points = report_few_points(report, series);
    if (!drawn && !brief)
        return;
    struct block *block =
        report_add(report, drawn ? BLOCK_CURVE : BLOCK_TABLE, SECTION_RESULTS, index);
    block->probe = probe;
    if (!drawn) {
        block->table = points;
        return;
    }
    block->curve =
        (struct curve){.probe = probe, .series = series, .brief = brief, .points = points};
    if (quantity_is(series->x.unit, DIMENSION_SIZE))
        add_marks(report, &block->curve, &report->catalogue.documents[index]->machine);
}
