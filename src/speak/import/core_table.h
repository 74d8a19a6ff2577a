/* The square behind a table of latencies between cores. Not for use outside of core_matrix.c. */
#ifndef FATHOM_SPEAK_IMPORT_CORE_TABLE_H
#define FATHOM_SPEAK_IMPORT_CORE_TABLE_H

#include "speak/import/rows.h"

#include <stdbool.h>

enum core_ids { CORE_IDS_AUTO, CORE_IDS_YES, CORE_IDS_NO };

struct core_table {
    size_t n;
    int *ids;          /* of rows and columns */
    double *latency;   /* n * n, row by row; NAN where the table has nothing */
    const char *model; /* the processor's name; NULL where it isn't known */
    const char *op;    /* what was measured, as fathom calls it; NULL where it isn't known */
    bool cycles;       /* the table says that the latencies are in cycles */
};

/* All tables of a text, at least one, in the pool; ERROR_USAGE with the line's number for what is
 * no such table. */
int core_tables_read(struct core_table **tables, size_t *count, struct pool *, struct import_text *,
                     int ids, struct error *);

/* --- the steps: core_rows.c cuts the text, core_table.c and core_triples.c find the shape --- */

struct core_row {
    size_t line; /* counted from 1 */
    struct field *cells;
    size_t count;
};

struct core_rows {
    struct core_row *list; /* of a table by blanks: the line of ids and what follows */
    size_t count;
    bool blanks;  /* cells stand apart by blanks, and where they stand shows what they are */
    bool triples; /* each row is two ids and their latency */
    const char *model, *op;
    bool cycles; /* the names above triples say so */
};

/* Cuts the next table into rows, without empty lines and remarks, and leaves the lines behind it.
 * After the first table: no rows where there is none. */
int core_rows_read(struct core_rows *, struct pool *, struct rows *lines, struct error *);
/* How sure it is that there are tables by blanks, with a line of ids above rows that begin with
 * one, or triples, with or without names of two cores and of what lies between them above. */
enum import_certainty core_rows_recognise(struct rows *lines);
/* Whether a cell says that there is nothing. */
bool core_cell_is_empty(const struct field *);
/* The latency in a cell, NAN where there is none; ERROR_USAGE for what can't be one. */
int core_cell_latency(const struct field *, const struct core_row *, const char *file,
                      double *value, struct error *);
/* A square of n rows with nothing in it and ids from 0; ERROR_USAGE for too many or too few. */
int core_table_begin(struct core_table *, struct pool *, size_t n, size_t line, const char *file,
                     struct error *);
/* The table of rows that are triples. */
int core_triples_read(struct core_table *, struct pool *, const struct core_rows *,
                      const char *file, struct error *);

/* As struct import_format's read(): core_matrix.c. */
int core_matrix_read(struct import_text *, const struct settings *, struct document *,
                     struct error *);

#endif
