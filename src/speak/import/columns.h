/*
 * What a table's columns hold, by the names above them: the one table of units and names for all
 * formats. Words are runs of letters, in capitals or not: "size_kb", "Latency (ns)", "avg_cycles",
 * "LatencyNs", "GB/s".
 */
#ifndef FATHOM_SPEAK_IMPORT_COLUMNS_H
#define FATHOM_SPEAK_IMPORT_COLUMNS_H

#include "speak/import/rows.h"

enum column_holds {
    COLUMN_UNKNOWN, /* no word of it is known */
    COLUMN_OTHER,   /* deviations, counts of iterations, labels: nothing that is read */
    COLUMN_SIZE,
    COLUMN_TIME, /* or cycles, where no unit is named */
    COLUMN_CYCLES,
    COLUMN_RATE, /* bytes a second */
    COLUMN_FROM, /* the CPU that measures */
    COLUMN_TO,   /* the core that answers */
    COLUMN_STRIDE,
    COLUMN_THREADS,
    COLUMN_READS, /* the share of reads, in % */
};

/* The better one of two statistics comes first. */
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
    double unit; /* in bytes, ns, cycles or bytes a second; 0: none is named */
    enum column_statistic statistic;
    bool latency; /* it is named so, or by another word for it */
    size_t rank;  /* how many words decided what it holds */
};

/* What a name says. */
struct column column_named(const struct field *name);
/* The unit of time (in ns) or of cycles that a remark names, like "latency in us": holds
 * COLUMN_UNKNOWN where there is none. */
struct column column_in_words(const char *text, size_t length);
/* Cuts the line at hand as rows_split() does; between blanks a unit in brackets belongs to the name
 * before it: "Size (KB)". */
size_t columns_cut(struct rows *);
/* Whether all fields of the line at hand are names, at least two. */
bool columns_are_names(const struct rows *);
/* Adds the name to the columns of which nothing was read. */
void column_unread(struct import_text *, const struct field *name);

#endif
