/*
 * The square behind a table of latencies between cores. Not for use outside of core_*.c. All leave
 * the step of the text's pool, with ERROR_USAGE and the line's number for what is no such table.
 */
#ifndef FATHOM_SPEAK_IMPORT_CORE_TABLE_H
#define FATHOM_SPEAK_IMPORT_CORE_TABLE_H

#include "speak/import/columns.h"

enum core_ids { CORE_IDS_AUTO, CORE_IDS_YES, CORE_IDS_NO };

struct core_table {
    size_t n;
    int *ids;           /* of rows and columns */
    double *latency;    /* n * n, row by row; NAN where the table has nothing */
    const char *model;  /* the processor's name; NULL where it isn't known */
    const char *op;     /* what was measured, as fathom calls it; NULL where it isn't known */
    struct column unit; /* of the latencies, as the table says; COLUMN_UNKNOWN */
};

struct core_row {
    size_t line; /* counted from 1 */
    struct field *cells;
    size_t count;
};

enum core_shape {
    CORE_NOTHING,
    CORE_SEPARATED, /* a square or a triangle by separators */
    CORE_BLANKS,    /* a line of ids and rows by blanks, where a cell stands shows what it is */
    CORE_TRIPLES,   /* each row is two ids and their latency */
};

struct core_rows {
    enum core_shape shape;
    struct core_row *list;
    size_t count;
    const char *model, *op;
    struct column unit;
};

/* Whether a cell says that there is nothing. */
bool core_cell_is_empty(const struct field *);

void core_table_read(struct core_table *, const struct core_rows *, const struct import_text *,
                     enum core_ids);

#endif
