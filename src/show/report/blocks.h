/*
 * The report: what documents say, as a list of blocks that every output draws in its own way.
 *
 * Building a report decides what is said: which findings, in which order, how many of them, and in
 * which words. Drawing decides what that looks like: columns, wrapping, colours, tags. No output
 * counts, chooses or words anything, so two outputs of one document say the same.
 *
 * Texts are a document's, or are made of a document's: whoever draws them makes them inert
 * (base/clean.h) and escapes them for where they stand. Texts, tables and lists live in the
 * report's pool; series, findings and documents are pointed to and must outlive it.
 */
#ifndef FATHOM_SHOW_REPORT_BLOCKS_H
#define FATHOM_SHOW_REPORT_BLOCKS_H

#include "base/line.h"
#include "compare/differences.h"
#include "conclude/registry/catalogue.h"
#include "show/report/square.h"

enum { MATRIX_OTHERS_MAX = 3 };

enum block_kind {
    BLOCK_VERDICT,
    BLOCK_HEADING,
    BLOCK_FACTS,
    BLOCK_TABLE,
    BLOCK_CURVE,
    BLOCK_MATRIX,
    BLOCK_DIFFERENCES,
    BLOCK_NOTE,
};

/* Where a block belongs: an output that has another order than the list's picks by this. */
enum section {
    SECTION_MACHINE, /* what the document is of, and how far it can be trusted */
    SECTION_DEPTH,   /* levels and address translation of the CPUs */
    SECTION_WIDTH,   /* bandwidth, misses in flight, latency beside traffic */
    SECTION_DEVICE,  /* what one device is, and its depth, width and roads */
    SECTION_RESULTS, /* series */
    SECTION_FINDINGS,
    SECTION_KNOW, /* what has to be known to trust the numbers */
    SECTION_DIFFERENCES,
    SECTION_CHARTS, /* every series, those that can be compared in one chart */
};

/* --- cells: texts, and numbers that each output may format as it likes --- */

enum form {
    FORM_TEXT,     /* `text`; a NULL one is an empty cell, as is a cell of zeroes */
    FORM_VALUE,    /* the figure with its unit, in the size that people read: "48 KiB" */
    FORM_MEASURED, /* the same in the document's own unit, "5.00 cycles", and with its interval */
    FORM_NUMBER,   /* the figure alone, over the divisor of its unit: the column has the unit */
    FORM_WHOLE,    /* "64" */
    FORM_PLACE,    /* where on its axis a point lies: "48 KiB", "2" */
    FORM_PERCENT,  /* half of the interval's width in percent of the value: "0.4" */
};

struct cell {
    enum form form;
    const char *text;
    double value, low, high; /* in `unit`; NAN: none. A value that is not finite is shown as "-" */
    const char *unit;
    unsigned flags;
    const struct finding *finding; /* that it was taken from; NULL */
    bool stands_out;               /* it is what the table is looked at for */
};

enum { CELL_TEXT = 128 };
/* What an output shows that has no wish of its own, inert: "5.00 cycles", without the interval. */
char *cell_text(const struct cell *, char text[CELL_TEXT]);
struct cell cell_of_text(const char *text);
/* A finding's value with its interval; an empty cell where it is NULL. */
struct cell cell_of_finding(const struct finding *, enum form);
/* Its value without neighbours where that is known. */
struct cell cell_of_quiet(const struct finding *, enum form);
struct cell cell_of_value(double value, const char *unit, enum form);

/* How far a value lies from another, by their ratio: "+1.2 %", from tenfold on "× 12.3"; "" where
 * it is unknown. */
char *change_text(double ratio, char text[CELL_TEXT]);

/* --- what the kinds of block hold --- */

/* How far the document can be trusted. */
struct verdict_block {
    bool good; /* everything can be relied on, or nothing has changed */
    const char *sentence;
    const char *meaning; /* what a value and the interval beside it are; NULL */
};

/* A probe of a document. */
struct placed {
    const struct probe_result *probe;
    size_t document; /* index */
};

/* Those of one name, in the order of the documents. */
struct chapter {
    const struct placed *list;
    size_t count;
    unsigned rank; /* its place in the datasheet */
};

