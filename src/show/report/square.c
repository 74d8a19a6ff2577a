/* The points of a matrix by row and column, and the cells that are shown of it: which pair stands
 * where, and what is shown where there is no value. */
#include "show/report/square.h"

#include "base/clean.h"
#include "document/flag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the grid --- */

/* Where an id stands. */
struct grid_place {
    int id;
    size_t at;
};

static int by_id(const void *a, const void *b)
{
    const struct grid_place *x = a, *y = b;
    if (x->id != y->id)
        return (x->id > y->id) - (x->id < y->id);
    return (x->at > y->at) - (x->at < y->at);
}

static int by_place(const void *a, const void *b)
{
    const struct grid_place *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static const struct grid_place *find_place(const struct grid_place *places, size_t count, int id)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (places[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && places[low].id == id ? &places[low] : NULL;
}

size_t grid_row(const struct grid *grid, int id)
{
    const struct grid_place *place = find_place(grid->row_places, grid->row_count, id);
    return place ? place->at : grid->row_count;
}

size_t grid_column(const struct grid *grid, int id)
{
    const struct grid_place *place = find_place(grid->column_places, grid->column_count, id);
    return place ? place->at : grid->column_count;
}

/* Each id once, ascending, with the number of the first point that it belongs to. */
static size_t sort_unique(struct grid_place *places, size_t count)
{
    size_t kept = 0;
    qsort(places, count, sizeof *places, by_id);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || places[kept - 1].id != places[i].id)
            places[kept++] = places[i];
    return kept;
}

/* Whether the points come row by row, and no column is none of the rows: then somebody has put the
 * rows in this order. */
static bool is_in_order(const struct grid *grid, const struct series *series)
{
    size_t runs = 0;
    for (size_t i = 0; i < series->point_count; i++)
        runs += i == 0 || series->points[i].from != series->points[i - 1].from;
    if (runs != grid->row_count)
        return false;
    for (size_t i = 0; i < grid->column_count; i++)
        if (!find_place(grid->row_places, grid->row_count, grid->column_places[i].id))
            return false;
    return true;
}

/* From where the ids first come to where they stand: in that order, or ascending. */
static void number_places(struct grid_place *places, int *ids, size_t count, bool ascending)
{
    if (!ascending)
        qsort(places, count, sizeof *places, by_place);
    for (size_t i = 0; i < count; i++) {
        ids[i] = places[i].id;
        places[i].at = i;
    }
    qsort(places, count, sizeof *places, by_id);
}

static void number_all(struct grid *grid, const struct series *series)
{
    const bool ordered = is_in_order(grid, series);
    number_places(grid->row_places, grid->rows, grid->row_count, !ordered);
    for (size_t i = 0; ordered && i < grid->column_count; i++)
        grid->column_places[i].at = grid_row(grid, grid->column_places[i].id);
    number_places(grid->column_places, grid->columns, grid->column_count, !ordered);
}

bool grid_build(struct grid *grid, const struct series *series, struct pool *pool)
{
    const size_t count = series->point_count;
    *grid = (struct grid){.row_places = pool_alloc(pool, count + 1, sizeof(struct grid_place)),
                          .column_places = pool_alloc(pool, count + 1, sizeof(struct grid_place))};
    for (size_t i = 0; i < count; i++) {
        grid->row_places[i] = (struct grid_place){series->points[i].from, i};
        grid->column_places[i] = (struct grid_place){series->points[i].to, i};
    }
    grid->row_count = sort_unique(grid->row_places, count);
    grid->column_count = sort_unique(grid->column_places, count);
    if (grid->row_count > (16 * count + 4096) / (grid->column_count + 1))
        return false;
    grid->rows = pool_alloc(pool, grid->row_count + 1, sizeof *grid->rows);
    grid->columns = pool_alloc(pool, grid->column_count + 1, sizeof *grid->columns);
    number_all(grid, series);
    grid->cells =
        pool_alloc(pool, grid->row_count * grid->column_count + 1, sizeof(struct point *));
    for (size_t i = 0; i < count; i++) {
        size_t row = grid_row(grid, series->points[i].from);
        size_t column = grid_column(grid, series->points[i].to);
        grid->cells[row * grid->column_count + column] = &series->points[i];
    }
    return true;
}

const struct point *grid_point(const struct grid *grid, int from, int to)
{
    const size_t row = grid_row(grid, from), column = grid_column(grid, to);
    const bool there = row < grid->row_count && column < grid->column_count;
    return there ? grid->cells[row * grid->column_count + column] : NULL;
}

/* --- the square --- */

/* Which cells of the square are shown. */
enum directions { EVERY_DIRECTION, ONE_WAY, LOWER_TRIANGLE };

static bool has_value(const struct point *point)
{
    return point && isfinite(point->y.median);
}

/* Whether each pair was measured in one direction only: then half of the square is no loss. */
static bool is_one_way(const struct grid *grid, const struct series *series)
{
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (has_value(point) && has_value(grid_point(grid, point->to, point->from)))
            return false;
    }
    return true;
}

