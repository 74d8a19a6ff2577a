/*
 * Series that differ in nothing but who or what was measured, as rows of one table: a dozen tables
 * of two rows each compare nothing.
 */
#include "base/clean.h"
#include "base/text.h"
#include "findings/device.h"
#include "quantity/quantity.h"
#include "render/parts.h"
#include "report/figure.h"
#include "result/flag.h"

#include <math.h>
#include <string.h>

enum {
    CURVE_POINTS_MAX = 8,
    MATRIX_POINTS_MAX = 4,
    CURVES_MIN = 2,
    MATRICES_MIN = 3,
    ROWS_MAX = 1024
};

static bool is_same_axis(const struct axis *a, const struct axis *b)
{
    return text_same(a->name, b->name) && quantity_same(a->unit, b->unit);
}

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

static bool is_alike(const struct series *a, const struct series *b)
{
    return a->matrix == b->matrix && is_same_axis(&a->x, &b->x) && is_same_axis(&a->y, &b->y) &&
           (!a->matrix || text_same(a->name, b->name));
}

/* Rows of one name are told apart by their factors; where names differ, every row has its own, or
 * two would have one label. A device's rows show both. */
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

/* Some may lack a place that there was no time for; all of them together have but a few. */
size_t table_group(const struct series *series, size_t count)
{
    count = count < ROWS_MAX ? count : ROWS_MAX;
    const size_t most = series->matrix ? MATRIX_POINTS_MAX : CURVE_POINTS_MAX;
    size_t places = series->point_count, together = 1;
    if (!places || places > most)
        return 1;
    for (; together < count && is_alike(series, &series[together]) && names_agree(series, together);
         together++) {
        const struct series *next = &series[together];
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

static bool is_common(const struct series *series, size_t count, const struct factor *factor)
{
    for (size_t i = 0; i < count; i++)
        if (!factor_same(factor, factor_seen(&series[i], factor->name)))
            return false;
    return true;
}

size_t table_common_factors(const struct series *series, size_t count,
                            struct factor common[TABLE_FACTORS_MAX])
{
    size_t kept = 0;
    for (size_t i = 0; i < factors_seen(series) && kept < TABLE_FACTORS_MAX; i++)
        if (is_common(series, count, &series->factors[i]))
            common[kept++] = series->factors[i];
    return kept;
}

/* What the labels of a table's rows are made of. */
struct naming {
    const struct series *series;
    size_t count;
    bool own_names, one_name;
    bool common[FACTORS_SEEN]; /* of the first one's factors: those that all share */
};

static struct naming naming_of(const struct series *series, size_t count)
{
    struct naming naming = {.series = series, .count = count, .own_names = true, .one_name = true};
    for (size_t i = 0; i < count; i++) {
        naming.one_name = naming.one_name && text_same(series[i].name, series->name);
        for (size_t j = 0; j < i && naming.own_names; j++)
            naming.own_names = !text_same(series[i].name, series[j].name);
    }
    for (size_t f = 0; f < factors_seen(series); f++)
        naming.common[f] = is_common(series, count, &series->factors[f]);
    return naming;
}

static bool is_shared(const struct naming *naming, const struct factor *factor)
{
    const struct factor *first = factor_seen(naming->series, factor->name);
    return first && naming->common[first - naming->series->factors];
}

/* What tells one of the series from the others: its name, or the factors they don't share. A
 * device's need both: "gpu0 bandwidth, traffic read". */
static void add_label(struct line *line, const struct naming *naming, size_t i)
{
    const struct series *series = &naming->series[i];
    if (naming->own_names || (device_has_series(series) && !naming->one_name))
        line_add_clean(line, series->name);
    for (size_t f = 0; f < factors_seen(series) && !naming->own_names; f++)
        if (!is_shared(naming, &series->factors[f]) &&
            !device_factor_is_named(series, &series->factors[f]))
            line_add_factors(line, &series->factors[f], 1);
    /* Without a label its rows would look like more of the series above them. */
    if (!*line->text)
        line_add_clean(line, series->name);
}

static void add_place(struct line *line, const struct series *series, const struct point *point)
{
    char x[UNIT_TEXT];
    if (series->matrix)
        line_add(line, "%d -> %d", point->from, point->to);
    else
        line_add(line, "%s", figure_place(point->x, series->x.unit, x));
}

static const char *place_name(const struct series *series)
{
    return series->matrix ? "from -> to" : series->x.name ? series->x.name : "x";
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

struct columns {
    size_t label, place;
    bool percent, cycles, range;
};

static bool have_cycles(const struct series *series, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < series[i].point_count; p++)
            if (isfinite(series[i].points[p].cycles.median))
                return true;
    return false;
}

/* What fits beside the labels: the interval goes first, and where that isn't enough it is the
 * range that goes. Where both units are known both are told. */
static void choose_columns(struct columns *columns, int width)
{
    enum { MARGINS = 2 + 2, MEDIAN = 8, COUNT_AND_MARK = 5 + 2, CYCLES = 8, RANGE = 8 + 8 };
    enum { PERCENT = 6 };
    const size_t least = MARGINS + columns->label + columns->place + MEDIAN + COUNT_AND_MARK +
                         (columns->cycles ? CYCLES : 0);
    columns->range = !columns->cycles || least + RANGE <= (size_t)width;
    columns->percent = least + (columns->range ? RANGE : 0) + PERCENT <= (size_t)width;
}

static struct columns measure_columns(const struct naming *naming, int width)
{
    const struct series *series = naming->series;
    const size_t count = naming->count;
    struct line name = {0};
    line_add_clean(&name, place_name(series));
    struct columns columns = {.place = clean_columns(name.text),
                              .cycles = have_cycles(series, count)};
    for (size_t i = 0; i < count; i++) {
        struct line label = {0};
        add_label(&label, naming, i);
        columns.label = larger(columns.label, clean_columns(label.text));
        for (size_t p = 0; p < series[i].point_count; p++) {
            struct line place = {0};
            add_place(&place, &series[i], &series[i].points[p]);
            columns.place = larger(columns.place, clean_columns(place.text));
        }
    }
    choose_columns(&columns, width);
    return columns;
}

static void print_padded(FILE *out, size_t columns, const struct line *line, bool right)
{
    int gap = (int)columns - (int)clean_columns(line->text);
    fprintf(out, "  %*s%s%*s", right && gap > 0 ? gap : 0, "", line->text,
            !right && gap > 0 ? gap : 0, "");
}

static void print_row(FILE *out, const struct series *series, const struct point *point,
                      const struct columns *columns, const struct line *label,
                      const struct view_style *style)
{
    const struct summary *y = &point->y;
    const double divisor = figure_scale(series->y.unit).divisor;
    char text[UNIT_TEXT];
    struct line place = {0};
    add_place(&place, series, point);
    print_padded(out, columns->label, label, false);
    print_padded(out, columns->place, &place, true);
    fprintf(out, " %7s", figure_plain((double)y->median / divisor, text));
    if (columns->percent) {
        double known = y->n > 1 ? 1 : NAN; /* one trial has no interval */
        fprintf(out, " %5s",
                figure_percent((double)y->median * known, (double)y->low, (double)y->high, text));
    }
    if (columns->cycles)
        fprintf(out, " %7s", figure_plain((double)point->cycles.median, text));
    if (columns->range) {
        fprintf(out, " %7s", figure_plain((double)y->min / divisor, text));
        fprintf(out, " %7s", figure_plain((double)y->max / divisor, text));
    }
    fprintf(out, " %4u", y->n);
    if (flag_doubts(point->flags))
        fprintf(out, " %s!%s", ink(style, INK_WARN), ink(style, INK_PLAIN));
    fputc('\n', out);
}

void table_print_group(FILE *out, const struct series *series, size_t count,
                       const struct view_style *style)
{
    const struct naming own = naming_of(series, count), *naming = &own;
    const struct columns columns = measure_columns(naming, style->width);
    const struct scale scale = figure_scale(series->y.unit);
    const struct line nothing = {0};
    struct line place = {0};
    char unit[CLEAN_TEXT];
    line_add_clean(&place, place_name(series));
    fputs(ink(style, INK_DIM), out);
    print_padded(out, columns.label, &nothing, false);
    print_padded(out, columns.place, &place, true);
    fprintf(out, " %7s%s%s%s    n%s\n",
            *scale.unit ? scale.unit : clean_text(series->y.unit, unit, 8),
            columns.percent ? "   +-%" : "", columns.cycles ? "  cycles" : "",
            columns.range ? "     min     max" : "", ink(style, INK_PLAIN));
    for (size_t i = 0; i < count; i++) {
        struct line label = {0};
        add_label(&label, naming, i);
        if (!series[i].point_count) {
            print_padded(out, columns.label, &label, false);
            fputs("  nothing was measured\n", out);
        }
        for (size_t p = 0; p < series[i].point_count; p++)
            print_row(out, &series[i], &series[i].points[p], &columns, p ? &nothing : &label,
                      style);
    }
}
