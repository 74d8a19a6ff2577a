/* The columns of the CSV: those that every document has, and one for each factor's name. */
#ifndef FATHOM_SHOW_RENDER_CSV_COLUMNS_H
#define FATHOM_SHOW_RENDER_CSV_COLUMNS_H

#include "document/document.h"

/* As they stand in the first line. */
extern const char csv_fixed_columns[];

struct csv_column {
    const char *name;   /* of the factor; not made inert */
    const char *prefix; /* "factor_" where the name alone is another column's, or looks like one */
};

struct csv_columns {
    struct csv_column *list; /* as the factors first occur: of series and findings alike */
    size_t count;
    const struct csv_place *places; /* the same by name */
};

/* How many factors a cell that stands in `rows` rows holds, and how many columns a table of `rows`
 * rows has: all of them, unless another person's document makes millions of cells of a few
 * bytes. */
size_t csv_factors_most(size_t rows);

/* In the pool. False without memory. */
bool csv_columns_collect(struct csv_columns *, const struct document *, struct pool *);
/* Puts each factor that has a column into its cell; and takes it out again. */
void csv_columns_fill(const struct csv_columns *, const struct factor **cells,
                      const struct factor *, size_t count);
void csv_columns_clear(const struct csv_columns *, const struct factor **cells,
                       const struct factor *, size_t count);

#endif
