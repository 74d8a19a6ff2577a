/* A matrix as it is drawn: cells of numbers, of groups, or of colours. Not for use outside of
 * render/text. */
#ifndef FATHOM_RENDER_TEXT_MATRIX_H
#define FATHOM_RENDER_TEXT_MATRIX_H

#include "base/pool.h"
#include "render/parts.h"
#include "report/figure.h"

enum cell_kind {
    CELL_VALUE,
    CELL_ITSELF, /* a pair of one CPU with itself */
    CELL_EMPTY,  /* what another cell says already, or nobody wanted */
    CELL_MISSING /* what could not be measured */
};

struct pair_cell {
    float value, least, most; /* the same, where the cell is a single pair */
    unsigned char kind;
    bool doubt;
};

/* All that a drawing needs, in the unit of the series. */
struct square {
    const int *rows, *columns; /* ids; NULL: groups, named A, B, ... */
    const char **labels; /* of each row: where its CPU sits, or which CPUs a group has; or NULL */
    size_t row_count, column_count;
    struct pair_cell *cells; /* row by row */
    bool both_ways;          /* each direction of a pair has a cell of its own */
    size_t missing;          /* cells */
    struct pool pool;
};

/* Fills in the pairs of a series. With the probe's parameter "triangle" the cells below the
 * diagonal have the mean of both directions. `labels` of the parameter "cpu_labels", or NULL. False
 * without memory, or where the points are too scattered for a square; to be freed either way. */
bool square_build(struct square *, const struct probe_result *, const struct series *,
                  const char *labels);
/* The pairs of a square by the groups of CPUs that the probe's clusters form, in `most` groups at
 * most: medians, with least and most. A CPU that is in no cluster is a group of its own. False
 * where clusters form no such groups, or only one, or groups of two CPUs are rarer than single
 * ones. */
bool square_group(struct square *groups, const struct square *, const struct catalogue *,
                  const struct probe_result *, size_t most);
void square_free(struct square *);

/* --- matrix_clusters.c --- */

/* The CPUs of a cluster, which the caller frees. False, with none, where the finding is no cluster
 * or says nothing sensible of its CPUs. */
struct cpulist;
bool cluster_read(const struct catalogue_entry *, struct cpulist *);
/* Whether the one is a part of the other, and not all of it. */
bool cluster_is_within(const struct cpulist *inner, const struct cpulist *outer);

/* The least and the greatest value of a matrix, and the unit that they are shown in. */
struct values {
    double low, high;
    struct scale scale; /* its unit is inert */
};
/* From 0 for the least to 1 for the greatest. Differences below a quarter are shown as the small
 * ones they are and not stretched over all colours. */
double values_share(const struct values *, double value);
/* Digits that tell values of this size apart. */
int decimals_for(double largest);

/* As numbers, where they fit the width; of groups with their ranges, if these fit too. False, with
 * nothing written, where they don't fit. `absent` stands for pairs that have no value, "" or "x".
 */
bool square_print(FILE *, const struct square *, const struct values *, const char *absent,
                  const struct view_style *);
/* As colours or shades, several pairs in a cell where it takes that to fit the width, and what they
 * mean. */
void square_print_heat(FILE *, const struct square *, const struct values *,
                       const struct view_style *);

#endif
