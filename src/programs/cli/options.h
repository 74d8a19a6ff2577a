/* Reads the command line into settings, by the one option table. */
#ifndef FATHOM_PROGRAMS_CLI_OPTIONS_H
#define FATHOM_PROGRAMS_CLI_OPTIONS_H

#include "conclude/registry/registry.h"
#include "programs/cli/command.h"

#include <stdio.h>

extern const struct option_spec help_options[];   /* --help: every command's */
extern const struct option_spec output_options[]; /* -o: where a document or report goes */
extern const struct option_spec html_options[];   /* --html: where a page goes as well */

/* Parses argv[1..argc) for the command: options by its tables, the rest are operands. ERROR_USAGE
 * for the first option that is wrong; the options that are right are set all the same. */
int options_parse(struct invocation *, int argc, char **argv, struct error *);

/* Prints usage, purpose and options of a command or of the whole program. */
void help_command(FILE *, const struct command *, const struct probe *);
void help_program(FILE *);
/* Prints a finding's names and its unit, in as many lines as they need. */
void help_finding_name(FILE *, const struct finding_line *);
enum { HELP_TEXT = 1024 };
/* An option's help, with its choices and its default where the help does not name them. Returns
 * `text`. */
const char *help_of_option(const struct option_spec *, char *text, size_t size);

/* What each exit status means; ends with a NULL status. */
struct exit_text {
    const char *status, *meaning;
};
extern const struct exit_text exit_texts[];

/* Prints text between column `left` and column 80, broken between words; a newline in it begins a
 * paragraph. `column` is where the line stands already. */
void help_wrapped(FILE *, int left, int column, const char *text);

#endif
