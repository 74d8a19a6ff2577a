/*
 * Matrices: each document's, by groups of CPUs where there are many, then every pair. Colours
 * follow the rank of a value among all, so that a few near pairs do not take half of them. CPUs
 * stand by the groups that were found, which are framed.
 */
#include "base/cpulist.h"
#include "show/render/picture/picture.h"
#include "show/report/figure.h"
#include "stats/order.h"

#include <math.h>
#include <string.h>

enum {
    GROUPS_FROM = 16,  /* with more rows, the groups are shown first */
    NUMBERS_MOST = 36, /* with more columns, cells are too small for numbers */
    CELLS_MAX = 1024 * 1024,
    KEY_WIDTH = 440,
    KEY_HEIGHT = 40,
    HEAD = 20, /* the row of names above the cells */
    GAP = 26,
    TITLE = 20,
    RANKS = 256,
    KEYS = 5
};

/* A picture of one square. */
struct map {
    const struct square *square;
    size_t *order; /* rows and columns in the order in which they are drawn */
    bool *begins;  /* whether a group begins at that place */
    double labels; /* width of the names at the left */
    double cell_width, cell_height;
    bool numbers, ranges;
};

/* What all maps of a chart share. */
struct shades {
    double quantiles[RANKS + 1];
    size_t count;
    double reach; /* the part of the colours that is used: all, if values are far apart */
    double divisor, largest;
    const char *unit;
};

/* --- colours --- */

/* viridis (van der Walt and Smith 2015), which people with any kind of colour vision read as the
 * same order. Near is light. */
static void put_colour(FILE *out, double share)
{
    static const unsigned char steps[][3] = {
        {253, 231, 37}, {181, 222, 43}, {110, 206, 88}, {53, 183, 121}, {31, 158, 137},
        {38, 130, 142}, {49, 104, 142}, {62, 73, 137},  {72, 40, 120},  {68, 1, 84}};
    const double at = fmin(fmax(share, 0), 1) * 9;
    const size_t below = at >= 9 ? 8 : (size_t)at;
    int mixed[3];
    for (int i = 0; i < 3; i++)
        mixed[i] = (int)lround(steps[below][i] +
                               (steps[below + 1][i] - steps[below][i]) * (at - (double)below));
    fprintf(out, " fill=\"#%02x%02x%02x\"", mixed[0], mixed[1], mixed[2]);
}

static const char *ink_on(double share)
{
    return share < 0.5 ? "#101418" : "#ffffff";
}

static void gather_shades(struct shades *shades, const struct chart *chart)
{
    struct pool *pool = chart->report->pool;
    size_t all = 0, count = 0;
    const char *unit = chart->blocks->matrix.series->y.unit;
    for (size_t b = 0; b < chart->count; b++)
        all += chart->blocks[b].matrix.series->point_count;
    double *values = pool_alloc(pool, all + 1, sizeof *values);
    for (size_t b = 0; b < chart->count; b++) {
        const struct series *series = chart->blocks[b].matrix.series;
        for (size_t i = 0; i < series->point_count; i++)
            if (isfinite(series->points[i].y.median))
                values[count++] = (double)series->points[i].y.median;
    }
    sort_ascending(values, count);
    *shades = (struct shades){.count = count,
                              .divisor = figure_scale(unit).divisor,
                              .unit = figure_unit(unit),
                              .largest = count ? values[count - 1] : 0};
    for (size_t i = 0; i <= RANKS && count; i++)
        shades->quantiles[i] = values[i * (count - 1) / RANKS];
    /* Small differences look small. */
    const double least = shades->quantiles[0], most = shades->quantiles[RANKS];
    shades->reach = least > 0 ? fmin(1, log(most / least) / log(2)) : most > least ? 1 : 0;
    pool_give_back(pool, values);
}

/* The darkness of a value, from its rank and its ratio to the least; the rank counts for more. */
static double shade_of(const struct shades *shades, double value)
{
    const double least = shades->quantiles[0], most = shades->quantiles[RANKS];
    const double rank = (double)count_below(value, false, shades->quantiles, RANKS) / RANKS;
    return shades->reach * (2 * rank + square_share(value, least, most)) / 3;
}

/* --- layout --- */

/* All with as many decimals as the greatest has among three digits. */
static void number_text(const struct shades *shades, double value, char text[UNIT_TEXT])
{
    const double shown = value / shades->divisor, largest = fabs(shades->largest / shades->divisor);
    if (largest >= 1e6 || !isfinite(shown))
        figure_plain(shown, text);
    else
        snprintf(text, UNIT_TEXT, "%.*f", largest >= 100 ? 0 : largest >= 10 ? 1 : 2, shown);
}

