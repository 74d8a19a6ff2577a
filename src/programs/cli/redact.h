/* What a redacted document keeps of the command line. */
#ifndef FATHOM_PROGRAMS_CLI_REDACT_H
#define FATHOM_PROGRAMS_CLI_REDACT_H

#include "document/document.h"
#include "programs/cli/command.h"

/* Fills the command with what repeats the run, without the program's path and options that name
 * files: their names may be those of people and machines. ERROR_SYSTEM without memory. */
int redact_command(const struct invocation *, struct pool *, struct run_facts *, struct error *);

#endif
