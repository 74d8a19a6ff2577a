#include "show/report/grid.h"

#include <stdlib.h>

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

void grid_free(struct grid *grid)
{
    free(grid->rows);
    free(grid->columns);
    free(grid->row_places);
    free(grid->column_places);
    free(grid->cells);
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

bool grid_build(struct grid *grid, const struct series *series)
{
    size_t count = series->point_count;
    *grid = (struct grid){.row_places = malloc(count * sizeof(struct grid_place) + 1),
                          .column_places = malloc(count * sizeof(struct grid_place) + 1)};
    if (!grid->row_places || !grid->column_places)
        return false;
    for (size_t i = 0; i < count; i++) {
        grid->row_places[i] = (struct grid_place){series->points[i].from, i};
        grid->column_places[i] = (struct grid_place){series->points[i].to, i};
    }
    grid->row_count = sort_unique(grid->row_places, count);
    grid->column_count = sort_unique(grid->column_places, count);
    grid->rows = malloc(grid->row_count * sizeof(int) + 1);
    grid->columns = malloc(grid->column_count * sizeof(int) + 1);
    if (!grid->rows || !grid->columns)
        return false;
    number_all(grid, series);
    if (grid->row_count > (16 * count + 4096) / (grid->column_count + 1))
        return false;
    grid->cells = calloc(grid->row_count * grid->column_count + 1, sizeof(struct point *));
    for (size_t i = 0; grid->cells && i < count; i++) {
        size_t row = grid_row(grid, series->points[i].from);
        size_t column = grid_column(grid, series->points[i].to);
        grid->cells[row * grid->column_count + column] = &series->points[i];
    }
    return grid->cells != NULL;
}