static void range_text(const struct shades *shades, const struct pair_cell *cell,
                       char text[2 * UNIT_TEXT])
{
    char low[UNIT_TEXT], high[UNIT_TEXT];
    number_text(shades, (double)cell->least, low);
    number_text(shades, (double)cell->most, high);
    text[0] = '\0';
    if (strcmp(low, high) != 0)
        snprintf(text, 2 * UNIT_TEXT, "%.24s–%.24s", low, high);
}

/* Orders rows and columns so that a group's CPUs follow one another; without groups as they stand.
 */
static void put_in_order(struct map *map, const struct square *square, const struct square *groups,
                         struct pool *pool)
{
    size_t count = 0;
    const bool alike =
        square->rows && square->row_count == square->column_count &&
        memcmp(square->rows, square->columns, square->row_count * sizeof *square->rows) == 0;
    map->order = pool_alloc(pool, square->row_count + square->column_count + 1, sizeof(size_t));
    map->begins = pool_alloc(pool, square->row_count + square->column_count + 1, sizeof(bool));
    for (size_t g = 0; groups && alike && g < groups->row_count; g++) {
        struct cpulist cpus;
        const size_t first = count;
        if (cpulist_read(groups->labels[g], &cpus, pool, NULL) < 0)
            break;
        for (size_t r = 0; r < square->row_count && count < square->row_count; r++)
            if (cpulist_has(&cpus, square->rows[r]))
                map->order[count++] = r;
        map->begins[first] = true;
    }
    if (count == square->row_count)
        return;
    for (size_t i = 0; i < square->row_count + square->column_count; i++) {
        map->order[i] = i;
        map->begins[i] = false;
    }
}

static struct map map_of(const struct square *square, const struct square *groups,
                         const struct shades *shades, struct pool *pool)
{
    struct map map = {.square = square, .numbers = square->column_count <= NUMBERS_MOST};
    char text[2 * UNIT_TEXT];
    double widest = 0;
    put_in_order(&map, square, groups, pool);
    map.ranges = !square->rows;
    for (size_t i = 0; i < square->row_count * square->column_count && map.ranges; i++) {
        if (square->cells[i].kind != PAIR_VALUE)
            continue;
        range_text(shades, &square->cells[i], text);
        widest = fmax(widest, svg_text_width(text, 9));
    }
    number_text(shades, shades->largest, text);
    widest = fmax(widest, svg_text_width(text, 11));
    map.cell_width =
        map.numbers ? fmax(widest + 9, 25) : fmax(3, 700 / (double)square->column_count);
    map.cell_height = !map.numbers ? map.cell_width : map.ranges ? 34 : 23;
    char name[SQUARE_NAME];
    map.labels = 30;
    for (size_t r = 0; r < square->row_count && square->rows; r++)
        map.labels = fmax(map.labels, 12 + svg_text_width(square_row_name(square, r, name), 11));
    for (size_t r = 0; r < square->row_count && square->labels; r++)
        if (square->labels[r])
            map.labels = fmax(map.labels, 34 + svg_text_width(square->labels[r], 11));
    map.labels = fmin(map.labels, 260);
    return map;
}

/* The groups that are shown: the most that have room for numbers. */
static const struct square *groups_of(const struct matrix *matrix)
{
    for (size_t i = 0; i < matrix->grouping_count; i++)
        if (matrix->groupings[i]->row_count <= NUMBERS_MOST)
            return matrix->groupings[i];
    return matrix->grouping_count ? matrix->groupings[0] : NULL;
}

/* Calls for each map of the chart, in the order in which they are drawn. */
typedef void each_map(void *with, const struct map *, const struct block *, bool first);

static void walk(const struct chart *chart, const struct shades *shades, each_map *each, void *with)
{
    struct pool *pool = chart->report->pool;
    for (size_t b = 0; b < chart->count; b++) {
        const struct block *block = &chart->blocks[b];
        const struct square *square = block->matrix.square;
        const struct square *groups = groups_of(&block->matrix);
        if (!square || square->row_count * square->column_count > CELLS_MAX)
            continue;
        const size_t from = chart->show == MATRIX_ONE ? NUMBERS_MOST : GROUPS_FROM;
        const bool grouped =
            groups && square->row_count > from && groups->row_count <= NUMBERS_MOST;
        if (grouped) {
            const struct map map = map_of(groups, NULL, shades, pool);
            each(with, &map, block, true);
        }
        if (grouped && chart->show != MATRIX_WHOLE)
            continue;
        const struct map map = map_of(square, groups, shades, pool);
        each(with, &map, block, !grouped);
    }
}

