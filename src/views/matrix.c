#include "result/flag.h"
#include "views/clean.h"
#include "views/figure.h"
#include "views/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The points of a matrix by row and column. Ids that nothing was measured for have none. */
struct grid {
    int *rows, *columns;
    size_t row_count, column_count;
    const struct point **cells;
};

/* What all values of a matrix say together. */
struct extent {
    const struct point *nearest, *farthest;
    double mean;
    size_t count; /* of points that have a value */
};

static int compare_ids(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static size_t sort_unique(int *ids, size_t count)
{
    size_t kept = 0;
    qsort(ids, count, sizeof *ids, compare_ids);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || ids[kept - 1] != ids[i])
            ids[kept++] = ids[i];
    return kept;
}

static size_t index_of(const int *ids, size_t count, int id)
{
    return (size_t)((const int *)bsearch(&id, ids, count, sizeof *ids, compare_ids) - ids);
}

static void grid_free(struct grid *grid)
{
    free(grid->rows);
    free(grid->columns);
    free(grid->cells);
}

/* False where the points are too scattered for a matrix, or there is no memory for one. */
static bool grid_build(struct grid *grid, const struct series *series)
{
    size_t count = series->point_count;
    *grid = (struct grid){.rows = malloc(count * sizeof(int) + 1),
                          .columns = malloc(count * sizeof(int) + 1)};
    if (!grid->rows || !grid->columns)
        return false;
    for (size_t i = 0; i < count; i++) {
        grid->rows[i] = series->points[i].from;
        grid->columns[i] = series->points[i].to;
    }
    grid->row_count = sort_unique(grid->rows, count);
    grid->column_count = sort_unique(grid->columns, count);
    if (grid->row_count > (16 * count + 4096) / (grid->column_count + 1))
        return false;
    grid->cells = calloc(grid->row_count * grid->column_count + 1, sizeof(struct point *));
    for (size_t i = 0; grid->cells && i < count; i++) {
        size_t row = index_of(grid->rows, grid->row_count, series->points[i].from);
        size_t column = index_of(grid->columns, grid->column_count, series->points[i].to);
        grid->cells[row * grid->column_count + column] = &series->points[i];
    }
    return grid->cells != NULL;
}

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

struct layout {
    int label, cell, decimals;
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
    int id = digits_of(grid->columns[grid->column_count - 1], 0);
    layout->label = digits_of(grid->rows[grid->row_count - 1], 0) + 2;
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

static void print_cell(FILE *out, const struct point *point, bool diagonal, double divisor,
                       const struct layout *layout, const struct extent *extent,
                       const struct view_style *style)
{
    if (!point || !isfinite(point->y.median)) {
        fprintf(out, "%*s", layout->cell, !point && diagonal ? "-" : "x");
        return;
    }
    char text[UNIT_TEXT];
    snprintf(text, sizeof text, "%s%.*f", flag_doubts(point->flags) ? "!" : "", layout->decimals,
             point->y.median / divisor);
    ink_ramp_behind(out, style, share_of(extent, point->y.median));
    fprintf(out, "%*s%s", layout->cell, text, ink(style, INK_PLAIN));
}

static void print_grid(FILE *out, const struct grid *grid, double divisor,
                       const struct layout *layout, const struct extent *extent,
                       const struct view_style *style)
{
    fprintf(out, "%*s%s", layout->label, "", ink(style, INK_DIM));
    for (size_t c = 0; c < grid->column_count; c++)
        fprintf(out, "%*d", layout->cell, grid->columns[c]);
    fprintf(out, "%s\n", ink(style, INK_PLAIN));
    for (size_t r = 0; r < grid->row_count; r++) {
        fprintf(out, "%s%*d%s", ink(style, INK_DIM), layout->label, grid->rows[r],
                ink(style, INK_PLAIN));
        for (size_t c = 0; c < grid->column_count; c++) {
            const struct point *point = grid->cells[r * grid->column_count + c];
            print_cell(out, point, grid->rows[r] == grid->columns[c], divisor, layout, extent,
                       style);
        }
        fputc('\n', out);
    }
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
        size_t bin = share >= 1 ? BINS - 1 : (size_t)(share * BINS);
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

/* Pairs that were planned but have no value. */
static size_t count_missing(const struct grid *grid)
{
    size_t missing = 0;
    for (size_t r = 0; r < grid->row_count; r++)
        for (size_t c = 0; c < grid->column_count; c++) {
            const struct point *point = grid->cells[r * grid->column_count + c];
            bool here = point ? isfinite(point->y.median) : grid->rows[r] == grid->columns[c];
            missing += !here;
        }
    return missing;
}

void matrix_print(FILE *out, const struct series *series, const struct view_style *style,
                  bool whole, const char *what)
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
    if (square && lay_out(&layout, &grid, &extent, scale.divisor, style->width, !whole) &&
        (whole || grid.row_count <= BRIEF_ROWS))
        print_grid(out, &grid, scale.divisor, &layout, &extent, style);
    else if (whole)
        print_list(out, series, scale.divisor);
    else
        print_distribution(out, series, &extent, scale.divisor, style);
    size_t missing = square ? count_missing(&grid) : 0;
    if (missing)
        fprintf(out, "  x: %zu pair%s could not be measured\n", missing, missing == 1 ? "" : "s");
    int decimals = decimals_for(extent.farthest->y.median / scale.divisor);
    print_spread(out, series, style, scale.divisor, decimals, unit, what);
    fprintf(out, "Min %.*f (%d,%d)  Max %.*f (%d,%d)  Mean %.*f %s\n", decimals,
            extent.nearest->y.median / scale.divisor, extent.nearest->from, extent.nearest->to,
            decimals, extent.farthest->y.median / scale.divisor, extent.farthest->from,
            extent.farthest->to, decimals, extent.mean / scale.divisor, unit);
    grid_free(&grid);
}
