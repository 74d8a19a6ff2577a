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

/* --- core_rows.c cuts the text --- */

/* Cuts the next table into rows, without empty lines and remarks, and leaves the lines behind it.
 * After the first table, which still stands in *rows: CORE_NOTHING where there is none. */
void core_rows_read(struct core_rows *, struct rows *lines);
/* How sure it is that there are tables by blanks, with a line of ids above rows that begin with
 * one, or triples, with or without names of two cores and of what lies between them above. */
enum import_certainty core_rows_recognise(struct rows *lines);
/* Whether a cell says that there is nothing. */
bool core_cell_is_empty(const struct field *);

/* --- core_table.c finds the square --- */

void core_table_read(struct core_table *, const struct core_rows *, const struct import_text *,
                     enum core_ids);

/* As struct import_format's begin(): core_matrix.c. */
struct reading;
void core_matrix_read(struct reading *);

#endif