struct heading {
    int level;         /* 1: a document; 2: a part of it; 3: a part of that */
    const char *title; /* "depth", "latency", "gpu0" */
    const char *text;  /* what follows in the same line; NULL */
    const char *aside; /* at the line's end: how long the run took; NULL */
    const char *below; /* a line below it: "merged from 2 documents"; NULL */
    /* The factors of the series that it stands above. The first `telling` tell it from others of
     * its name and are always said; the others where there is room. */
    const struct factor **factors;
    size_t factor_count, telling;
    const struct chapter *chapter; /* above charts: the probes that they are of; NULL */
    const char *warning;           /* why a device's numbers are not those of a GPU; NULL */
};

struct fact {
    const char *label;   /* "translation"; NULL: the one above goes on */
    const char *text;    /* a sentence without its full stop; NULL: `value` is all */
    struct cell value;   /* of a fact that is one finding */
    const char *words;   /* what was measured where the label does not say it; NULL */
    const char *meaning; /* the registry's sentence about the finding; NULL */
};

struct facts {
    struct fact *list;
    size_t count;
    const char *more; /* "and 3 more, all in the document"; NULL */
};

struct column {
    const char *name;   /* NULL: none */
    const char *remark; /* behind the name: "core clock 2.99 GHz"; NULL */
    const char *unit;   /* as shown, of a column of FORM_NUMBER; NULL */
    bool words;         /* texts, at the left; otherwise figures, at the right */
    bool flags;         /* its texts name the flags of the rows */
    bool measured;      /* its cells are FORM_MEASURED, or empty */
    bool kept;          /* shown though all its cells are empty */
    size_t least;       /* columns of a terminal that it takes at least */
    int rank; /* where there is no room the columns of the highest rank go first; 0: never */
};

struct row {
    struct cell *cells;   /* one a column */
    unsigned flags;       /* of what stands in it */
    size_t depth;         /* of a tree: how far in its first cell stands */
    const char *words;    /* what it was read off where its first cell does not say it; NULL */
    const char *sentence; /* about it, below it; NULL */
    const struct finding_line *line; /* what explains it; NULL */
};

struct table {
    const char *title;   /* above its first column; NULL */
    const char *remark;  /* behind the names of the columns: "DRAM"; NULL */
    const char *caption; /* a sentence for outputs that have room; NULL */
    const char *legend;  /* what its figures are, where no column says so; NULL: nothing to say */
    struct column *columns;
    size_t column_count;
    struct row *rows;
    size_t row_count;
    const char *more; /* what is left out of it; NULL */
};

/* A capacity on the axis of a curve. */
struct mark {
    double x;         /* in the unit of the axis */
    const char *name; /* "L2"; of one that was found with what it was read off, "L2 (order forward)"
                       */
    bool found;       /* otherwise it is declared */
};

/* A series to be drawn over its axis. */
struct curve {
    const struct probe_result *probe;
    const struct series *series;
    const char *label;  /* what tells it from the others of its chart; NULL where it stands alone */
    bool brief;         /* few rows: the place on the first screen */
    bool apart;         /* x numbers things, so nothing lies between two points */
    struct mark *marks; /* ascending; none where x is no size, or where one before it has them */
    size_t mark_count;
    struct table points; /* for outputs that cannot draw: a few of them; no rows: another block has
                            them all */
};

/* A matrix: in a chart its cells alone, elsewhere also what all of its values say together, of
 * which there is one at least. */
struct matrix {
    const struct probe_result *probe;
    const struct series *series;
    const char *label; /* as of a curve */
    bool whole;        /* every pair, however many there are; otherwise half a screen at most */
    const struct square *square; /* NULL where the points are too scattered: `pairs` has them */
    struct table pairs;
    const char **groups; /* in a chart: the CPUs of each cluster, one before those within it */
    size_t group_count;
    /* Where the clusters form any: what is shown in a square's place that has no room. */
    const struct square *groupings[SQUARE_GROUPINGS_MAX];
    size_t grouping_count;
    double least, most; /* of all pairs, in the unit of the series */
    const char
        *absent; /* stands for pairs that have no value: "x", or "" where few were asked for */
    const char *missing;          /* "x: 3 pairs could not be measured"; NULL */
    const char *spread, *scatter; /* of the trials of one pair: sentences; NULL */
    const char *closing;          /* "Min 73.4 (0,1)  Max 76.9 (1,0)  Mean 75.2 ns" */
    const char
        *others[MATRIX_OTHERS_MAX]; /* what was measured in addition for a few of the pairs */
    size_t other_count;
    const char *clusters; /* "Clusters: 2 of 2 CPUs (20.0 to 21.0)"; NULL */
};

