/*
 * The commands of the program. To add one, write a file that ends with a `struct command` and add
 * a line here and in the table in command.c; help, parsing and `fathom list` follow from the
 * table. Probes are commands too, by themselves: see probes/probes.c.
 */
#ifndef FATHOM_CLI_COMMAND_H
#define FATHOM_CLI_COMMAND_H

#include "base/error.h"
#include "base/settings.h"

enum exit_status {
    EXIT_DONE = 0,
    EXIT_CHECK_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_IMPOSSIBLE = 3,
    EXIT_DOUBTFUL = 4, /* done, but a probe failed, or a headline value can't be trusted */
    EXIT_SIGNAL = 128, /* plus the signal's number */
};

/* What a command gets: options parsed and checked, and what else was typed. */
struct invocation {
    const struct command *command;
    const struct probe *probe; /* of a probe's command; NULL otherwise */
    struct settings settings;
    char **operands;
    int operand_count;
    char **argv; /* as typed, for the record */
    int argc;
};

struct command {
    const char *name;
    const char *operands; /* as in the usage line: "FILE..." */
    const char *summary;
    const char *about;
    const struct option_spec *const *options; /* tables, ends with NULL */
    /* Returns an exit status, or a negative error code with the error filled in. */
    int (*run)(struct invocation *, struct error *);
    /* Tells an error of run(), or of what was typed, in its own way: returns an exit status, or the
     * error's code where it is told as for every other command. NULL: it always is. */
    int (*refuse)(const struct invocation *, const struct error *);
};

extern const struct command run_command, probe_command, report_command, import_command,
    analyse_command, diff_command, check_command, baseline_command, merge_command, list_command,
    doctor_command, completion_command, manual_command;
extern const struct command *const commands[]; /* ends with NULL; without probe_command */

/* The command of that name, and the probe if it is one; NULL where there is neither. */
const struct command *command_by_name(const char *name, const struct probe **probe);
/* The i-th of all that can be typed after `fathom`: the commands, then the probes. NULL at the end.
 */
const struct command *command_at(size_t i, const struct probe **probe);
/* What is typed for it. */
const char *command_name(const struct command *, const struct probe *);
const char *command_summary(const struct command *, const struct probe *);
/* Its i-th option: its probe's, its own, then --help. NULL at the end. */
const struct option_spec *command_option(const struct command *, const struct probe *, size_t i);

#endif
