#include "show/report/series.h"

#include "base/quantity.h"
#include "base/text.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"

#include <string.h>

static bool is_same_axis(const struct axis *a, const struct axis *b)
{
    return text_same(a->name, b->name) && quantity_same(a->unit, b->unit);
}

bool series_have_same_axes(const struct series *a, const struct series *b)
{
    return is_same_axis(&a->x, &b->x) && is_same_axis(&a->y, &b->y);
}

bool probe_has_values(const struct probe_result *probe)
{
    for (size_t s = 0; s < probe->series_count; s++)
        for (size_t i = 0; i < probe->series[s].point_count; i++)
            if (probe->series[s].points[i].y.n)
                return true;
    return false;
}

bool series_is_taken_for(const struct series *a, const struct series *b)
{
    return a->matrix == b->matrix && series_have_same_axes(a, b) && factors_same(a, b);
}

bool matrix_is_repeated(const struct probe_result *probe, const struct series *series)
{
    if (!series->matrix || device_has_series(series))
        return false;
    for (const struct series *before = probe->series; before < series; before++)
        if (before->matrix && before->point_count >= series->point_count &&
            is_same_axis(&before->y, &series->y) && factors_same(before, series))
            return true;
    return false;
}

/* A curve of totals and one of shares of them are of one axis and unit. A series that is named as
 * its probe is the one that the title names. */
bool series_needs_name(const struct probe_result *probe, const struct series *series)
{
    if (text_same(probe->name, series->name))
        return false;
    for (size_t i = 0; i < probe->series_count && series->name && !series->matrix; i++)
        if (!text_same(probe->series[i].name, series->name) &&
            series_is_taken_for(&probe->series[i], series))
            return true;
    return false;
}

enum { SERIES_SEEN = 256 }; /* of a probe, to set one apart from; ours have some sixty */

/* Whether the factor distinguishes the series from another of its name on the first screen. */
static bool tells_apart(const struct probe_result *probe, const struct series *series,
                        const struct factor *factor)
{
    for (size_t i = 0; i < probe->series_count && i < SERIES_SEEN; i++) {
        const struct series *other = &probe->series[i];
        if (other == series || !other->headline || !text_same(other->name, series->name))
            continue;
        const struct factor *its = series_factor(other, factor->name);
        if (!its || !text_same(its->text, factor->text) ||
            (!its->text && its->number != factor->number))
            return true;
    }
    return false;
}

size_t series_order_factors(const struct probe_result *probe, const struct series *series,
                            const struct factor **ordered, size_t *telling, bool brief)
{
    size_t count = 0;
    *telling = 0;
    for (int others = 0; others < (brief ? 2 : 1); others++)
        for (size_t i = 0; i < factors_seen(series); i++) {
            const struct factor *factor = &series->factors[i];
            if (device_factor_is_named(series, factor) ||
                (brief && tells_apart(probe, series, factor) == others))
                continue;
            ordered[count++] = factor;
            *telling += !others;
        }
    return count;
}