/* A value that two documents both have. */
struct changed_value {
    const char *what; /* "L1.latency", "latency at 48 KiB (stride 64)" */
    struct cell before, after;
    double ratio, low, high; /* of the second to the first, and its interval; NAN: none */
};

struct differences_block {
    enum verdict verdict; /* of all of them */
    struct changed_value *list;
    size_t count;
    const char *more;
};

enum note_kind {
    NOTE_DISAGREEMENT, /* what was found and what the machine says of itself are not the same */
    NOTE_DOUBT,        /* a reason not to trust a number */
    NOTE_REMARK,       /* explains, and takes nothing away */
};

struct note {
    enum note_kind kind;
    int flag;           /* enum flag; -1: none */
    const char *what;   /* "the core clock moved between trials" */
    const char *whom;   /* "L1.latency, DRAM.latency and 1 more"; NULL */
    const char *why;    /* why it matters, or the reason; NULL */
    const char *remedy; /* what a person can do; NULL */
};

/* "the core clock moved between trials (L1.latency): why; remedy", made inert. */
void line_add_note(struct line *, const struct note *);

struct block {
    enum block_kind kind;
    enum section section;
    size_t document;                  /* index */
    int device;                       /* -1: about none */
    const struct probe_result *probe; /* that it is about; NULL: about several */
    union {
        struct verdict_block verdict;
        struct heading heading;
        struct facts facts;
        struct table table;
        struct curve curve;
        struct matrix matrix;
        struct differences_block differences;
        struct note note;
    };
};

/* Everything of it lies in the pool. Building leaves the pool's step where memory runs out. */
struct report {
    struct block *list;
    size_t count;
    struct catalogue catalogue; /* the findings of all the documents */
    struct pool *pool;
};

/* --- building --- */

/* An empty list, and the catalogue. */
void report_begin(struct report *, struct pool *, const struct document *const *, size_t count);
/* The first screen of each document, in the order of the documents: machine and verdict, depth,
 * width, devices, headline series, what to know. `only`: the only probe of the only document, whose
 * notes are then as those of the probe in full; NULL. */
void report_build(struct report *, struct pool *, const struct document *const *, size_t count,
                  const struct probe_result *only);
/* One probe in full: what the document is of, every series, the findings, what to know. */
void report_build_probe(struct report *, struct pool *, const struct document *const *,
                        const struct probe_result *);
/* The first screen of a document, and behind it a short table of every other series, and the
 * findings of every probe. */
void report_build_all(struct report *, struct pool *, const struct document *const *);
/* Every series of so many documents, in chapters: a heading of level 2 for the probes of one name,
 * in the order of the datasheet, and below it their charts. A chart is a heading of level 3, and
 * behind it the curves over the same axes of all documents, or one matrix as each has it. */
void report_add_charts(struct report *, size_t count);
/* Parts of a probe, which outputs may also place themselves. */
/* Every finding but the clusters. */
void report_add_findings(struct report *, size_t index, const struct probe_result *);
/* The clusters as a tree, and where they contradict what is declared. */
void report_add_clusters(struct report *, size_t index, const struct probe_result *);
/* Every point of one series or of a group: its place, value, interval, cycles, trials, range. */
void report_add_points(struct report *, size_t index, const struct probe_result *,
                       const struct series *, size_t count);

/* What builders use. A block may move when the next one is added. */
struct block *report_add(struct report *, enum block_kind, enum section, size_t document);
const char *report_text(struct report *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The line's text; NULL where it is empty. */
const char *report_line(struct report *, const struct line *);
/* A heading of level 2, and below it the facts; nothing where there are none. */
void report_add_facts(struct report *, enum section, size_t document, const char *title,
                      const char *text, const struct facts *);
struct fact *facts_add(struct report *, struct facts *);
/* A column of texts, or of figures. */
struct column *table_add_words(struct report *, struct table *, const char *name, size_t least);
struct column *table_add_figures(struct report *, struct table *, const char *name, size_t least);
/* With an empty cell a column: all columns come before the first row. */
struct row *table_add_row(struct report *, struct table *);

#endif
