/*
 * Other tools' own commands: a tongue takes a tool's arguments, has fathom's probes measure what
 * that tool measures, and writes the tool's own table. A tongue is one file that ends with a
 * `struct tongue`; the table of all is made from the files when the program is built.
 * docs/adding.md shows the way, and `scripts/new tongue NAME` takes the first steps.
 *
 * Nothing in a table is made up: every value in it was measured, or follows from one that was by
 * the arithmetic that the table's form asks for (the time of a number of loads), and then an aside
 * says so.
 */
#ifndef FATHOM_SPEAK_TONGUES_TONGUE_H
#define FATHOM_SPEAK_TONGUES_TONGUE_H

#include "measure/run/run.h"

#include <stdio.h>

enum { TONGUE_ARGUMENTS_MOST = 40, TONGUE_OPTIONS_MOST = 16 };

/* One that the tool has: "-b KB", "--csv". */
struct tongue_argument {
    char letter;       /* 0: it has no short form */
    const char *name;  /* without the dashes; NULL: it has no long form */
    const char *value; /* what follows it, as its usage calls it; NULL: it stands alone */
    const char *help;  /* what it asks for; of one that is idle: why it does nothing here */
    bool idle;         /* it is accepted, and a line says that it does nothing */
};

struct talk;
struct talk_run;

struct tongue {
    const char *name; /* the tool's command */
    int place;        /* in lists: ascending; equal ones by name */
    const char *summary;
    const char *operands; /* as in its usage line; "": none */
    /* What fathom does otherwise than the tool, and why the numbers differ: a paragraph. */
    const char *differs;
    const struct tongue_argument *arguments; /* ends with neither letter nor name; NULL: none */
    unsigned operands_least, operands_most;
    /* Measures by talk_measure() and writes the table to talk->out: a step of the document's pool.
     * Leaves with ERROR_USAGE (talk_refuse()) for arguments that say nothing the tool would
     * understand. */
    void (*speak)(struct talk *);
};

extern const struct tongue *const tongues[]; /* by place; ends with NULL */
const struct tongue *tongue_by_name(const char *name);

struct talk_option;

/* A tool's command being carried out. The caller fills the first part, and frees nothing: texts are
 * in the document's pool. */
struct talk {
    const struct tongue *tongue;
    FILE *out;   /* gets the table */
    FILE *aside; /* gets doubts, remarks, and the commands that tell more, a line each */
    const struct machine *machine;
    struct document *document; /* gets what is measured, as from `fathom PROBE` */
    const struct timing_model *model;
    const volatile sig_atomic_t *stop;
    struct run_listener listener;
    double budget_most_s; /* of each measurement; 0: as the tongue says */
    /* Measures in the place of a run: adds a result to the document. For tests of tables; NULL: a
     * run of that probe does. */
    int (*measure)(struct talk *, const char *probe, const struct talk_option *, struct error *);

    int argc; /* the tool's arguments as they were written, while it speaks */
    char **argv;
    const char *values[TONGUE_ARGUMENTS_MOST]; /* by place in the table; NULL: not given */
    char **operands;
    unsigned operand_count;
    const char *more; /* the command that tells more of the next measurement, where the tongue has a
                         shorter one than what it asks for; NULL: that one */
    unsigned doubts;  /* flags of all that was measured */
    double elapsed_s, budget_s;
    struct talk_run *last; /* of its measurements; talk_release() frees them */
    const char **commands; /* of fathom, that were carried out */
    size_t command_count;
};

/* Reads the tool's arguments (argv[0] is the first of them), speaks, and says aside what is to be
 * doubted and which command tells more. ERROR_USAGE, ERROR_IMPOSSIBLE, or what measuring
 * returned; the error names the tool. */
int tongue_speak(struct talk *, int argc, char **argv, struct error *);
/* Frees what the measurements kept, when the document is no longer read. */
void talk_release(struct talk *);

/* --- what tongues are made of: all may leave the step --- */

/* ERROR_USAGE: "TOOL: ..." */
_Noreturn void talk_refuse(const struct talk *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The value of the argument with that letter, or that name; "" where it takes none; NULL where it
 * was not given. */
const char *talk_value(const struct talk *, char letter);
const char *talk_named(const struct talk *, const char *name);
/* The same as a whole number from `least` to `most`, or `fallback`. */
uint64_t talk_number(const struct talk *, char letter, uint64_t least, uint64_t most,
                     uint64_t fallback);
/* A text of digits as a number in least..most; `what` names it. */
uint64_t talk_whole(const struct talk *, const char *what, const char *text, uint64_t least,
                    uint64_t most);
/* A size: digits with k, m or g behind them, or nothing, which stands for `unit` bytes. */
uint64_t talk_size(const struct talk *, const char *what, const char *text, uint64_t unit);
/* The number as a text in the document's pool. */
const char *talk_digits(struct talk *, uint64_t number);
/* One line aside. */
void talk_aside(const struct talk *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An option of a probe; in arrays the last one has no name. A value of NULL is a flag's. */
struct talk_option {
    const char *name, *value;
};

/* Measures that probe with these options within `seconds`, and adds it to the document; what came
 * of it stays until the next call. Leaves with ERROR_USAGE where the options contradict the
 * machine, ERROR_IMPOSSIBLE where nothing could be measured. */
const struct probe_result *talk_measure(struct talk *, const char *probe,
                                        const struct talk_option *, double budget_s);

/* The first series with that name and those factors (NULL: any); NULL where there is none. */
const struct series *talk_series(const struct probe_result *, const char *name, const char *factor,
                                 const char *text);
/* The cell of a matrix, or NULL where it has no value. */
const struct point *talk_cell(const struct series *, int from, int to);
/* The point of a curve at x, or NULL; where it failed, an aside says why. */
const struct point *talk_point(struct talk *, const struct series *, double x);
/* Its last point: of a curve by threads, that of all CPUs. */
const struct point *talk_last_point(struct talk *, const struct series *);
/* ERROR_IMPOSSIBLE: what the table needs was not measured. */
_Noreturn void talk_missing(const struct talk *, const char *what);

#endif
