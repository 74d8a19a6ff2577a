/* The points of a matrix by row and column. */
#ifndef FATHOM_SHOW_REPORT_GRID_H
#define FATHOM_SHOW_REPORT_GRID_H

#include "document/document.h"

/* Ids that nothing was measured for have no row or column. */
struct grid {
    int *rows, *columns; /* ids in the order of the points where these come row by row and every
                            column is a row; else ascending */
    size_t row_count, column_count;
    const struct point **cells;                    /* row by row; NULL where there is no point */
    struct grid_place *row_places, *column_places; /* by id: where each stands */
};
/* False where the points are too scattered for a matrix, or there is no memory for one; to be freed
 * either way. */
bool grid_build(struct grid *, const struct series *);
void grid_free(struct grid *);
/* Where an id stands among the rows or columns; their count where it does not. */
size_t grid_row(const struct grid *, int id);
size_t grid_column(const struct grid *, int id);

#endif
