/*
 * Turns the numbers of a table into series and findings. A reader adds each number with its kind;
 * tables_end() makes series and findings of all. Numbers of one kind and position are trials of one
 * point, so several runs of a tool in one file become one table with intervals.
 */
#pragma once

#include "speak/import/rows.h"

enum { TABLE_FACTORS = 5 };

/* The kind of a number. Names, titles, units and axes are constants; the factors' texts and the
 * finding's name are copied. */
struct table_kind {
    const char *probe, *title;
    const struct series *series;          /* name, axes, curve or matrix; NULL: a finding */
    const char *finding, *unit;           /* of a finding, if `series` is NULL */
    struct factor factors[TABLE_FACTORS]; /* end at the first without a name */
    bool headline; /* shown on the first screen; tables_end() chooses a series if none of the probe
                      has it */
    bool said;     /* the text names the unit, so latencies may be as long as a GPU's */
};

struct table_number {
    double x;     /* of a curve */
    int from, to; /* of a matrix */
    double value; /* in the unit of the series' y or of the finding; ns if that may be ns or cycles;
                     NAN: absent */
    double cycles; /* in addition to `value`, or alone if that is NAN; NAN: unknown */
};

/* Latency by the bandwidth of other threads; matrices between nodes. */
extern const struct series table_loaded, table_node_latency, table_node_bandwidth;

struct table_entry;

struct tables {
    struct document *document;
    const struct rows *rows; /* messages name its current line */
    struct table_kind *kinds;
    struct table_entry *entries;
    size_t kind_count, count;   /* `count`: numbers that were added */
    const char *statistic;      /* the format's; a reader may know better */
    const char *where;          /* of a JSON document: the current value's keys, for messages */
    bool takes_unit;            /* the format takes --unit */
    size_t values, least, most; /* after tables_end(): points and findings, and their trials */
};

/* Adds a factor unless the text is "" or NULL, or the number is not above 0. */
void kind_add_text(struct table_kind *, const char *name, const char *text);
void kind_add_number(struct table_kind *, const char *name, double number);

/* The tables_*() functions leave the step of the document's pool: for lack of memory, and with
 * ERROR_USAGE for what is no number, and for a number outside the possible range of its quantity,
 * which is then in another unit or damaged. */
void tables_add(struct tables *, const struct table_kind *, struct table_number);
/* Adds a point of a curve. */
void tables_add_point(struct tables *, const struct table_kind *, double x, double value);
/* Adds a point of latency by working set to the probe "latency"; of `kind` only factors and title
 * are used. */
void tables_add_latency(struct tables *, struct table_kind kind, double bytes, double ns,
                        double cycles);
/* Adds a cell of a matrix. */
void tables_add_cell(struct tables *, const struct table_kind *, int from, int to, double value);
/* Adds a trial of a finding. */
void tables_add_value(struct tables *, const struct table_kind *, double value);
/* Refuses a value in that unit outside the possible range of its quantity; `x` is a curve's. NAN
 * passes. */
void tables_check(const struct tables *, const struct table_kind *, const char *unit, double value,
                  double x);
/* Makes series and findings of all numbers, in the order of each kind's first number. Curves are
 * sorted by x, matrices by from and to. A curve without any `value` is in cycles. */
void tables_end(struct tables *);

/* The document's GPU with that number; added if it is not there. */
struct gpu_facts *table_gpu(struct document *, int id);

/* --- for formats that build their own series --- */

/* Adds a copy of `model` to the probe; the caller adds points and factors in the document's pool.
 */
struct series *table_series(struct document *, struct probe_result *, const struct series *model);
