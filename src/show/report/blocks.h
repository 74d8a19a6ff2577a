/*
 * The report: what documents say, as a list of blocks that every output draws in its own form.
 *
 * Building a report decides what is said: which findings, in which order, how many and in which
 * words. Drawing decides the form: columns, wrapping, colours, tags. No output counts, chooses or
 * words anything, so two outputs of one document say the same.
 *
 * Texts come from documents: every output makes them inert (base/clean.h) and escapes them for its
 * format. Texts, tables and lists lie in the report's pool; series, findings and documents are
 * pointed to and must outlive the report.
 */
#pragma once

#include "base/line.h"
#include "compare/differences.h"
#include "conclude/registry/catalogue.h"
#include "conclude/verdict.h"
#include "show/report/square.h"

#include <stdint.h>

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

/* The section of a block: an output that does not follow the list's order selects blocks by it. */
enum section {
    SECTION_MACHINE, /* the machine and the verdict */
    SECTION_DEPTH,   /* levels and address translation of the CPUs */
    SECTION_WIDTH,   /* bandwidth, misses in flight, latency under load */
    SECTION_DEVICE,  /* a device: what it is, its levels, bandwidths and paths */
    SECTION_USE,     /* what to do with the figures */
    SECTION_RESULTS, /* series */
    SECTION_FINDINGS,
    SECTION_KNOW, /* notes that a reader must know to trust the numbers */
    SECTION_DIFFERENCES,
    SECTION_CHARTS, /* every series; comparable ones share a chart */
};

/* --- cells: texts, and numbers that each output formats in its own way --- */

enum form {
    FORM_TEXT,     /* `text`; NULL: an empty cell, as is a zeroed struct cell */
    FORM_VALUE,    /* the value with a unit of readable size: "48 KiB" */
    FORM_MEASURED, /* the value in the document's unit, "5.00 cycles", with its interval */
    FORM_NUMBER,   /* the number alone, in the unit of its column */
    FORM_WHOLE,    /* "64" */
    FORM_PLACE,    /* a point's place on its axis: "48 KiB", "2" */
    FORM_PERCENT,  /* half of the interval's width in percent of the value: "0.4" */
    FORM_SHARE,    /* of 1: a bar, or "47 %" where none can be drawn */
};

struct cell {
    enum form form;
    const char *text;
    double value, low, high; /* in `unit`; NAN: none. A value that is not finite is shown as "-" */
    const char *unit;
    unsigned flags;
    const struct finding *finding; /* the source of the value; NULL: none */
    bool stands_out;               /* highlighted: what a reader looks for in this table */
    char mark; /* before the value; '~': it is not good, '>': a bound, 0: none */
};

enum { CELL_TEXT = 128 };
/* The cell as inert text without the interval, "5.00 cycles", for outputs without a form of their
 * own. */
char *cell_text(const struct cell *, char text[CELL_TEXT]);
/* Half of its interval's width as a share of its value; NAN: it has none. */
double cell_half(const struct cell *);
bool cell_is_empty(const struct cell *); /* it is a text, and the text is NULL */
struct cell cell_of_text(const char *text);
/* A finding's value with its interval and its mark; an empty cell for NULL. */
struct cell cell_of_finding(const struct finding *, enum form);
struct cell cell_of_value(double value, const char *unit, enum form);

/* The change that a ratio means: "+1.2 %", from tenfold on "× 12.3"; "" where the ratio is
 * unknown. */
char *change_text(double ratio, char text[CELL_TEXT]);

/* --- the contents of each kind of block --- */

/* How reliable the document is, or how many values of two documents have changed. */
struct verdict_block {
    bool good; /* all families are good, or no value has changed */
    const char *sentence;
    const struct document_verdict *grades; /* NULL: it is about differences */
    const char *reserve;                   /* "Modelled, not measured"; NULL */
    const char *meaning;                   /* what a value and its interval are; NULL: not said */
};

/* A probe and its document. */
struct placed {
    const struct probe_result *probe;
    size_t document; /* index */
};

/* The probes of one name, in the order of the documents. */
struct chapter {
    const struct placed *list;
    size_t count;
    unsigned rank; /* its place in the datasheet, ascending */
};

struct heading {
    int level;         /* 1: a document; 2: a part of it; 3: a part of that */
    const char *title; /* "depth", "latency", "gpu0" */
    const char *text;  /* continues the line; NULL */
    const char *aside; /* at the end of the line: the duration of the run; NULL */
    const char *below; /* a line below it: "merged from 2 documents"; NULL */
    /* The factors of the series below. The first `telling` distinguish it from others of its name
     * and are always shown; the others where there is room. */
    const struct factor **factors;
    size_t factor_count, telling;
    const struct chapter *chapter; /* above charts: the probes that the charts show; NULL */
    const char *warning;           /* why a device's numbers are not those of a GPU; NULL */
};

struct fact {
    const char *label;           /* "translation"; NULL: continues the fact above */
    const char *text;            /* a sentence without its full stop */
    unsigned note;               /* the number of the note about it; 0: none */
    const struct finding *about; /* its first figure; NULL: not known */
};

