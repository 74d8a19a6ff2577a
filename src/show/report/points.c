/* The points of series as tables: one series, a group row by row, a sheet side by side, or a few
 * points where room is short. */
#include "base/clean.h"
#include "base/text.h"
#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "show/report/figure.h"
#include "show/report/parts.h"
#include "show/report/series.h"

#include <math.h>

/* Without room, columns are left out in this order: the names of flags, which the notes repeat; the
 * range (for a group, which compares rows by range, the interval); the number of trials; cycles. */
enum { RANK_CYCLES = 1, RANK_COUNT, RANK_SECOND, RANK_FIRST, RANK_NAMES };

/* The columns of a table besides place, median and number of trials. The rows of a group have
 * labels, those of one series end with the names of flags. */
struct optional_columns {
    bool labels, cycles, disturbed, range;
};

static const char *place_name(const struct series *series)
{
    return series->matrix ? "from -> to" : series->x.name ? series->x.name : "x";
}

static struct column *add_column(struct report *report, struct table *table, const char *name,
                                 size_t least, int rank)
{
    struct column *column = table_add_figures(report, table, name, least);
    column->rank = rank;
    return column;
}

/* The table of one series has fixed widths; that of a group leaves room for its labels. */
static void add_columns(struct report *report, struct table *table, const struct series *series,
                        const struct optional_columns *optional)
{
    const bool labels = optional->labels;
    const size_t value = labels ? 7 : 10, percent = labels ? 5 : 7, range = labels ? 7 : 8;
    const int interval_rank = labels ? RANK_FIRST : RANK_SECOND;
    const char *unit = figure_unit(series->y.unit);
    if (labels)
        table_add_words(report, table, "series", 0);
    add_column(report, table, place_name(series), labels ? 0 : 12, 0);
    add_column(report, table, *unit || !series->y.name ? unit : series->y.name, value, 0);
    add_column(report, table, "±%", percent, interval_rank);
    if (optional->cycles) {
        add_column(report, table, "cycles", value, RANK_CYCLES);
        if (!labels)
            add_column(report, table, "±%", percent, interval_rank);
    }
    if (optional->disturbed)
        add_column(report, table, "longer", percent, RANK_CYCLES);
    add_column(report, table, "n", labels ? 4 : 6, labels ? 0 : RANK_COUNT);
    if (optional->range) {
        const int rank = labels ? RANK_SECOND : RANK_FIRST;
        add_column(report, table, "min", range, rank);
        add_column(report, table, "max", range, rank);
    }
    if (!labels) {
        struct column *column = add_column(report, table, NULL, 0, RANK_NAMES);
        column->words = column->flags = true;
    }
}

const char *disturbance_words(struct report *report, struct disturbance disturbance)
{
    return (double)disturbance.longer > differences_threshold
               ? report_text(report, "%+.3g %%", 100 * (double)disturbance.longer)
               : NULL;
}

/* One trial has no interval. */
static struct cell interval_of(float median, float low, float high, unsigned trials)
{
    struct cell cell = cell_of_value((double)median, NULL, FORM_PERCENT);
    cell.low = trials > 1 ? (double)low : NAN;
    cell.high = trials > 1 ? (double)high : NAN;
    return cell;
}

static void add_point(struct report *report, struct table *table, const struct series *series,
                      const struct point *point, const char *label,
                      const struct optional_columns *optional)
{
    const struct summary *y = &point->y;
    const char *unit = series->y.unit;
    struct row *row = table_add_row(report, table);
    size_t at = 0;
    row->flags = point->flags;
    row->words = point->failed;
    if (optional->labels)
        row->cells[at++] = cell_of_text(label);
    row->cells[at++] = series->matrix
                           ? cell_of_text(report_text(report, "%d -> %d", point->from, point->to))
                           : cell_of_value(point->x, series->x.unit, FORM_PLACE);
    row->cells[at] = cell_of_value((double)y->median, unit, FORM_NUMBER);
    row->cells[at++].mark = flag_doubts(point->flags) ? '~' : '\0';
    row->cells[at++] = interval_of(y->median, y->low, y->high, y->n);
    if (optional->cycles) {
        const struct estimate *cycles = &point->cycles;
        row->cells[at++] = cell_of_value((double)cycles->median, "cycles", FORM_NUMBER);
        if (!optional->labels)
            row->cells[at++] = interval_of(cycles->median, cycles->low, cycles->high, y->n);
    }
    if (optional->disturbed)
        row->cells[at++] = cell_of_text(disturbance_words(report, point->disturbance));
    row->cells[at++] = cell_of_value(y->n, NULL, FORM_WHOLE);
    if (optional->range) {
        row->cells[at++] = cell_of_value((double)y->min, unit, FORM_NUMBER);
        row->cells[at++] = cell_of_value((double)y->max, unit, FORM_NUMBER);
    }
    struct line flags = {0};
    for (int i = 0; i < FLAG_COUNT && !optional->labels; i++)
        if (point->flags & FLAG_BIT(i))
            line_add(&flags, "%s%s", flags.length ? ", " : "", flag_texts[i].name);
    if (!optional->labels)
        row->cells[at] = cell_of_text(report_line(report, &flags));
}

