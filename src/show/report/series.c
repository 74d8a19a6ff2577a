/*
 * Series in relation to each other. Short series that differ only in what was measured are the rows
 * of one table, because a dozen tables of two rows are hard to compare; curves of one name that
 * differ in one factor are the columns of one table, because eleven long tables in a row are no
 * better.
 */
#include "show/report/series.h"

#include "base/quantity.h"
#include "base/text.h"
#include "conclude/registry/device.h"
#include "conclude/registry/factors.h"
#include "show/report/parts.h"

#include <math.h>

static bool is_same_axis(const struct axis *a, const struct axis *b)
{
    return text_same(a->name, b->name) && quantity_same(a->unit, b->unit);
}

bool series_have_same_axes(const struct series *a, const struct series *b)
{
    return is_same_axis(&a->x, &b->x) && is_same_axis(&a->y, &b->y);
}

bool series_any(const struct series *series, size_t count, bool (*is)(const struct point *))
{
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < series[s].point_count; i++)
            if (is(&series[s].points[i]))
                return true;
    return false;
}

bool point_has_cycles(const struct point *point)
{
    return isfinite(point->cycles.median);
}

bool probe_has_values(const struct probe_result *probe)
{
    return series_any(probe->series, probe->series_count, point_has_value);
}

enum { SERIES_SEEN = 256 }; /* series of a probe that are compared; fathom's have about sixty */

bool matrix_is_repeated(const struct probe_result *probe, const struct series *series)
{
    if (!series->matrix || device_has_series(series))
        return false;
    const struct series *end = probe->series + SERIES_SEEN;
    for (const struct series *before = probe->series; before < series && before < end; before++)
        if (before->matrix && before->point_count >= series->point_count &&
            is_same_axis(&before->y, &series->y) && factors_same(before, series))
            return true;
    return false;
}

/* A curve of totals and one of shares can have the same axis and unit. The title names the series
 * that is named as its probe. */
bool series_needs_name(const struct probe_result *probe, const struct series *series)
{
    if (text_same(probe->name, series->name))
        return false;
    for (size_t i = 0;
         i < probe->series_count && i < SERIES_SEEN && series->name && !series->matrix; i++) {
        const struct series *other = &probe->series[i];
        if (!text_same(other->name, series->name) && !other->matrix &&
            series_have_same_axes(other, series) && factors_same(other, series))
            return true;
    }
    return false;
}

/* Whether the factor distinguishes the series from another headline of its name. */
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

enum {
    CURVE_POINTS_MAX = 8, /* places of a group of rows, at most */
    MATRIX_POINTS_MAX = 4,
    CURVES_MIN = 2,
    MATRICES_MIN = 3,
    ROWS_MAX = 1024,
    SHEET_CURVES_MIN = 3,  /* curves of a sheet */
    SHEET_CURVES_MAX = 32, /* more is unreadable; documents from elsewhere may have more */
    SHEET_POINTS_MIN = CURVE_POINTS_MAX + 1,
    SHEET_POINTS_MAX = 1024
};

/* --- rows --- */

static bool has_place(const struct series *series, const struct point *place)
{
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (series->matrix ? point->from == place->from && point->to == place->to
                           : point->x == place->x)
            return true;
    }
    return false;
}

/* Either all names are the same, and factors distinguish the rows, or all names differ; otherwise
 * two rows could have the same label. A device's rows show both. */
static bool names_agree(const struct series *series, size_t together)
{
    if (together == 1 || device_has_series(series))
        return true;
    const bool same = text_same(series[0].name, series[1].name);
    for (size_t i = 0; i < together; i++)
        if (text_same(series[i].name, series[together].name) != same)
            return false;
    return true;
}

/* A series may lack a place for which time ran out; all of them together have only a few. */
size_t series_group(const struct series *series, size_t count)
{
    count = count < ROWS_MAX ? count : ROWS_MAX;
    const size_t most = series->matrix ? MATRIX_POINTS_MAX : CURVE_POINTS_MAX;
    size_t places = series->point_count, together = 1;
    if (!places || places > most)
        return 1;
    for (; together < count && names_agree(series, together); together++) {
        const struct series *next = &series[together];
        if (next->matrix != series->matrix || !series_have_same_axes(series, next) ||
            (series->matrix && !text_same(series->name, next->name)))
            break;
        for (size_t i = 0; i < next->point_count && places <= most; i++) {
            bool known = false;
            for (size_t other = 0; other < together && !known; other++)
                known = has_place(&series[other], &next->points[i]);
            places += !known;
        }
        if (places > most)
            break;
    }
    return together >= (series->matrix ? MATRICES_MIN : CURVES_MIN) ? together : 1;
}