struct facts {
    bool apart; /* a blank line before the first */
    struct fact *list;
    size_t count;
    const char *more;  /* "and 3 more, all in the document"; NULL */
    struct fact brief; /* what a screen of few lines has in place of all; no text: all */
};

struct column {
    const char *name;   /* NULL: none */
    const char *remark; /* after the name: "core clock 2.99 GHz"; NULL */
    const char *unit;   /* as shown, for FORM_NUMBER; NULL */
    bool words;         /* texts, aligned left; otherwise figures, aligned right */
    bool flags;         /* its texts are the names of the rows' flags */
    bool measured;      /* its cells are FORM_MEASURED, or empty */
    bool kept;          /* shown even if all its cells are empty */
    size_t least;       /* minimum width in terminal columns */
    int rank;           /* without room, columns of the highest rank are left out first; 0: never */
};

struct row {
    struct cell *cells;   /* one for each column */
    unsigned flags;       /* the flags of its values */
    size_t depth;         /* in a tree: how far the first cell is indented */
    const char *words;    /* the experiment, where the first cell does not say it; NULL */
    unsigned note;        /* the number of the note about it; 0: none */
    const char *sentence; /* an explanation below the row; NULL */
    const struct finding_line *line; /* the registry's explanation; NULL */
};

struct table {
    const char *title;   /* above its first column; NULL */
    const char *caption; /* a sentence for outputs that have room; NULL */
    const char *legend;  /* what its figures are, where no column says it; NULL */
    struct column *columns;
    size_t column_count;
    struct row *rows;
    size_t row_count;
    const char *more; /* what the table leaves out; NULL */
};

/* A capacity on the axis of a curve. */
struct mark {
    double x;         /* in the unit of the axis */
    const char *name; /* "L2"; a found one with its experiment: "L2 (order forward)" */
    bool found;       /* measured; otherwise declared */
};

/* The part of a curve of latencies that is a level's, and that level's latency. */
struct plateau {
    double from, to;                /* places on the x axis */
    double value, cycles;           /* in the unit of y, and in cycles; NAN: unknown */
    const char *text, *cycles_text; /* "L2 3.72 ns", "L2 14.1 cycles" */
};

/* A series to be drawn over its axis. */
struct curve {
    const struct probe_result *probe;
    const struct series *series;
    const char *label;  /* distinguishes it from the others of its chart; NULL: it is alone */
    bool brief;         /* drawn in few rows, for the first screen */
    bool apart;         /* x is an id, so nothing lies between two points */
    struct mark *marks; /* ascending; none where x is no size or an earlier curve has them */
    size_t mark_count;
    struct plateau *plateaus; /* ascending; none where the probe found no levels in this series */
    size_t plateau_count;
};

/* A matrix with at least one value. In a chart it has only its cells, elsewhere also the summaries
 * of all its values. */
struct matrix {
    const struct probe_result *probe;
    const struct series *series;
    const char *label;           /* as in struct curve */
    bool whole;                  /* show every pair, in colours if need be */
    size_t rows_most;            /* otherwise CPUs or groups in so many rows */
    const struct square *square; /* NULL: the points are too scattered */
    /* Groups of CPUs by cluster, shown where the square has no room; may be none. */
    const struct square *groupings[SQUARE_GROUPINGS_MAX];
    size_t grouping_count;
    double least, most;   /* of all pairs, in the unit of the series */
    const char *absent;   /* for pairs without a value: "x", or "" if few were requested */
    const char *missing;  /* "x: 3 pairs could not be measured"; NULL */
    const char *spread;   /* a sentence about the trials of one pair; NULL */
    const char *closing;  /* "Min 73.4 (0,1)  Max 76.9 (1,0)  Mean 75.2 ns" */
    const char *clusters; /* "Clusters: 2 of 2 CPUs (20.0 to 21.0)"; NULL */
};

/* A value that both documents have. */
struct changed_value {
    const char *what; /* "L1.latency", "latency at 48 KiB (stride 64)" */
    struct cell before, after;
    double ratio, low, high; /* after divided by before, and its interval; NAN: none */
    const char *why;         /* a sentence; NULL: it was not asked for */
};

struct differences_block {
    enum answer answer; /* the same for all values */
    struct changed_value *list;
    size_t count;
    const char *more;
};

enum note_kind {
    NOTE_DISAGREEMENT, /* measured and declared values contradict each other */
    NOTE_DOUBT,        /* a reason to distrust a number */
    NOTE_REMARK,       /* explains, and casts no doubt */
};

struct note {
    enum note_kind kind;
    int flag;           /* enum flag; -1: none */
    const char *what;   /* "the core clock moved between trials" */
    const char *whom;   /* "L1.latency, DRAM.latency and 1 more"; NULL */
    const char *why;    /* why it matters, or the reason; NULL */
    const char *remedy; /* what a person can do; NULL */
    /* The families of figures that it touches, a bit for each by its index in the verdict, and how
     * much it matters: the three that matter most are numbered, and shown on the first screen. */
    uint64_t families;
    unsigned weight, number;
};
_Static_assert(FAMILIES_MAX <= 64, "a family is a bit");

