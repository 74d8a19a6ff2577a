#include "base/clean.h"
#include "render/parts.h"
#include "report/figure.h"
#include "report/series.h"
#include "result/flag.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Which cells of the square are shown. */
enum directions { EVERY_DIRECTION, ONE_WAY, LOWER_TRIANGLE };

/* What all values of a matrix say together. */
struct extent {
    const struct point *nearest, *farthest;
    double mean;
    size_t count; /* of points that have a value */
};

static struct extent extent_of(const struct series *series)
{
    struct extent extent = {0};
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (!isfinite(point->y.median))
            continue;
        if (!extent.nearest || point->y.median < extent.nearest->y.median)
            extent.nearest = point;
        if (!extent.farthest || point->y.median > extent.farthest->y.median)
            extent.farthest = point;
        extent.mean += (point->y.median - extent.mean) / (double)++extent.count;
    }
    return extent;
}

/* Digits behind the point that tell values of this size apart. */
static int decimals_for(double largest)
{
    return fabs(largest) >= 1000 ? 0 : fabs(largest) >= 10 ? 1 : 2;
}

/* From 0 for the nearest to 1 for the farthest. Differences below a quarter are shown as the small
 * ones they are and not stretched over all colours. */
static double share_of(const struct extent *extent, double value)
{
    double low = extent->nearest->y.median, high = extent->farthest->y.median;
    if (!(low > 0))
        return high > low ? (value - low) / (high - low) : 0;
    return log(value / low) / fmax(log(high / low), log(1.25));
}

static int digits_of(double value, int decimals)
{
    return snprintf(NULL, 0, "%.*f", decimals, value);
}

static int widest_id(const int *ids, size_t count)
{
    int widest = 0;
    for (size_t i = 0; i < count; i++)
        widest = digits_of(ids[i], 0) > widest ? digits_of(ids[i], 0) : widest;
    return widest;
}

struct layout {
    int label, cell, decimals;
    const char *absent; /* stands for pairs that have no value */
};

/* The roomiest layout that fits the width; a roomy one even if none fits, unless it has to. */
static bool lay_out(struct layout *layout, const struct grid *grid, const struct extent *extent,
                    double divisor, int width, bool has_to_fit)
{
    double largest =
        fmax(fabs(extent->farthest->y.median), fabs(extent->nearest->y.median)) / divisor;
    int most = decimals_for(largest), least = largest >= 100 ? 0 : most;
    if (!(largest < 1e9))
        return false;
    /* With three digits before the point, the one behind it is the first to go. */
    const struct {
        int gap, decimals;
    } choices[] = {{3, most}, {2, most}, {1, most}, {1, least}, {2, most}};
    enum { CHOICES = sizeof choices / sizeof *choices };
    int id = widest_id(grid->columns, grid->column_count);
    layout->label = widest_id(grid->rows, grid->row_count) + 2;
    for (int i = 0; i < CHOICES - has_to_fit; i++) {
        int value = digits_of(largest, choices[i].decimals);
        layout->decimals = choices[i].decimals;
        layout->cell = (value > id ? value : id) + choices[i].gap;
        size_t columns = (size_t)layout->label + grid->column_count * (size_t)layout->cell + 2;
        if (columns <= (size_t)width)
            return true;
    }
    return !has_to_fit;
}

static const struct point *cell_at(const struct grid *grid, int from, int to)
{
    size_t row = grid_row(grid, from), column = grid_column(grid, to);
    bool there = row < grid->row_count && column < grid->column_count;
    return there ? grid->cells[row * grid->column_count + column] : NULL;
}

static bool has_value(const struct point *point)
{
    return point && isfinite(point->y.median);
}

/* Whether each pair was measured in one direction only: then half of the square is no loss. */
static bool is_one_way(const struct grid *grid, const struct series *series)
{
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (has_value(point) && has_value(cell_at(grid, point->to, point->from)))
            return false;
    }
    return true;
}

/* What stands in a cell: a value, or in its place "-", "x" or nothing. */
struct entry {
    double value;
    bool doubt;
    const char *instead; /* NULL where there is a value */
};

/* Of a triangle the half below the diagonal, with the mean of both directions. */
static struct entry show_cell(const struct grid *grid, size_t r, size_t c, enum directions which)
{
    int from = grid->rows[r], to = grid->columns[c];
    const struct point *there = grid->cells[r * grid->column_count + c], *back = NULL;
    if (from == to && !has_value(there))
        return (struct entry){NAN, false, "-"};
    if (which == LOWER_TRIANGLE && grid_row(grid, from) < grid_row(grid, to))
        return (struct entry){NAN, false, ""};
    if (which != EVERY_DIRECTION)
        back = cell_at(grid, to, from);
    if (which == ONE_WAY && !has_value(there) && has_value(back))
        return (struct entry){NAN, false, ""};
    if (!has_value(there) && !(which == LOWER_TRIANGLE && has_value(back)))
        return (struct entry){NAN, false, "x"};
    struct entry shown = {0, false, NULL};
    int count = 0;
    for (int side = 0; side < 1 + (which == LOWER_TRIANGLE); side++) {
        const struct point *point = side ? back : there;
        if (!has_value(point))
            continue;
        shown.value += ((double)point->y.median - shown.value) / ++count;
        shown.doubt = shown.doubt || flag_doubts(point->flags);
    }
    return shown;
}