/* Of a triangle the half below the diagonal, with the mean of both directions. */
static struct pair_cell show_cell(const struct grid *grid, size_t r, size_t c,
                                  enum directions which)
{
    int from = grid->rows[r], to = grid->columns[c];
    const struct point *there = grid->cells[r * grid->column_count + c], *back = NULL;
    if (from == to && !has_value(there))
        return (struct pair_cell){.kind = PAIR_ITSELF};
    if (which == LOWER_TRIANGLE && grid_row(grid, from) < grid_row(grid, to))
        return (struct pair_cell){.kind = PAIR_EMPTY};
    if (which != EVERY_DIRECTION)
        back = grid_point(grid, to, from);
    if (which == ONE_WAY && !has_value(there) && has_value(back))
        return (struct pair_cell){.kind = PAIR_EMPTY};
    if (!has_value(there) && !(which == LOWER_TRIANGLE && has_value(back)))
        return (struct pair_cell){.kind = PAIR_MISSING};
    struct pair_cell shown = {.kind = PAIR_VALUE};
    double value = 0;
    int count = 0;
    for (int side = 0; side < 1 + (which == LOWER_TRIANGLE); side++) {
        const struct point *point = side ? back : there;
        if (!has_value(point))
            continue;
        value += ((double)point->y.median - value) / ++count;
        shown.doubt = shown.doubt || flag_doubts(point->flags);
    }
    shown.value = shown.least = shown.most = (float)value;
    return shown;
}

enum { LABEL_MAX = 12 };

/* "0=c0.0 1=c0.1": an id and its label, with blanks between. Labels that are odd are none. */
static void read_labels(struct square *square, const struct grid *grid, const char *text,
                        struct pool *pool)
{
    bool any = false;
    square->labels = pool_alloc(pool, square->row_count + 1, sizeof *square->labels);
    while (*text) {
        const char *entry = text + strspn(text, " ");
        char *end, label[LABEL_MAX + 1], clean[LABEL_MAX + 1];
        const long id = strtol(entry, &end, 10);
        text = entry + strcspn(entry, " ");
        const size_t length = end < text ? (size_t)(text - end) - 1 : 0;
        if (end == entry || *end != '=' || id < 0 || id > 1 << 30 || length > LABEL_MAX)
            continue;
        memcpy(label, end + 1, length);
        label[length] = '\0';
        const size_t row = grid_row(grid, (int)id);
        if (row == square->row_count || square->labels[row])
            continue;
        square->labels[row] = pool_strdup(pool, clean_text(label, clean, sizeof clean));
        any = any || (square->labels[row] && length);
    }
    square->labels = any ? square->labels : NULL;
}

const struct square *square_of_series(struct pool *pool, const struct probe_result *probe,
                                      const struct series *series)
{
    struct grid grid;
    const struct factor *labels = probe_parameter(probe, "cpu_labels");
    if (!grid_build(&grid, series, pool))
        return NULL;
    const enum directions which = probe_parameter(probe, "triangle") ? LOWER_TRIANGLE
                                  : is_one_way(&grid, series)        ? ONE_WAY
                                                                     : EVERY_DIRECTION;
    const size_t cells = grid.row_count * grid.column_count;
    struct square *square = pool_alloc(pool, 1, sizeof *square);
    *square = (struct square){.both_ways = which == EVERY_DIRECTION,
                              .row_count = grid.row_count,
                              .column_count = grid.column_count,
                              .rows = grid.rows,
                              .columns = grid.columns,
                              .cells = pool_alloc(pool, cells + 1, sizeof *square->cells)};
    for (size_t i = 0; i < cells; i++) {
        struct pair_cell *cell = &square->cells[i];
        *cell = show_cell(&grid, i / grid.column_count, i % grid.column_count, which);
        cell->point = grid.cells[i];
        square->missing += cell->kind == PAIR_MISSING;
    }
    if (labels && labels->text)
        read_labels(square, &grid, labels->text, pool);
    pool_give_back(pool, grid.cells);
    return square;
}

static const char *name_of(const int *ids, size_t index, char text[SQUARE_NAME])
{
    enum { LETTERS = 26 };
    if (ids)
        snprintf(text, SQUARE_NAME, "%d", ids[index]);
    else if (index < LETTERS)
        snprintf(text, SQUARE_NAME, "%c", (int)('A' + index));
    else
        snprintf(text, SQUARE_NAME, "%c%c", (int)('A' + (index / LETTERS - 1) % LETTERS),
                 (int)('A' + index % LETTERS));
    return text;
}

const char *square_row_name(const struct square *square, size_t row, char text[SQUARE_NAME])
{
    return name_of(square->rows, row, text);
}

const char *square_column_name(const struct square *square, size_t column, char text[SQUARE_NAME])
{
    return name_of(square->columns, column, text);
}

static double reach_of(double least, double most)
{
    return fmax(log(most / least), log(1.25));
}

double square_share(double value, double least, double most)
{
    if (!(least > 0))
        return most > least ? (value - least) / (most - least) : 0;
    return log(value / least) / reach_of(least, most);
}

double square_value(double share, double least, double most)
{
    return least > 0 ? least * exp(share * reach_of(least, most)) : least + share * (most - least);
}

int square_decimals(double largest)
{
    return fabs(largest) >= 1000 ? 0 : fabs(largest) >= 10 ? 1 : 2;
}