/* "the core clock moved between trials (L1.latency): why; remedy", made inert. */
void line_add_note(struct line *, const struct note *);

/* What is left out where a screen has few lines: the last of these first. */
enum spare {
    SPARE_NEEDED, /* never left out */
    SPARE_LEVELS, /* of a device */
    SPARE_CURVE,
    SPARE_MATRIX, /* its nearest and farthest pair are a fact */
    SPARE_REMEDY, /* what to do about the causes in notes */
    SPARE_BLANKS, /* blank lines above facts and notes */
    SPARE_RATES,  /* bandwidths and ways of a device */
    SPARE_DEVICE, /* the curve of a device */
    SPARE_DECLARED,
    SPARE_LEFT_OUT, /* what was not measured, and why */
    SPARE_OTHERS,   /* devices after the first */
    SPARES
};

struct block {
    enum block_kind kind;
    enum section section;
    enum spare spare;
    size_t document;                  /* index */
    int device;                       /* -1: no device */
    const struct probe_result *probe; /* the block's probe; NULL: several */
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

/* What is known of a document before anything of it is shown. */
struct graded {
    struct document_verdict verdict;
    struct note *notes; /* in the order of a list of all */
    size_t note_count;
};

/* All of it lies in the pool. Without memory, building leaves the pool's step. */
struct report {
    struct block *list;
    size_t count;
    struct catalogue catalogue; /* the findings of all the documents */
    struct graded *graded;      /* of each document */
    struct pool *pool;
    const struct probe_result *nest_of; /* whose clusters `nest` has: those of its last matrix */
    const struct nest *nest;
};

/* --- building --- */

/* Begins with an empty list of blocks, and builds the catalogue. */
void report_begin(struct report *, struct pool *, const struct document *const *, size_t count);
/* The first screen of each document, in order: machine and grades, levels, the curve, hand-offs,
 * devices, costs of the system, what to do with the figures, notes. `only`: notes are about this
 * probe; NULL: about all. `all_notes`: every one of them, and not the three that matter most. */
void report_build(struct report *, struct pool *, const struct document *const *, size_t count,
                  const struct probe_result *only, bool all_notes);
/* The same of one probe alone, with a chart of its main series. */
void report_build_answer(struct report *, struct pool *, const struct document *const *,
                         const struct probe_result *);
/* One probe in full: machine and verdict, every series, the findings, the notes. */
void report_build_probe(struct report *, struct pool *, const struct document *const *,
                        const struct probe_result *);
/* The first screen of a document with all notes, then every probe in full. */
void report_build_all(struct report *, struct pool *, const struct document *const *);
/* Every series of the first `count` documents, in chapters. A chapter is a heading of level 2 for
 * the probes of one name, in the order of the datasheet, and its charts. A chart is a heading of
 * level 3 (what it shows, and in `text` what its axes are), then the curves of all documents over
 * the same axes, or each document's version of one matrix. */
void report_add_charts(struct report *, size_t count);
/* Parts of a probe, which outputs may also place where they want. */
/* All findings except the clusters. */
void report_add_findings(struct report *, size_t index, const struct probe_result *);
/* The clusters as a tree, and notes where they contradict declared values. */
void report_add_clusters(struct report *, size_t index, const struct probe_result *);
/* Every point of one series or of a group, a row each: place, value, interval, cycles, trials,
 * range. */
void report_add_points(struct report *, size_t index, const struct probe_result *,
                       const struct series *, size_t count);

/* Blocks from `first` on become spare, unless they are already. */
void report_spare(struct report *, size_t first, enum spare);

/* For builders. A pointer is valid until the next block is added. `probe`: the block's; NULL: it is
 * about several, or none. */
struct block *report_add(struct report *, enum block_kind, enum section, size_t document,
                         const struct probe_result *probe);
struct heading *report_add_heading(struct report *, enum section, size_t document,
                                   const struct probe_result *probe, int level, const char *title);
struct note *report_add_note(struct report *, enum section, size_t document,
                             const struct probe_result *probe, enum note_kind, const char *what);
const char *report_text(struct report *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The line's text; NULL where it is empty. */
const char *report_line(struct report *, const struct line *);
/* The finding's experiment in words; NULL if its name says it. */
const char *report_experiment(struct report *, const struct finding *);
/* A heading of level 2 with the facts below it; nothing if there are no facts. */
void report_add_facts(struct report *, enum section, size_t document, const char *title,
                      const char *text, const struct facts *);
struct fact *facts_add(struct report *, struct facts *);
/* A column of texts, or of figures. */
struct column *table_add_words(struct report *, struct table *, const char *name, size_t least);
struct column *table_add_figures(struct report *, struct table *, const char *name, size_t least);
/* The new row has an empty cell for each column, so add all columns before the first row. */
struct row *table_add_row(struct report *, struct table *);
