/*
 * The commands of the program. To add one, write a file that ends with a `struct command`, declare
 * it here and add it to the table in command.c; help, parsing, manual and completion follow from
 * the table. Every probe is a command too (measure/probes/kit/probe.h).
 */
#pragma once

#include "base/error.h"
#include "measure/probes/kit/probe.h"

enum exit_status {
    EXIT_DONE = 0,
    EXIT_CHECK_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_IMPOSSIBLE = 3,
    EXIT_DOUBTFUL = 4, /* done, but a probe failed, or something asked for has no usable figure */
    EXIT_SIGNAL = 128, /* plus the signal's number */
};

/* The options of all commands; a command's own are those of its tables, and the others are unset.
 */
struct command_options {
    struct common_options common; /* first, because probe_common_options fills it */
    struct setting help, output, html, format, points, chart, document, redact, smbios;
    struct setting machine, change;                 /* of a twin */
    struct setting repeat, every, sweep, add;       /* several runs */
    struct setting against, tolerance, within, fit; /* check */
    struct setting watch_for, metrics, cpu;         /* watch */
    struct setting progress, rate, here;            /* need, with every; with against */
    struct loop_options {
        struct setting size, pattern, stride, chains, threads, work, pages, node;
    } loop;                                       /* predict */
    struct setting threshold, false_share, pages; /* diff, fleet */
    struct setting in_place;                      /* analyse */
    struct setting waves, wait, spool, keep;      /* fathom-mpi */
};
#define COMMAND_OPTION(option) offsetof(struct command_options, option)

/* What a command gets: checked options, and the other words as typed. */
struct invocation {
    const struct command *command;
    const struct probe *probe;      /* of a probe's command; NULL: another command */
    struct settings settings;       /* all options, also the probe's */
    struct command_options options; /* the command's own */
    char **operands;
    int operand_count;
    char **argv; /* as typed, for the document */
    int argc;
};

/* What --help says of a command; the build makes it of a text (scripts/help). */
struct command_help {
    const char *summary;
    const char *operands; /* as in the usage line: "FILE..."; NULL: none */
    const char *about;
};

struct command {
    const char *program; /* the program that has it; NULL: fathom */
    const char *name;
    const struct command_help *help;
    const struct option_spec *const *options; /* tables of struct command_options, then NULL */
    const struct option_spec *foreign;        /* another room's table, which comes first; or NULL */
    bool passes_on; /* options end at the first operand, because the words after it belong to
                       another program */
    /* Returns an exit status, or a negative error code with the error filled in. */
    int (*run)(struct invocation *, struct error *);
    /* Instead of run(), of a command that only reads and writes files: a step of the settings'
     * pool, which gets the invocation and may leave with an error (base/pool.h). */
    int (*step)(void *invocation);
    /* Reports an error of run() or of the command line in the command's own form and returns the
     * exit status, or returns the error's code for main() to report. NULL: main() reports all
     * errors. */
    int (*refuse)(const struct invocation *, const struct error *);
};

extern const struct command run_command, probe_command, report_command, import_command, as_command,
    nearest_command, analyse_command, fleet_command, diff_command, check_command, baseline_command,
    merge_command, list_command, doctor_command, completion_command, manual_command, watch_command,
    need_command, predict_command, advise_command;
extern const struct command *const commands[]; /* ends with NULL; without probe_command */

/* The command of that name; for the name of a probe also *probe. NULL: no command has the name. */
const struct command *command_by_name(const char *name, const struct probe **probe);
/* The i-th of all words that can follow `fathom`: the commands, then the probes. NULL at the end.
 */
const struct command *command_at(size_t i, const struct probe **probe);
/* The word that calls it. */
const char *command_name(const struct command *, const struct probe *);
const char *command_summary(const struct command *, const struct probe *);
/* Its i-th option: the probe's options or the foreign ones, the command's own, then --help. NULL at
 * the end. */
const struct option_spec *command_option(const struct command *, const struct probe *, size_t i);

/* Watches all CPUs for a second and prints a line: FIT, DOUBTFUL or UNFIT to benchmark on, and why.
 * Returns 0, 4 or 1; an error; or 128 and the signal that ended it. */
int doctor_fit(struct error *);

/* Reads and completes a document. Its memory is the pool's from then on. A step, like the next. */
void document_take(struct pool *, struct document *, const char *path);
/* The documents of all operands, and so many more that are empty. */
struct documents {
    struct document *each;
    const struct document **list; /* their addresses */
    size_t count;
};
struct documents documents_read(struct invocation *, size_t more);

/* Writes the line "fathom: ..." to standard error. The text may quote a file or a person, so its
 * control characters are made harmless (base/clean.h). */
void command_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