static double map_height(const struct map *map)
{
    return TITLE + HEAD + map->cell_height * (double)map->square->row_count + GAP;
}

struct extent {
    double width, height;
};

static void measure(void *with, const struct map *map, const struct block *block, bool first)
{
    struct extent *extent = with;
    extent->width =
        fmax(extent->width, map->labels + map->cell_width * (double)map->square->column_count + 2);
    extent->height += map_height(map);
}

double matrices_size(const struct chart *chart, double *width)
{
    struct shades shades;
    struct extent extent = {0, KEY_HEIGHT};
    gather_shades(&shades, chart);
    walk(chart, &shades, measure, &extent);
    *width = fmax(extent.width, KEY_WIDTH);
    return extent.height;
}

/* --- drawing --- */

struct drawing {
    const struct canvas *canvas;
    const struct chart *chart;
    const struct shades *shades;
    double left, top;
};

static void put_names(const struct drawing *drawing, const struct map *map)
{
    FILE *out = drawing->canvas->out;
    const struct square *square = map->square;
    const double left = drawing->left + map->labels, top = drawing->top + TITLE + HEAD;
    char name[SQUARE_NAME];
    /* Every second, fourth, ... name where cells are narrow. */
    size_t step = 1;
    while ((double)step * fmin(map->cell_width, map->cell_height) < 14 ||
           (double)step * map->cell_width <
               8 + svg_text_width(square_column_name(square, square->column_count - 1, name), 11))
        step *= 2;
    for (size_t c = 0; c < square->column_count; c += step)
        svg_text(out, left + ((double)c + 0.5) * map->cell_width, top - 6, SVG_SOFT, 11, SVG_MIDDLE,
                 square_column_name(square, map->order[c], name));
    for (size_t r = 0; r < square->row_count; r += step) {
        const double y = top + ((double)r + 0.5) * map->cell_height + 4;
        const size_t row = map->order[r];
        if (square->labels && square->labels[row]) {
            svg_text(out, drawing->left + 26, y, SVG_SOFT, 11, SVG_START, square->labels[row]);
            svg_text(out, drawing->left + 16, y, SVG_INK, 11, SVG_END,
                     square_row_name(square, row, name));
        } else
            svg_text(out, left - 7, y, SVG_SOFT, 11, SVG_END, square_row_name(square, row, name));
    }
}

static void put_cell(const struct drawing *drawing, const struct map *map, double x, double y,
                     size_t row, size_t column)
{
    FILE *out = drawing->canvas->out;
    const struct square *square = map->square;
    const struct pair_cell *cell = &square->cells[row * square->column_count + column];
    if (cell->kind != PAIR_VALUE)
        return;
    const double share = shade_of(drawing->shades, (double)cell->value);
    char text[UNIT_TEXT];
    fprintf(out, "<g><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", x, y,
            map->cell_width - 1, map->cell_height - 1);
    put_colour(out, share);
    fputs("/>", out);
    if (drawing->canvas->read_out) {
        char from[SQUARE_NAME], to[SQUARE_NAME], range[2 * UNIT_TEXT], value[UNIT_TEXT];
        const struct shades *shades = drawing->shades;
        range_text(shades, cell, range);
        number_text(shades, (double)cell->value, value);
        html_print(drawing->canvas->out,
                   *range ? "<title>%s to %s: %s %s (%s)</title>"
                          : "<title>%s to %s: %s %s</title>",
                   square_row_name(map->square, row, from),
                   square_column_name(map->square, column, to), value, shades->unit, range);
    }
    number_text(drawing->shades, (double)cell->value, text);
    char range[2 * UNIT_TEXT] = "";
    if (map->ranges)
        range_text(drawing->shades, cell, range);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s%s</text>", x + map->cell_width / 2,
            y + map->cell_height / 2 + (*range ? -1 : 4), ink_on(share), cell->doubt ? "!" : "",
            text);
    if (*range)
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\" font-size=\"9\">%s</text>",
                x + map->cell_width / 2, y + map->cell_height / 2 + 11, ink_on(share), range);
    fputs("</g>\n", out);
}

