/*
 * From the numbers of a table to the document. A reader adds one number after another and says of
 * what kind it is; tables_end() makes series and findings of all of them. Numbers of one kind and
 * place are trials of one point, so a tool that was run several times into one file becomes one
 * table with intervals.
 */
#ifndef FATHOM_SPEAK_IMPORT_TABLES_H
#define FATHOM_SPEAK_IMPORT_TABLES_H

#include "speak/import/rows.h"

enum { TABLE_FACTORS = 5 };

/* What a number is of. Names, titles, units and axes are constants; the factors' texts are copied.
 */
struct table_kind {
    const char *probe, *title;
    const struct series *series;          /* its name, axes and whether it is a matrix; NULL: */
    const char *finding, *unit;           /* it is a finding of that name, which is copied too */
    struct factor factors[TABLE_FACTORS]; /* up to the first without a name */
    bool headline; /* a series to be looked at; where there is none in a probe, one is chosen */
    const char
        *statistic; /* of a finding: what the tool prints of its trials ("best"); NULL: unknown */
    bool said;      /* the text names the unit: latencies may be those of a GPU */
};

struct table_number {
    double x;      /* of a curve */
    int from, to;  /* of a matrix */
    double value;  /* in the unit of the series' y or of the finding; ns where that may be either */
    double cycles; /* beside it, or instead where `value` is NAN; NAN: unknown */
};

/* Latency by the bandwidth that others take; matrices between nodes. */
extern const struct series table_loaded, table_node_latency, table_node_bandwidth;

struct table_entry;

struct tables {
    struct document *document;
    const struct rows *rows; /* whose line at hand a message names */
    struct table_kind *kinds;
    struct table_entry *entries;
    size_t kind_count, count; /* of numbers that were added */
};

/* Adds a factor where there is something to say: a text that is not "" or NULL, a number above 0.
 */
void kind_add_text(struct table_kind *, const char *name, const char *text);
void kind_add_number(struct table_kind *, const char *name, double number);

/* All of these leave the step of the document's pool: without memory, and with ERROR_USAGE for a
 * number that lies outside of all that there can be of its quantity: it is in another unit. */
void tables_add(struct tables *, const struct table_kind *, struct table_number);
/* The same for a point of a curve. */
void tables_add_point(struct tables *, const struct table_kind *, double x, double value);
/* The same for a point of the latency by working set in the probe "latency"; `kind` needs factors
 * and the title alone. */
void tables_add_latency(struct tables *, struct table_kind kind, double bytes, double ns,
                        double cycles);
/* The same for a cell of a matrix. */
void tables_add_cell(struct tables *, const struct table_kind *, int from, int to, double value);
/* The same for a finding with one value. */
void tables_add_value(struct tables *, const struct table_kind *, double value);
/* Makes series and findings of all that was added, in the order of their kinds' first numbers.
 * Curves are ordered by x, matrices by from and to. A curve whose `value`s are all absent is in
 * cycles. */
void tables_end(struct tables *);

/* The document's GPU of that number, which is added where there is none. */
struct gpu_facts *table_gpu(struct document *, int id);

/* --- for formats that make their series themselves --- */

/* The probe of that name, which is added where there is none. Both texts are constants. */
struct probe_result *table_probe(struct document *, const char *name, const char *title);
/* A series without points, in the document's pool: a copy of `model` except for its factors. */
struct series *table_series(struct document *, struct probe_result *, const struct series *model);

#endif
