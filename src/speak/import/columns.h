/*
 * Finds what a table's columns hold from the names above them: the one table of units and names for
 * all formats. A name's words are runs of letters in either case: "size_kb", "Latency (ns)",
 * "avg_cycles", "LatencyNs", "GB/s".
 */
#pragma once

#include "speak/import/rows.h"

enum column_holds {
    COLUMN_UNKNOWN, /* the name has no known word */
    COLUMN_CPU,     /* one CPU, whichever it is */
    COLUMN_OTHER,   /* deviations, counts of iterations, labels: not read */
    COLUMN_SIZE,
    COLUMN_TIME, /* or cycles if the name has no unit */
    COLUMN_CYCLES,
    COLUMN_RATE, /* bytes a second */
    COLUMN_FROM, /* the core that measures */
    COLUMN_TO,   /* the core that answers */
    COLUMN_STRIDE,
    COLUMN_THREADS,
    COLUMN_READS, /* the share of reads, in % */
};

/* Of a column's several statistics the first in this order is read. */
enum column_statistic {
    STATISTIC_MEDIAN,
    STATISTIC_NONE,
    STATISTIC_MEAN,
    STATISTIC_MIN,
    STATISTIC_MAX
};
extern const char *const statistic_names[]; /* "median"; NULL for none */

struct column {
    enum column_holds holds;
    double unit; /* in bytes, ns, cycles or bytes/s; 0: the name has none */
    enum column_statistic statistic;
    bool latency; /* the name says latency or a synonym */
    size_t rank;  /* how many words decided `holds` */
};

/* Reads a column's name. */
struct column column_named(const struct field *name);
/* The unit of time (in ns) or of cycles that a remark such as "latency in us" names; `holds` is
 * COLUMN_UNKNOWN if it names none. */
struct column column_in_words(const char *text, size_t length);
/* Cuts the current line like rows_split(). If blanks separate the fields, a unit in brackets
 * belongs to the name before it: "Size (KB)". */
size_t columns_cut(struct rows *);
/* Whether all fields of the current line are names; there have to be at least two. */
bool columns_are_names(const struct rows *);
/* Adds the name to the list of columns that were not read. */
void column_unread(struct import_text *, const struct field *name);
