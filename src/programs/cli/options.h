/* Reads the command line into settings, by the one option table. */
#pragma once

#include "conclude/registry/registry.h"
#include "programs/cli/command.h"

#include <stdio.h>

extern const struct option_spec help_options[];   /* --help: every command's */
extern const struct option_spec output_options[]; /* -o: the file of a document or report */
extern const struct option_spec html_options[];   /* --html: the file of an additional page */

/* Parses argv[1..argc): options by the command's tables, the rest are operands. ERROR_USAGE for the
 * first wrong option; correct options are set all the same. */
int options_parse(struct invocation *, int argc, char **argv, struct error *);

/* Prints usage, purpose and options of a command or of the whole program. */
void help_command(FILE *, const struct command *, const struct probe *);
void help_program(FILE *);
/* Prints a finding's names and unit, on as many lines as they need. */
void help_finding_name(FILE *, const struct finding_line *);
enum { HELP_TEXT = 1024 };
/* An option's help, with the choices and the default unless the help has them. Returns `text`. */
const char *help_of_option(const struct option_spec *, char *text, size_t size);

/* What each exit status means; ends with a NULL status. */
struct exit_text {
    const char *status, *meaning;
};
extern const struct exit_text exit_texts[];

/* Prints text between column `left` and column 80, broken between words; a newline begins a
 * paragraph. `column`: the current column of the line. */
void help_wrapped(FILE *, int left, int column, const char *text);
