#include "compare/series.h"

#include "base/sort.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* More factors than this are only compared place by place; series of fathom have a few. */
enum { FACTORS_MOST = 64 };

static bool has_factors_of(const struct series *a, const struct series *b)
{
    for (size_t i = 0; i < a->factor_count; i++) {
        const struct factor *factor = &a->factors[i], *other = NULL;
        /* The factor of the same name is mostly at the same place. */
        if (i < b->factor_count && strcmp(b->factors[i].name, factor->name) == 0)
            other = &b->factors[i];
        else if (b->factor_count <= FACTORS_MOST)
            other = series_factor(b, factor->name);
        /* In documents of former versions a series has the number of the CPU that measured as a
         * factor. It is no kind of core, so it is ignored; and so is where a host kept the CPUs. */
        if (strcmp(factor->name, "cpu") == 0 || strcmp(factor->name, parameter_placement) == 0 ||
            strcmp(factor->name, parameter_placement_ns) == 0)
            continue;
        if (!factor_same(factor, other))
            return false;
    }
    return true;
}

/* A document that fathom wrote has some hundreds of series. In a foreign one with many more, in
 * another order, the search for each of them stops early. */
const struct series *series_alike_find(const struct probe_result *probe, const struct series *as,
                                       size_t *from)
{
    enum { STEPS_MOST = 512 };
    for (size_t step = 0; step < probe->series_count && step < STEPS_MOST; step++) {
        size_t i = (*from + step) % probe->series_count;
        const struct series *b = &probe->series[i]; /* units may differ */
        if (text_same(as->name, b->name) && as->matrix == b->matrix && has_factors_of(as, b) &&
            has_factors_of(b, as)) {
            *from = i + 1;
            return &probe->series[i];
        }
    }
    return NULL;
}

int point_order(const void *left, const void *right)
{
    const struct point *a = *(const struct point *const *)left;
    const struct point *b = *(const struct point *const *)right;
    return ORDER_BY({a->from, b->from}, {a->to, b->to}, {a->x, b->x});
}

const struct point **series_by_place(struct pool *pool, const struct series *series)
{
    const struct point **points =
        pool_alloc(pool, series->point_count, sizeof(const struct point *));
    for (size_t i = 0; i < series->point_count; i++)
        points[i] = &series->points[i];
    qsort(points, series->point_count, sizeof *points, point_order);
    return points;
}