/* --- columns --- */

static bool is_column(const struct series *a, const struct series *b)
{
    return !b->matrix && b->point_count >= SHEET_POINTS_MIN && b->point_count <= SHEET_POINTS_MAX &&
           a->factor_count == b->factor_count && text_same(a->name, b->name) &&
           quantity_same(a->x.unit, b->x.unit) && quantity_same(a->y.unit, b->y.unit);
}

/* Index of the factor "variant", which covers all differences from others of its name; -1: none. */
static int variant_of(const struct series *series)
{
    for (size_t i = 0; i < factors_seen(series); i++)
        if (text_same(series->factors[i].name, "variant"))
            return (int)i;
    return -1;
}

int series_only_difference(const struct series *a, const struct series *b)
{
    int found = variant_of(a);
    if (found >= 0 && found == variant_of(b))
        return found;
    found = -1;
    for (size_t i = 0; i < a->factor_count; i++) {
        if (!text_same(a->factors[i].name, b->factors[i].name))
            return -1;
        if (factor_same(&a->factors[i], &b->factors[i]))
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

size_t series_sheet(const struct series *series, size_t count)
{
    size_t together = 1;
    int factor = -1;
    if (!is_column(series, series))
        return 1;
    count = count < SHEET_CURVES_MAX ? count : SHEET_CURVES_MAX;
    for (; together < count && is_column(series, &series[together]); together++) {
        int here = series_only_difference(series, &series[together]);
        if (here < 0 || (factor >= 0 && here != factor))
            break;
        factor = here;
    }
    return together >= SHEET_CURVES_MIN ? together : 1;
}

/* --- common factors, and labels --- */

static bool is_common(const struct series *series, size_t count, const struct factor *factor)
{
    for (size_t i = 0; i < count; i++)
        if (!factor_same(factor, factor_seen(&series[i], factor->name)))
            return false;
    return true;
}

size_t series_common_factors(const struct series *series, size_t count,
                             struct factor common[COMMON_FACTORS_MAX])
{
    size_t kept = 0;
    for (size_t i = 0; i < factors_seen(series) && kept < COMMON_FACTORS_MAX; i++)
        if (is_common(series, count, &series->factors[i]))
            common[kept++] = series->factors[i];
    return kept;
}

/* If only some names are the same, a label has name and factors: "gpu0 bandwidth, traffic read". */
const char **series_labels(struct report *report, const struct series *series, size_t count)
{
    bool own_names = true, one_name = true;
    bool common[FACTORS_SEEN]; /* which factors of the first series all share */
    if (count < 2)
        return NULL;
    const char **labels = pool_alloc(report->pool, count, sizeof *labels);
    const int variant = variant_of(series);
    for (size_t i = 0; i < count; i++) {
        one_name = one_name && text_same(series[i].name, series->name);
        for (size_t j = 0; j < i && own_names; j++)
            own_names = !text_same(series[i].name, series[j].name);
    }
    for (size_t f = 0; f < factors_seen(series); f++)
        common[f] = variant < 0 ? is_common(series, count, &series->factors[f]) : (int)f != variant;
    for (size_t i = 0; i < count; i++) {
        struct line line = {0};
        if (own_names || !one_name)
            line_add_clean(&line, series[i].name);
        for (size_t f = 0; f < factors_seen(&series[i]) && !own_names; f++) {
            const struct factor *factor = &series[i].factors[f];
            const struct factor *first = factor_seen(series, factor->name);
            if (!(first && common[first - series->factors]) &&
                !device_factor_is_named(&series[i], factor))
                line_add_factors(&line, factor, 1);
        }
        /* Without a label its rows would look like part of the series above. */
        if (!*line.text)
            line_add_clean(&line, series[i].name);
        labels[i] = report_line(report, &line);
    }
    return labels;
}
