/* What the formats that hold latency curves share: rows become a series, a series is looked at. */
#ifndef FATHOM_IMPORT_CURVES_H
#define FATHOM_IMPORT_CURVES_H

#include "import/import.h"

struct curve_row {
    double bytes, ns, cycles; /* a latency that the table doesn't tell is NAN */
};

struct curve_rows {
    struct curve_row *list;
    size_t count;
    struct pool *pool;
};

/* Reads a positive, finite number that a table's field holds; 0 where it is none. */
double curve_number(const char *field);

/* ERROR_SYSTEM without memory. */
int curve_rows_add(struct curve_rows *, struct curve_row, struct error *);

/* Fills a series from rows in any order: ascending sizes, those that repeat as trials of one point.
 * The latency is in ns where any row has it, with cycles beside it where all have them, else in
 * cycles. Sorts the rows. ERROR_SYSTEM without memory. */
int curve_series(struct series *, struct curve_rows *, struct error *);

/* Makes `series` the document's latency probe, of which series[which] is to be looked at.
 * ERROR_SYSTEM without memory. */
int curve_probe(struct document *, const char *title, struct series *, size_t count, size_t which,
                struct error *);
/* Where a latency probe shows no levels once it is analysed, says why. */
void curve_explain(struct probe_result *);

/* Copies the next line of the text at *cursor, without its end and the blanks before that, and
 * steps over it. Where it does not fit `size` it is cut and not `whole`: then it may be passed
 * over, as a remark is, but nothing in it may be believed. False at the end. */
bool curve_line(const char **cursor, char *line, size_t size, bool *whole);
/* ERROR_USAGE: that line did not fit `size`. */
int curve_line_refuse(struct error *, const char *file, size_t number, size_t size);

#endif
