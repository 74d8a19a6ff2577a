/* A matrix by row and column, and its cells by pairs or by groups of CPUs, as all outputs show it.
 * Not for use outside of report and render. */
#pragma once

#include "base/pool.h"
#include "conclude/registry/catalogue.h"

/* The points of a matrix by row and column. Ids without a measurement have no row or column. */
struct grid {
    int *rows, *columns; /* ids in the order of the points if these come row by row and every column
                            is also a row; else ascending */
    size_t row_count, column_count;
    const struct point **cells;                    /* row by row; NULL: no point */
    struct grid_place *row_places, *column_places; /* sorted by id: index of each */
};
/* Builds it in the pool. False: the points are too scattered for a matrix. */
bool grid_build(struct grid *, const struct series *, struct pool *);
/* Index of an id among the rows or columns; their count if it is not there. */
size_t grid_row(const struct grid *, int id);
size_t grid_column(const struct grid *, int id);
/* The point from one id to another; NULL: none. */
const struct point *grid_point(const struct grid *, int from, int to);

enum pair_kind {
    PAIR_VALUE,
    PAIR_ITSELF, /* a CPU with itself */
    PAIR_EMPTY,  /* another cell shows it, or it was not requested */
    PAIR_MISSING /* could not be measured */
};

struct pair_cell {
    float value, least, most; /* all equal where the cell is a single pair */
    unsigned char kind;
    bool doubt;
    const struct point *point; /* measured in this direction; NULL: none */
};

struct square {
    const int *rows, *columns; /* ids; NULL: groups, named A, B, ... */
    const char **labels; /* for each row: the CPU's position or the group's CPUs; NULL: none */
    size_t row_count, column_count;
    struct pair_cell *cells; /* row by row, in the unit of the series */
    bool both_ways;          /* the two directions of a pair are separate cells */
    size_t missing;          /* number of pairs that could not be measured */
};

/* The pairs of a series. With the probe's parameter "triangle", the cells below the diagonal have
 * the mean of both directions; its parameter "cpu_labels" ("0=c0.0 1=c0.1") has each CPU's
 * position. NULL: the points are too scattered for a square. */
const struct square *square_of_series(struct pool *, const struct probe_result *,
                                      const struct series *);
/* The clusters of a probe's findings, of the first experiment only. */
struct nest;
const struct nest *square_nest(struct pool *, const struct catalogue_entry *findings, size_t count);
/* A square's pairs by the groups of CPUs that these clusters form: medians, with least and
 * greatest value. One square for each nesting depth of clusters, the one with the most groups
 * first; none with more than half as many groups as CPUs, and none with a single group. A CPU
 * outside every cluster is a group of its own. Returns their number. */
enum { SQUARE_GROUPINGS_MAX = 8 };
size_t square_groupings(struct pool *, const struct square *, const struct nest *,
                        const struct square *groupings[SQUARE_GROUPINGS_MAX]);

enum { SQUARE_NAME = 16 };
/* A CPU's number, or a group's letter: A to Z, AA to ZZ. */
const char *square_row_name(const struct square *, size_t row, char text[SQUARE_NAME]);
const char *square_column_name(const struct square *, size_t column, char text[SQUARE_NAME]);

/* --- clusters --- */

struct cpulist;
/* The CPUs of a cluster, in the pool. False: the finding is no cluster, or its list of CPUs is
 * implausible. */
bool cluster_read(const struct catalogue_entry *, struct cpulist *, struct pool *);
/* Whether `inner` is a proper subset of `outer`. */
bool cluster_is_within(const struct cpulist *inner, const struct cpulist *outer);

/* A value's colour, from 0 for the matrix's least value to 1, on a logarithmic scale that spans at
 * least a factor of 1.25, so small differences look small; linear if the least value is not
 * positive. */
double square_share(double value, double least, double most);
/* Decimals that distinguish values of this size. */
int square_decimals(double largest);
