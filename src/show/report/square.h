/* A matrix by row and column, and as cells of pairs or of groups of CPUs: what of it is shown
 * where, before anybody draws it. Not for use outside of report and render. */
#ifndef FATHOM_SHOW_REPORT_SQUARE_H
#define FATHOM_SHOW_REPORT_SQUARE_H

#include "base/pool.h"
#include "conclude/registry/catalogue.h"

/* The points of a matrix by row and column. Ids that nothing was measured for have none. */
struct grid {
    int *rows, *columns; /* ids in the order of the points where these come row by row and every
                            column is a row; else ascending */
    size_t row_count, column_count;
    const struct point **cells;                    /* row by row; NULL where there is no point */
    struct grid_place *row_places, *column_places; /* by id: where each stands */
};
/* In the pool. False where the points are too scattered for a matrix. */
bool grid_build(struct grid *, const struct series *, struct pool *);
/* Where an id stands among the rows or columns; their count where it does not. */
size_t grid_row(const struct grid *, int id);
size_t grid_column(const struct grid *, int id);
/* The point from one id to another; NULL where there is none. */
const struct point *grid_point(const struct grid *, int from, int to);

enum pair_kind {
    PAIR_VALUE,
    PAIR_ITSELF, /* of one CPU with itself */
    PAIR_EMPTY,  /* what another cell says already, or what was not asked for */
    PAIR_MISSING /* what could not be measured */
};

struct pair_cell {
    float value, least, most; /* the same, where the cell is a single pair */
    unsigned char kind;
    bool doubt;
    const struct point *point; /* as it was measured in this direction; NULL where it was not */
};

struct square {
    const int *rows, *columns; /* ids; NULL: groups, named A, B, ... */
    const char **labels; /* of each row: where its CPU sits, or which CPUs a group has; or NULL */
    size_t row_count, column_count;
    struct pair_cell *cells; /* row by row, in the unit of the series */
    bool both_ways;          /* each direction of a pair has a cell of its own */
    size_t missing;          /* pairs */
};

/* Fills in the pairs of a series. With the probe's parameter "triangle" the cells below the
 * diagonal have the mean of both directions; its parameter "cpu_labels" ("0=c0.0 1=c0.1") says
 * where each CPU sits. NULL where the points are too scattered for a square. */
const struct square *square_of_series(struct pool *, const struct probe_result *,
                                      const struct series *);
/* The pairs of a square by the groups of CPUs that the probe's clusters form: medians, with least
 * and most. One square for each depth of clusters within clusters, the one of most groups first;
 * none of more groups than half as many as there are CPUs, nor of one group alone. A CPU that is in
 * no cluster is a group of its own. Returns how many there are. */
enum { SQUARE_GROUPINGS_MAX = 8 };
size_t square_groupings(struct pool *, const struct square *,
                        const struct catalogue_entry *findings, size_t count,
                        const struct square *groupings[SQUARE_GROUPINGS_MAX]);

enum { SQUARE_NAME = 16 };
/* A CPU's number, or a group's letter: A to Z, AA to ZZ. */
const char *square_row_name(const struct square *, size_t row, char text[SQUARE_NAME]);
const char *square_column_name(const struct square *, size_t column, char text[SQUARE_NAME]);

/* --- clusters --- */

struct cpulist;
/* The CPUs of a cluster, in the pool. False where the finding is no cluster or says nothing
 * sensible of its CPUs. */
bool cluster_read(const struct catalogue_entry *, struct cpulist *, struct pool *);
/* Whether the one is a part of the other, and not all of it. */
bool cluster_is_within(const struct cpulist *inner, const struct cpulist *outer);

/* From 0 for the least value of a matrix to 1 for the greatest, as colours show it. Differences
 * below a quarter are shown as the small ones they are and not stretched over all colours. */
double square_share(double value, double least, double most);
/* The value of such a share. */
double square_value(double share, double least, double most);
/* Digits behind the point that tell values of this size apart. */
int square_decimals(double largest);

#endif
