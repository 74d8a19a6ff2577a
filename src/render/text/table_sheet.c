/*
 * Curves of one name that differ in a single factor, side by side: a row an x, a column a value of
 * the factor. Eleven long tables below one another compare nothing.
 */
#include "base/clean.h"
#include "base/text.h"
#include "quantity/quantity.h"
#include "render/parts.h"
#include "report/figure.h"
#include "result/flag.h"

#include <math.h>
#include <stdlib.h>

enum { CURVES_MIN = 3, POINTS_MIN = 9, PLACE_COLUMNS = 14, CELL_COLUMNS = 8 };

static bool is_alike(const struct series *a, const struct series *b)
{
    return !b->matrix && b->point_count >= POINTS_MIN && a->factor_count == b->factor_count &&
           text_same(a->name, b->name) && quantity_same(a->x.unit, b->x.unit) &&
           quantity_same(a->y.unit, b->y.unit);
}

/* Index of the only factor in which the two differ; -1: none, or several. */
static int only_difference(const struct series *a, const struct series *b)
{
    int found = -1;
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

size_t table_sheet(const struct series *series, size_t count)
{
    size_t together = 1;
    int factor = -1;
    if (series->matrix || series->point_count < POINTS_MIN)
        return 1;
    for (; together < count && is_alike(series, &series[together]); together++) {
        int here = only_difference(series, &series[together]);
        if (here < 0 || (factor >= 0 && here != factor))
            break;
        factor = here;
    }
    return together >= CURVES_MIN ? together : 1;
}

/* Of the first of them; table_sheet() has found that there is one. */
static size_t own_factor(const struct series *series)
{
    int factor = only_difference(&series[0], &series[1]);
    return factor < 0 ? 0 : (size_t)factor;
}

static bool have_cycles(const struct series *series, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < series[i].point_count; p++)
            if (series[i].points[p].y.n && !isfinite(series[i].points[p].cycles.median))
                return false;
    return true;
}

/* A point and where it stands: in which row, by its x, and in which column. */
struct place {
    double x;
    size_t column;
    const struct point *point;
};

static int by_row(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    if (one->x < other->x || one->x > other->x)
        return one->x < other->x ? -1 : 1;
    if (one->column != other->column)
        return one->column < other->column ? -1 : 1;
    return (one->point > other->point) - (one->point < other->point);
}

/* All points of the curves, row by row, to be freed; NULL when out of memory. Curves may have
 * hundreds of thousands of points, in any order: they are sorted once, not searched for each row.
 */
static struct place *sort_places(const struct series *series, size_t count, size_t *placed)
{
    size_t points = 0;
    *placed = 0;
    for (size_t i = 0; i < count; i++)
        points += series[i].point_count;
    struct place *places = malloc(points * sizeof *places + 1);
    for (size_t i = 0; places && i < count; i++)
        for (size_t p = 0; p < series[i].point_count; p++)
            if (!isnan(series[i].points[p].x))
                places[(*placed)++] =
                    (struct place){series[i].points[p].x, i, &series[i].points[p]};
    if (places)
        qsort(places, *placed, sizeof *places, by_row);
    return places;
}

static void print_column_names(FILE *out, const struct series *series, size_t count, size_t own)
{
    for (size_t i = 0; i < count; i++) {
        const struct factor *factor = &series[i].factors[own];
        char text[CLEAN_TEXT];
        if (factor->text)
            clean_text(factor->text, text, CELL_COLUMNS - 1);
        else if (factor->number >= 1024 && !(fmod(factor->number, 1024) > 0))
            figure_short_size(factor->number, text);
        else
            figure_place(factor->number, "", text);
        fprintf(out, "%*s%s%s", CELL_COLUMNS - 1 - (int)clean_columns(text), "", text,
                i + 1 < count ? " " : "");
    }
}

static void print_cell(FILE *out, const struct series *series, const struct point *point,
                       bool cycles, bool last, const struct view_style *style)
{
    const double divisor = figure_scale(series->y.unit).divisor;
    char text[UNIT_TEXT];
    double value = !point   ? NAN
                   : cycles ? (double)point->cycles.median
                            : (double)point->y.median / divisor;
    /* A doubt's mark stands in the blank before the next column. */
    fprintf(out, "%*s", CELL_COLUMNS - 1, figure_plain(value, text));
    if (point && flag_doubts(point->flags))
        fprintf(out, "%s!%s", ink(style, INK_WARN), ink(style, INK_PLAIN));
    else if (!last)
        fputc(' ', out);
}

/* One x: the first measured point of each curve there. How many places it took up. */
static size_t print_row(FILE *out, const struct series *series, size_t count,
                        const struct place *places, size_t left, bool cycles,
                        const struct view_style *style)
{
    char place[UNIT_TEXT];
    size_t taken = 0;
    fprintf(out, "%*s", PLACE_COLUMNS, figure_place(places->x, series->x.unit, place));
    for (size_t i = 0; i < count; i++) {
        const struct point *point = NULL;
        for (; taken < left && !(places[taken].x > places->x) && places[taken].column == i; taken++)
            if (!point && places[taken].point->y.n)
                point = places[taken].point;
        print_cell(out, &series[i], point, cycles, i + 1 == count, style);
    }
    fputc('\n', out);
    return taken;
}

static void print_part(FILE *out, const struct series *series, size_t count, size_t own,
                       bool cycles, const struct view_style *style)
{
    char text[CLEAN_TEXT];
    const struct scale scale = figure_scale(series->y.unit);
    const char *unit = *scale.unit ? scale.unit : clean_text(series->y.unit, text, 11);
    char name[CLEAN_TEXT];
    clean_text(series->factors[own].name, name, 30);
    fprintf(out, "%s  %s, a column for each %s\n", ink(style, INK_DIM), cycles ? "cycles" : unit,
            name);
    clean_text(series->x.name ? series->x.name : "x", name, PLACE_COLUMNS);
    fprintf(out, "%*s%s", PLACE_COLUMNS - (int)clean_columns(name), "", name);
    print_column_names(out, series, count, own);
    fprintf(out, "%s\n", ink(style, INK_PLAIN));
    size_t placed;
    struct place *places = sort_places(series, count, &placed);
    for (size_t done = 0; places && done < placed;)
        done += print_row(out, series, count, places + done, placed - done, cycles, style);
    free(places);
}

void table_print_sheet(FILE *out, const struct series *series, size_t count,
                       const struct view_style *style)
{
    const bool cycles = have_cycles(series, count);
    const size_t own = own_factor(series);
    size_t fitting = style->width > PLACE_COLUMNS + 2 * CELL_COLUMNS
                         ? (size_t)(style->width - PLACE_COLUMNS) / CELL_COLUMNS
                         : 2;
    /* Parts of one size, or the last might hold a single column. */
    const size_t parts = (count + fitting - 1) / fitting;
    fitting = (count + parts - 1) / parts;
    for (size_t done = 0; done < count; done += fitting) {
        if (done)
            fputc('\n', out);
        print_part(out, series + done, fitting < count - done ? fitting : count - done, own, cycles,
                   style);
    }
}