static struct table *add_table(struct report *report, size_t index,
                               const struct probe_result *probe)
{
    return &report_add(report, BLOCK_TABLE, SECTION_RESULTS, index, probe)->table;
}

void report_add_nothing(struct report *report, size_t index, const struct probe_result *probe)
{
    add_table(report, index, probe)->more = "nothing was measured";
}

void report_add_points(struct report *report, size_t index, const struct probe_result *probe,
                       const struct series *series, size_t count)
{
    enum { RANGE_ROWS = 16 };
    if (count == 1 && !series->point_count) {
        report_add_nothing(report, index, probe);
        return;
    }
    const struct optional_columns optional = {
        .labels = count > 1,
        .cycles = series_any(series, count, point_has_cycles),
        .disturbed = series_any(series, count, point_is_disturbed),
        .range = count > 1 || series->point_count <= RANGE_ROWS};
    const char **labels = series_labels(report, series, count);
    struct table *table = add_table(report, index, probe);
    add_columns(report, table, series, &optional);
    for (size_t i = 0; i < count; i++) {
        const char *label = labels ? labels[i] : NULL;
        for (size_t p = 0; p < series[i].point_count; p++)
            add_point(report, table, &series[i], &series[i].points[p], p ? NULL : label, &optional);
        if (!series[i].point_count) {
            struct row *row = table_add_row(report, table);
            row->cells[0] = cell_of_text(label);
            row->words = "nothing was measured";
        }
    }
}

static const struct point *point_at(const struct series *series, const struct point *place)
{
    for (size_t i = 0; i < series->point_count; i++)
        if (series->matrix
                ? series->points[i].from == place->from && series->points[i].to == place->to
                : series->points[i].x == place->x)
            return &series->points[i];
    return NULL;
}

static struct cell cell_of_point(const struct series *series, const struct point *point)
{
    if (!point)
        return cell_of_text(NULL);
    struct cell cell = cell_of_value((double)point->y.median, series->y.unit, FORM_VALUE);
    /* Another tool's value has no trials, and its table as a whole is as found. */
    if (flag_doubts(point->flags) ||
        (point->y.coverage > 0 && point_grade(series, point) != GRADE_GOOD))
        cell.mark = '~';
    return cell;
}

enum { BESIDE_MAX = 3 };

/* Indices of the series that have room, and values, beside the bars of that one. */
static size_t series_beside(const struct series *series, const char *const *labels, size_t count,
                            size_t with_bars, size_t beside[BESIDE_MAX])
{
    enum { COLUMNS = 36, LEAST = 10, GAP = 2 };
    size_t used = 0, shown = 0;
    for (size_t i = 0; i < count && shown < BESIDE_MAX; i++) {
        if (i == with_bars)
            continue;
        const size_t own = clean_columns(labels[i]);
        bool has = false;
        for (size_t p = 0; p < series[with_bars].point_count && !has; p++)
            has = point_at(&series[i], &series[with_bars].points[p]);
        used += has ? (own > LEAST ? own : LEAST) + GAP : 0;
        if (used > COLUMNS)
            break;
        if (has)
            beside[shown++] = i;
    }
    return shown;
}

/* A row for each place, with a bar of the longest series and the others' values; of series with
 * one first place, of which the first has no more, a row for each series. */