static void print_cell(FILE *out, struct entry shown, double divisor, const struct layout *layout,
                       const struct extent *extent, const struct view_style *style)
{
    char text[UNIT_TEXT];
    if (shown.instead) {
        fprintf(out, "%*s", layout->cell, *shown.instead == 'x' ? layout->absent : shown.instead);
        return;
    }
    snprintf(text, sizeof text, "%s%.*f", shown.doubt ? "!" : "", layout->decimals,
             shown.value / divisor);
    ink_ramp_behind(out, style, share_of(extent, shown.value));
    fprintf(out, "%*s%s", layout->cell, text, ink(style, INK_PLAIN));
}

/* Returns how many of the cells that should have a value have none. */
static size_t print_grid(FILE *out, const struct grid *grid, double divisor,
                         const struct layout *layout, const struct extent *extent,
                         enum directions which, const char *labels, const struct view_style *style)
{
    int width = label_columns(labels);
    size_t missing = 0;
    fprintf(out, "%*s%s", layout->label + width, "", ink(style, INK_DIM));
    for (size_t c = 0; c < grid->column_count; c++)
        fprintf(out, "%*d", layout->cell, grid->columns[c]);
    fprintf(out, "%s\n", ink(style, INK_PLAIN));
    for (size_t r = 0; r < grid->row_count; r++) {
        fprintf(out, "%s%*d", ink(style, INK_DIM), layout->label, grid->rows[r]);
        label_print(out, labels, grid->rows[r], width);
        fputs(ink(style, INK_PLAIN), out);
        for (size_t c = 0; c < grid->column_count; c++) {
            struct entry shown = show_cell(grid, r, c, which);
            missing += shown.instead && *shown.instead == 'x';
            print_cell(out, shown, divisor, layout, extent, style);
            if (which == LOWER_TRIANGLE && shown.instead && *shown.instead == '-')
                break; /* nothing stands right of the diagonal */
        }
        fputc('\n', out);
    }
    return missing;
}

static size_t count_missing(const struct grid *grid, enum directions which)
{
    size_t missing = 0;
    for (size_t r = 0; r < grid->row_count; r++)
        for (size_t c = 0; c < grid->column_count; c++) {
            struct entry shown = show_cell(grid, r, c, which);
            missing += shown.instead && *shown.instead == 'x';
        }
    return missing;
}

/* Pairs by value, so that groups (siblings, a shared cache, another socket) stand out. */
static void print_distribution(FILE *out, const struct series *series, const struct extent *extent,
                               double divisor, const struct view_style *style)
{
    enum { BINS = 48 };
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    size_t bins[BINS] = {0}, most = 0;
    double low = extent->nearest->y.median, high = extent->farthest->y.median;
    if (!style->blocks || !(low > 0) || !(high > low))
        return;
    for (size_t i = 0; i < series->point_count; i++) {
        double share = log(series->points[i].y.median / low) / log(high / low);
        if (!(share >= 0))
            continue;
        size_t bin = share >= 1 ? BINS - 1 : (size_t)(share * (double)BINS);
        if (++bins[bin] > most)
            most = bins[bin];
    }
    int decimals = decimals_for(high / divisor);
    fprintf(out, "  %.*f ", decimals, low / divisor);
    for (size_t bin = 0; bin < BINS; bin++) {
        /* A single pair among thousands still shows. */
        double height = ceil(sqrt((double)bins[bin] / (double)most) * 8);
        ink_ramp(out, style, (double)bin / (BINS - 1));
        fputs(blocks[(size_t)height], out);
    }
    fprintf(out, "%s %.*f  pairs by value\n", ink(style, INK_PLAIN), decimals, high / divisor);
}