/* Without numbers a colour is one path, however many cells have it. */
static void put_shades(const struct drawing *drawing, const struct map *map, double left,
                       double top)
{
    enum { BINS = 32 };
    FILE *out = drawing->canvas->out;
    const struct square *square = map->square;
    for (int bin = 0; bin <= BINS; bin++) {
        bool any = false;
        for (size_t r = 0; r < square->row_count; r++) {
            const size_t begin = map->order[r] * square->column_count;
            for (size_t c = 0, end; c < square->column_count; c = end) {
                for (end = c; end < square->column_count; end++) {
                    const struct pair_cell *cell = &square->cells[begin + map->order[end]];
                    if (cell->kind != PAIR_VALUE ||
                        lround(shade_of(drawing->shades, (double)cell->value) * BINS) != bin)
                        break;
                }
                if (end == c) {
                    end++;
                    continue;
                }
                if (!any) {
                    fprintf(out,
                            "<path shape-rendering=\"crispEdges\" transform=\"translate(%.1f "
                            "%.1f) scale(%.3f)\"",
                            left, top, map->cell_width);
                    put_colour(out, (double)bin / BINS);
                    fputs(" d=\"", out);
                }
                any = true;
                fprintf(out, "M%zu %zuh%zuv1H%zuz", c, r, end - c, c);
            }
        }
        fputs(any ? "\"/>\n" : "", out);
    }
}

/* Frames around the groups, on the diagonal. */
static void put_frames(const struct drawing *drawing, const struct map *map, double left,
                       double top, enum svg_ink ink, double width)
{
    FILE *out = drawing->canvas->out;
    const size_t count = map->square->row_count;
    bool any = false;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && !map->begins[end];)
            end++;
        if (!map->begins[first] || end - first < 2)
            continue;
        if (!any) {
            fputs("<path", out);
            svg_paint(out, SVG_NONE, ink);
            fprintf(out, " stroke-width=\"%g\" d=\"", width);
        }
        any = true;
        fprintf(out, "M%.1f %.1fh%.1fv%.1fh-%.1fz", left + (double)first * map->cell_width - 0.5,
                top + (double)first * map->cell_height - 0.5,
                (double)(end - first) * map->cell_width, (double)(end - first) * map->cell_height,
                (double)(end - first) * map->cell_width);
    }
    fputs(any ? "\"/>\n" : "", out);
}

static void put_map(void *with, const struct map *map, const struct block *block, bool first)
{
    struct drawing *drawing = with;
    FILE *out = drawing->canvas->out;
    const struct square *square = map->square;
    const double left = drawing->left + map->labels, top = drawing->top + TITLE + HEAD;
    struct line title = {0};
    if (drawing->chart->count > 1 && first)
        line_add_between(&title, "", block->matrix.label, ": ");
    line_add(&title, "%s, %s from row to column", square->rows ? "every pair" : "groups of CPUs",
             drawing->shades->unit);
    svg_text(out, drawing->left, drawing->top + 12, SVG_INK, 12, SVG_START, title.text);
    put_names(drawing, map);
    if (map->numbers) {
        fputs("<g font-size=\"11\" text-anchor=\"middle\">\n", out);
        for (size_t r = 0; r < square->row_count; r++)
            for (size_t c = 0; c < square->column_count; c++)
                put_cell(drawing, map, left + (double)c * map->cell_width,
                         top + (double)r * map->cell_height, map->order[r], map->order[c]);
        fputs("</g>\n", out);
    } else
        put_shades(drawing, map, left, top);
    put_frames(drawing, map, left, top, SVG_PAPER, 4); /* seen on dark cells, too */
    put_frames(drawing, map, left, top, SVG_INK, 1.5);
    drawing->top += map_height(map);
}

void matrices_put(const struct canvas *canvas, const struct chart *chart, double left, double top)
{
    enum { SAMPLE = 58 };
    FILE *out = canvas->out;
    struct shades shades;
    gather_shades(&shades, chart);
    struct drawing drawing = {canvas, chart, &shades, left, top};
    walk(chart, &shades, put_map, &drawing);
    /* What colours mean: values at five ranks. */
    fputs("<g font-size=\"11\" text-anchor=\"middle\">\n", out);
    for (int key = 0; key < KEYS; key++) {
        const double value = shades.quantiles[key * RANKS / (KEYS - 1)];
        const double share = shade_of(&shades, value), x = left + key * SAMPLE;
        char text[UNIT_TEXT];
        number_text(&shades, value, text);
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"18\"", x, drawing.top,
                SAMPLE);
        put_colour(out, share);
        fprintf(out, "/><text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>\n", x + SAMPLE / 2.0,
                drawing.top + 13, ink_on(share), text);
    }
    fputs("</g>\n", out);
    svg_text(out, left + KEYS * SAMPLE + 8, drawing.top + 13, SVG_SOFT, 11, SVG_START,
             "least, quartiles, most");
}