void report_add_bars(struct report *report, size_t index, const struct probe_result *probe,
                     const struct series *series, size_t count)
{
    enum { ROWS = 7, BAR = 24, BAR_BESIDE = 12 };
    size_t beside[BESIDE_MAX], besides = 0;
    double most = 0;
    bool rows = count > 1 && series->point_count == 1;
    size_t longest = 0;
    for (size_t i = 1; i < count; i++) {
        const size_t points = series[i].point_count;
        rows = rows && (!points || point_at(series, series[i].points));
        longest = points > series[longest].point_count ? i : longest;
    }
    const char **labels = series_labels(report, series, count);
    const size_t all = rows ? count : series[longest].point_count;
    const size_t step = rows ? 1 : (all + ROWS - 1) / ROWS;
    if (!rows)
        besides = series_beside(series, labels, count, longest, beside);
    for (size_t i = 0; i < all; i += step)
        for (size_t p = rows ? 0 : i; p < (rows ? series[i].point_count : i + 1); p++)
            most = fmax(most, (double)series[rows ? i : longest].points[p].y.median);
    struct table *table = &report_add(report, BLOCK_TABLE, SECTION_RESULTS, index, probe)->table;
    const char *label = besides ? NULL : labels && !rows ? labels[longest] : series->name;
    /* "bandwidth by call, memcpy (8 more: -v)"; the columns have names of their own. */
    const size_t left_out = !rows ? count - 1 - besides : all > ROWS ? all - ROWS : 0;
    struct line title = {0};
    line_add_between(&title, "", series->y.name ? series->y.name : "value",
                     series->matrix ? " " : " by ");
    line_add_clean(&title, place_name(series));
    if (label && !text_same(label, series->y.name) && probe->series_count > 1)
        line_add_between(&title, ", ", label, "");
    if (left_out)
        line_add(&title, " (%zu more: -v)", left_out);
    table->title = report_line(report, &title);
    table_add_words(report, table, "", rows ? 24 : 12);
    table_add_figures(report, table, besides ? labels[longest] : NULL, 10);
    table_add_figures(report, table, "", besides ? BAR_BESIDE : BAR);
    for (size_t c = 0; c < besides; c++)
        table_add_figures(report, table, labels[beside[c]], 10);
    for (size_t i = 0; i < all && table->row_count < ROWS; i += step) {
        const struct series *own = &series[rows ? i : longest];
        struct row *row = table_add_row(report, table);
        char text[UNIT_TEXT];
        if (rows)
            row->cells[0] = cell_of_text(labels[i]);
        if (rows && !own->point_count)
            continue;
        const struct point *point = &own->points[rows ? 0 : i];
        if (!rows)
            row->cells[0] = cell_of_text(
                series->matrix
                    ? report_text(report, "%d -> %d", point->from, point->to)
                    : report_text(report, "%s", figure_place(point->x, series->x.unit, text)));
        row->cells[1] = cell_of_point(own, point);
        if (most > 0 && point->y.median >= 0)
            row->cells[2] = cell_of_value((double)point->y.median / most, NULL, FORM_SHARE);
        for (size_t c = 0; c < besides; c++)
            row->cells[c + 3] =
                cell_of_point(&series[beside[c]], point_at(&series[beside[c]], point));
    }
}

/* --- a sheet --- */

static bool lacks_cycles(const struct point *point)
{
    return point->y.n && !point_has_cycles(point);
}

/* The next x of any series after `x`; NAN: none. */
static double next_place(const struct series *series, size_t count, double x)
{
    double next = NAN;
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < series[i].point_count; p++) {
            double here = series[i].points[p].x;
            if ((isnan(x) || here > x) && !(here >= next))
                next = here;
        }
    return next;
}

/* Medians, in cycles if all points have them. */
void report_add_sheet(struct report *report, size_t index, const struct probe_result *probe,
                      const struct series *series, size_t count)
{
    enum { PLACE = 12, CELL = 7 };
    const bool cycles = !series_any(series, count, lacks_cycles);
    const int only = series_only_difference(&series[0], &series[1]);
    const size_t own = only < 0 ? 0 : (size_t)only; /* series_sheet() ensured there is one */
    struct table *table = add_table(report, index, probe);
    table->legend =
        report_text(report, "%s, a column for each %s",
                    cycles ? "cycles" : figure_unit(series->y.unit), series->factors[own].name);
    add_column(report, table, place_name(series), PLACE, 0);
    for (size_t i = 0; i < count; i++) {
        const struct factor *factor = &series[i].factors[own];
        const bool binary = factor->number >= 1024 && !(fmod(factor->number, 1024) > 0);
        char text[UNIT_TEXT];
        add_column(report, table,
                   factor->text ? factor->text
                                : report_text(report, "%s",
                                              binary ? figure_short_size(factor->number, text)
                                                     : figure_place(factor->number, "", text)),
                   CELL, 0);
    }
    for (double x = next_place(series, count, NAN); !isnan(x); x = next_place(series, count, x)) {
        struct row *row = table_add_row(report, table);
        row->cells[0] = cell_of_value(x, series->x.unit, FORM_PLACE);
        for (size_t i = 0; i < count; i++) {
            const struct point *point = series_point(&series[i], x);
            const double value = !point   ? NAN
                                 : cycles ? (double)point->cycles.median
                                          : (double)point->y.median;
            struct cell *cell = &row->cells[i + 1];
            *cell = cell_of_value(value, cycles ? "cycles" : series->y.unit, FORM_NUMBER);
            cell->mark = point && flag_doubts(point->flags) ? '~' : '\0';
        }
    }
}