static void print_list(FILE *out, const struct series *series, double divisor)
{
    char value[UNIT_TEXT];
    for (size_t i = 0; i < series->point_count; i++)
        fprintf(out, "%8d -> %-8d %10s\n", series->points[i].from, series->points[i].to,
                figure_plain(series->points[i].y.median / divisor, value));
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How far the trials of one pair lie apart: at the worst pair, and at the median pair. */
static void print_spread(FILE *out, const struct series *series, const struct view_style *style,
                         double divisor, int decimals, const char *unit, const char *what)
{
    const struct point *widest = NULL;
    struct line line = {0};
    double most = 0;
    size_t count = 0;
    double *spreads = malloc(series->point_count * sizeof *spreads + 1);
    for (size_t i = 0; i < series->point_count && spreads; i++) {
        const struct summary *y = &series->points[i].y;
        double spread = (y->max - y->min) / y->median;
        if (y->n < 2 || !isfinite(spread))
            continue;
        spreads[count++] = spread;
        if (!widest || spread > most) {
            widest = &series->points[i];
            most = spread;
        }
    }
    if (widest) {
        const struct summary *y = &widest->y;
        line_add(&line, "Over the %s of one pair: %.*f to %.*f %s (%d,%d)", what, decimals,
                 y->min / divisor, decimals, y->max / divisor, unit, widest->from, widest->to);
        if (isfinite(y->p25) && isfinite(y->p75))
            line_add(&line, ", half in %.*f to %.*f", decimals, y->p25 / divisor, decimals,
                     y->p75 / divisor);
        qsort(spreads, count, sizeof *spreads, compare_doubles);
        if (count > 2)
            line_add(&line, "; at a typical pair they span %.0f %%", spreads[count / 2] * 100);
        fputs("  ", out);
        line_print_wrapped(out, style, 2, &line);
    }
    free(spreads);
}

static void add_scatter(struct line *line, const struct series *series, const char *what,
                        size_t offset, double *room)
{
    size_t count = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        float part;
        memcpy(&part, (const char *)&series->points[i].scatter + offset, sizeof part);
        if (isfinite(part))
            room[count++] = (double)part;
    }
    if (count == 0)
        return;
    qsort(room, count, sizeof *room, compare_doubles);
    char percent[UNIT_TEXT];
    line_add(line, "%s%s %s %%", line->length ? ", " : "", what,
             figure_plain(room[count / 2] * 100, percent));
}

/* Where the scatter comes from, at the median pair: "line to line 12 %, drift 1 %". */
static void print_scatter(FILE *out, const struct series *series, const struct view_style *style)
{
    struct line parts = {0}, line = {0};
    double *room = malloc(series->point_count * sizeof *room + 1);
    if (!room)
        return;
    add_scatter(&parts, series, "from line to line", offsetof(struct scatter, line), room);
    add_scatter(&parts, series, "drift through the run", offsetof(struct scatter, drift), room);
    add_scatter(&parts, series, "residual", offsetof(struct scatter, residual), room);
    free(room);
    if (!parts.length)
        return;
    line_add(&line, "Scatter of a typical pair (standard deviation): %s", parts.text);
    fputs("  ", out);
    line_print_wrapped(out, style, 2, &line);
}

/* Only where every trial is a line of its own can the lines' share of the scatter be told. */
static bool is_over_lines(const struct series *series)
{
    for (size_t i = 0; i < series->point_count; i++)
        if (isfinite(series->points[i].scatter.line))
            return true;
    return false;
}

void matrix_print(FILE *out, const struct probe_result *probe, const struct series *series,
                  const struct view_style *style, bool whole)
{
    enum { BRIEF_ROWS = 16 };
    struct scale scale = figure_scale(series->y.unit);
    struct extent extent = extent_of(series);
    char own_unit[CLEAN_TEXT];
    const char *unit = *scale.unit ? scale.unit : clean_text(series->y.unit, own_unit, 16);
    if (extent.count == 0) {
        fputs("  nothing was measured\n", out);
        return;
    }
    struct grid grid;
    struct layout layout;
    bool square = grid_build(&grid, series);
    const struct factor *labels = probe_parameter(probe, "cpu_labels");
    enum directions which = EVERY_DIRECTION;
    if (square)
        which = probe_parameter(probe, "triangle") ? LOWER_TRIANGLE
                : is_one_way(&grid, series)        ? ONE_WAY
                                                   : EVERY_DIRECTION;
    const char *label_text = whole && labels ? labels->text : NULL;
    size_t missing = 0;
    const bool check = matrix_is_repeated(probe, series);
    layout.absent = check ? "" : "x";
    const int width = style->width - label_columns(label_text);
    if (square && lay_out(&layout, &grid, &extent, scale.divisor, width, !whole) &&
        (whole || grid.row_count <= BRIEF_ROWS)) {
        missing = print_grid(out, &grid, scale.divisor, &layout, &extent, which, label_text, style);
    } else {
        missing = square ? count_missing(&grid, which) : 0;
        if (whole)
            print_list(out, series, scale.divisor);
        else
            print_distribution(out, series, &extent, scale.divisor, style);
    }
    if (missing && check)
        fputs("  some of the pairs, measured once more\n", out);
    else if (missing)
        fprintf(out, "  x: %zu pair%s could not be measured\n", missing, missing == 1 ? "" : "s");
    int decimals = decimals_for(extent.farthest->y.median / scale.divisor);
    print_spread(out, series, style, scale.divisor, decimals, unit,
                 is_over_lines(series) ? "lines" : "trials");
    if (whole)
        print_scatter(out, series, style);
    int used =
        fprintf(out, "Min %.*f (%d,%d)  Max %.*f (%d,%d)  Mean %.*f %s", decimals,
                extent.nearest->y.median / scale.divisor, extent.nearest->from, extent.nearest->to,
                decimals, extent.farthest->y.median / scale.divisor, extent.farthest->from,
                extent.farthest->to, decimals, extent.mean / scale.divisor, unit);
    if (!whole && series == &probe->series[0])
        matrix_others_print(out, probe, style, used > 0 ? (size_t)used : 0);
    else
        fputc('\n', out);
    grid_free(&grid);
}
