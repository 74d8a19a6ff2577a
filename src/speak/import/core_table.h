/*
 * Reads a table of core-to-core latencies into a square matrix. For core_*.c only. The functions
 * leave the step of the text's pool with ERROR_USAGE and the line's number if the text is no such
 * table.
 */
#pragma once

#include "speak/import/columns.h"

enum core_ids { CORE_IDS_AUTO, CORE_IDS_YES, CORE_IDS_NO };

struct core_table {
    size_t n;
    int *ids;           /* of the rows and of the columns */
    double *latency;    /* n * n, row by row; NAN: the cell has no value */
    const char *model;  /* the processor's name; NULL: unknown */
    const char *op;     /* the operation, by fathom's name; NULL: unknown */
    struct column unit; /* of the latencies; COLUMN_UNKNOWN: the table has none */
};

struct core_row {
    size_t line; /* from 1 */
    struct field *cells;
    size_t count;
};

enum core_shape {
    CORE_NOTHING,
    CORE_SEPARATED, /* a square or triangle whose cells have separators */
    CORE_BLANKS,    /* a line of ids above rows; a cell's column is its position */
    CORE_TRIPLES,   /* each row is two ids and a latency */
};

struct core_rows {
    enum core_shape shape;
    struct core_row *list;
    size_t count;
    const char *model, *op;
    struct column unit;
};

/* Whether a cell says that it has no value. */
bool core_cell_is_empty(const struct field *);

void core_table_read(struct core_table *, const struct core_rows *, const struct import_text *,
                     enum core_ids);
