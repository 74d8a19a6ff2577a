/*
 * Other tools' own commands: a tongue takes a tool's arguments, has fathom's probes measure what
 * that tool measures, and writes the tool's own table. A tongue is one file that ends with a
 * `struct tongue`; the table of all is made from the files when the program is built.
 * docs/adding.md describes how to add one; `scripts/new tongue NAME` makes the first files.
 *
 * Every value in a table was measured, or was computed from a measured value because the table's
 * form needs it (the time of a number of loads); then an aside says so.
 */
#pragma once

#include "measure/run/run.h"

#include <stdio.h>

enum { TONGUE_ARGUMENTS_MOST = 40, TONGUE_OPTIONS_MOST = 16 };

/* One argument of the tool: "-b KB", "--csv". */
struct tongue_argument {
    char letter;       /* 0: no short form */
    const char *name;  /* without the dashes; NULL: no long form */
    const char *value; /* its value's name in the usage text; NULL: it takes none */
    const char *help;  /* what it does; if idle: why it does nothing here */
    bool idle;         /* accepted, with an aside that it does nothing */
};

struct talk;
struct talk_run;

/* What --help says of a tongue; the build makes it of a text (scripts/help). */
struct tongue_help {
    const char *summary;
    const char *operands; /* as in the usage line; "": none */
    /* A paragraph: what fathom does differently from the tool, and why the numbers differ. */
    const char *differs;
    const struct tongue_argument *arguments; /* ends with neither letter nor name */
};

struct tongue {
    const char *name; /* the tool's command */
    int place;        /* in lists, ascending; equal places sort by name */
    const struct tongue_help *help;
    unsigned operands_least, operands_most;
    /* Measures by talk_measure() and writes the table to talk->out. Runs as a step of the
     * document's pool, which it leaves with ERROR_USAGE (talk_refuse()) for arguments that the tool
     * would not understand either. */
    void (*speak)(struct talk *);
};

extern const struct tongue *const tongues[]; /* by place; ends with NULL */
const struct tongue *tongue_by_name(const char *name);

struct talk_option;

/* One execution of a tool's command. The caller fills the members before `argc` and ends with
 * talk_release(); texts are in the document's pool. */
struct talk {
    const struct tongue *tongue;
    FILE *out;   /* gets the table */
    FILE *aside; /* gets doubts, remarks and the fathom commands that tell more, a line each */
    const struct machine *machine;
    struct document *document; /* gets the results, as `fathom PROBE` would write them */
    const struct timing_model *model;
    const volatile sig_atomic_t *stop;
    struct run_listener listener;
    double budget_most_s; /* limit of each measurement; 0: the tongue's own budget */
    /* For tests of tables: adds a result to the document without a run. NULL: the probe is run. */
    int (*measure)(struct talk *, const char *probe, const struct talk_option *, struct error *);

    int argc; /* the tool's arguments as typed; valid while it speaks */
    char **argv;
    const char *values[TONGUE_ARGUMENTS_MOST]; /* in the table's order; NULL: not given */
    char **operands;
    unsigned operand_count;
    const char *more; /* a shorter command to suggest for the next measurement; NULL: the
                         measurement's own options */
    unsigned doubts;  /* flags of all results, combined */
    size_t holes;     /* values that the table lacks */
    double elapsed_s, budget_s;
    struct talk_run *last; /* the latest; talk_release() frees all */
    const char **commands; /* fathom commands equivalent to the measurements */
    size_t command_count;
};

/* Reads the tool's arguments (argv[0] is the first), measures, writes the table, and writes aside
 * which values are doubtful and which command tells more. ERROR_USAGE, ERROR_IMPOSSIBLE, or the
 * code of a failed measurement; the error names the tool. */
int tongue_speak(struct talk *, int argc, char **argv, struct error *);
/* Frees what the measurements keep. The document must not be read after it. */
void talk_release(struct talk *);

/* --- for tongues: all may leave the step --- */

/* ERROR_USAGE: "TOOL: ..." */
_Noreturn void talk_refuse(const struct talk *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The value of the argument with that letter or name; "" if it takes none; NULL if it was not
 * given. */
const char *talk_value(const struct talk *, char letter);
const char *talk_named(const struct talk *, const char *name);
/* The value as a whole number from `least` to `most`; `fallback` if the argument was not given. */
uint64_t talk_number(const struct talk *, char letter, uint64_t least, uint64_t most,
                     uint64_t fallback);
/* The number that a text of digits means, from `least` to `most`; `what` names it in messages. */
uint64_t talk_whole(const struct talk *, const char *what, const char *text, uint64_t least,
                    uint64_t most);
/* A size in bytes: digits followed by k, m or g; without a suffix they count `unit` bytes. */
uint64_t talk_size(const struct talk *, const char *what, const char *text, uint64_t unit);
/* The number as a text in the document's pool. */
const char *talk_digits(struct talk *, uint64_t number);
/* Numbers with commas between them, as a text in the document's pool. */
const char *talk_list(struct talk *, const uint64_t *numbers, size_t count);
/* Writes one line to talk->aside. */
void talk_aside(const struct talk *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes aside that fathom measured, for a form whose first line has the tool's name. */
void talk_as_form(const struct talk *);

/* An option of a probe. Arrays end with a NULL name; a flag has a NULL value. */
struct talk_option {
    const char *name, *value;
};

/* Runs the probe with these options for at most `budget_s` seconds and adds the result to the
 * document. The result is valid until the next call. Leaves with ERROR_USAGE if the machine does
 * not support the options, ERROR_IMPOSSIBLE if nothing could be measured. */
const struct probe_result *talk_measure(struct talk *, const char *probe,
                                        const struct talk_option *, double budget_s);

/* The probe's last result; NULL: it has none. */
const struct probe_result *talk_latest(const struct talk *, const char *probe);
/* The cell of a matrix, which may have no value; NULL: there is none. */
const struct point *talk_cell(const struct series *, int from, int to);
/* Whether a matrix has a cell from (else to) that node; true without a matrix. */
bool talk_has_node(const struct series *, int node, bool from);
/* Counts a value that the table lacks, and writes aside what it is of and why. The point may be
 * NULL. */
void talk_hole(struct talk *, const struct point *, const char *what);
/* The point of a curve at x; NULL, and a hole of `what` (NULL: its x), if it has no value. */
const struct point *talk_point(struct talk *, const struct series *, double x, const char *what);
/* Leaves with ERROR_IMPOSSIBLE if it is not there: the table needs `what`. */
void talk_need(const struct talk *, bool is_there, const char *what);
