/* Which columns of a table a terminal shows, and how wide they are. Not for use outside of the
 * drawing of tables. */
#ifndef FATHOM_SHOW_RENDER_TEXT_TABLE_LAYOUT_H
#define FATHOM_SHOW_RENDER_TEXT_TABLE_LAYOUT_H

#include "show/report/blocks.h"

enum {
    TABLE_COLUMNS_MAX = 64,
    TABLE_MARGIN = 2,
    TABLE_DEPTH = 2,   /* how far in a row of a tree stands below the one that holds it */
    TABLE_MARK = 2,    /* of a doubt, behind a row */
    TABLE_STACKED = 4, /* how far in figures begin below a text of their own */
    TABLE_WORDS = 12   /* columns that texts which are wrapped have at least */
};

struct table_layout {
    const struct table *table;
    size_t count, width;
    /* Columns of a figure or text, and of its unit; 0: the figure has its unit. */
    size_t figure[TABLE_COLUMNS_MAX], unit[TABLE_COLUMNS_MAX];
    bool left_out[TABLE_COLUMNS_MAX];
    size_t last_measured; /* the interval stands behind it; TABLE_COLUMNS_MAX: there is none */
    size_t interval;      /* columns */
    size_t wrapped;       /* the last column, of texts; TABLE_COLUMNS_MAX: there is none */
    bool doubted[TABLE_COLUMNS_MAX]; /* the mark of a doubt stands behind it, in some row */
    bool any_doubt;
    size_t gap;   /* before a column */
    bool stacked; /* the first column has lines of its own */
};

/* What does not fit the width first loses the columns that are there for company, then its blanks,
 * then columns by their rank; then the first column has lines of its own. */
void table_lay_out(struct table_layout *, const struct table *, size_t width);
/* Whether no line is longer than the width: otherwise the columns stand in parts. */
bool table_fits(const struct table_layout *);
/* Behind the last column of a part that begins with that one. */
size_t table_part_end(const struct table_layout *, size_t from);
/* Columns of a column that is shown, and of the blank before it. */
size_t table_column_width(const struct table_layout *, size_t column);
size_t table_column_gap(const struct table_layout *, size_t column);
/* A cell's figure and unit, each inert. */
void table_split(const struct table *, const struct row *, size_t column, char figure[CELL_TEXT],
                 char unit[CELL_TEXT]);
/* "+-0.4 %": the widest interval of what was measured in the row; "" where there is none. */
const char *table_interval(const struct table_layout *, const struct row *, char text[CELL_TEXT]);

#endif
