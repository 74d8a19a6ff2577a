/* The cells of a matrix: which pair stands where, and what is shown where there is no value. */
#include "show/report/square.h"

#include "base/clean.h"
#include "document/flag.h"
#include "show/report/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which cells of the square are shown. */
enum directions { EVERY_DIRECTION, ONE_WAY, LOWER_TRIANGLE };

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
        back = cell_at(grid, to, from);
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
    while (square->labels && *text) {
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

static int *copy_ids(struct pool *pool, const int *ids, size_t count)
{
    int *copy = pool_alloc(pool, count + 1, sizeof *copy);
    return copy ? memcpy(copy, ids, count * sizeof *copy) : NULL;
}

static bool fill(struct square *square, const struct grid *grid, enum directions which,
                 struct pool *pool)
{
    square->both_ways = which == EVERY_DIRECTION;
    square->row_count = grid->row_count;
    square->column_count = grid->column_count;
    square->rows = copy_ids(pool, grid->rows, grid->row_count);
    square->columns = copy_ids(pool, grid->columns, grid->column_count);
    square->cells =
        pool_alloc(pool, grid->row_count * grid->column_count + 1, sizeof *square->cells);
    if (!square->rows || !square->columns || !square->cells)
        return false;
    struct pair_cell *cell = square->cells;
    for (size_t r = 0; r < grid->row_count; r++)
        for (size_t c = 0; c < grid->column_count; c++, cell++) {
            *cell = show_cell(grid, r, c, which);
            cell->point = grid->cells[r * grid->column_count + c];
            square->missing += cell->kind == PAIR_MISSING;
        }
    return true;
}

const struct square *square_of_series(struct pool *pool, const struct probe_result *probe,
                                      const struct series *series)
{
    struct grid grid;
    struct square *square = pool_alloc(pool, 1, sizeof *square);
    const struct factor *labels = probe_parameter(probe, "cpu_labels");
    bool built = square && grid_build(&grid, series);
    if (built)
        built = fill(square, &grid,
                     probe_parameter(probe, "triangle") ? LOWER_TRIANGLE
                     : is_one_way(&grid, series)        ? ONE_WAY
                                                        : EVERY_DIRECTION,
                     pool);
    if (built && labels && labels->text)
        read_labels(square, &grid, labels->text, pool);
    if (square)
        grid_free(&grid);
    return built ? square : NULL;
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
