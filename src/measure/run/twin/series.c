/*
 * The series of a twin's document, and the points in them that a planned point is drawn from.
 */
#include "base/quantity.h"
#include "measure/run/twin/inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_place(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    if (p->x != q->x)
        return (p->x > q->x) - (p->x < q->x);
    return p->from != q->from ? (p->from > q->from) - (p->from < q->from)
                              : (p->to > q->to) - (p->to < q->to);
}

static void keep_values(struct series *series)
{
    size_t kept = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        struct point point = series->points[i];
        if (series->matrix)
            point.x = 0;
        if (point.y.n > 0 && !point.failed && point.y.median > 0 && isfinite(point.y.median))
            series->points[kept++] = point;
    }
    series->point_count = kept;
    if (kept > 1)
        qsort(series->points, kept, sizeof *series->points, by_place);
}

void twin_list(struct twin *twin)
{
    struct document *document = &twin->document;
    for (size_t i = 0; i < document->probe_count; i++)
        for (size_t j = 0; j < document->probes[i].series_count; j++) {
            struct series *series = &document->probes[i].series[j];
            keep_values(series);
            if (!series->point_count || !probe_by_name(document->probes[i].name))
                continue;
            struct twin_series *listed = pool_append(&document->pool, (void **)&twin->series,
                                                     &twin->series_count, sizeof *listed);
            *listed = (struct twin_series){.probe = document->probes[i].name, .series = series};
        }
}

/* Factors that a run chooses by what it found, or by where it measures: two runs may differ in
 * them. */
static bool is_chosen(const char *factor)
{
    static const char *const chosen[] = {"working set", "set", "width", "trials", "rounds", NULL};
    for (size_t i = 0; chosen[i]; i++)
        if (strcmp(factor, chosen[i]) == 0)
            return true;
    return false;
}

static bool is_same(const struct series *planned, const struct series *measured)
{
    if (strcmp(planned->name, measured->name) != 0 || planned->matrix != measured->matrix ||
        !quantity_same(planned->y.unit, measured->y.unit))
        return false;
    for (size_t i = 0; i < planned->factor_count; i++) {
        const struct factor *factor = &planned->factors[i];
        const struct factor *there = series_factor(measured, factor->name);
        const bool unsaid = there && there->text && !*there->text; /* by former versions */
        if (!is_chosen(factor->name) && !unsaid && (!there || !factor_same_value(factor, there)))
            return false;
    }
    return true;
}

const struct twin_series *twin_series_of(const struct twin *twin, const char *probe,
                                         const struct series *planned)
{
    for (size_t i = 0; i < twin->series_count; i++)
        if (strcmp(twin->series[i].probe, probe) == 0 && is_same(planned, twin->series[i].series))
            return &twin->series[i];
    return NULL;
}

bool twin_points_at(const struct twin_series *known, const struct plan_point *point,
                    const struct point **below, const struct point **above, double *x)
{
    const bool matrix = known->series->matrix;
    *x = matrix ? 0 : point->x * twin_change_of(&known->places, point->x);
    const struct point at = {
        .x = *x, .from = matrix ? point->from : 0, .to = matrix ? point->to : 0};
    /* Between which two points of the series it lies; they are the same at one, and beyond the
     * ends. False: the series has no such pair of CPUs. */
    size_t low = 0, high = known->series->point_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_place(&known->series->points[middle], &at) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const bool exact =
        low < known->series->point_count && by_place(&known->series->points[low], &at) == 0;
    if (!exact && (known->series->matrix || axis_has_ids(&known->series->x)))
        return false;
    *above = &known->series
                  ->points[low < known->series->point_count ? low : known->series->point_count - 1];
    *below = exact || low == 0 ? *above : &known->series->points[low - 1];
    return true;
}
