/* What a document keeps of the command line where nobody is to be named by it. */
#ifndef FATHOM_CLI_REDACT_H
#define FATHOM_CLI_REDACT_H

#include "cli/command.h"
#include "result/document.h"

/* Fills the command with what repeats the run, without options that name files: those are called
 * after people and machines, as is the path of the program. ERROR_SYSTEM without memory. */
int redact_command(const struct invocation *, struct pool *, struct run_facts *, struct error *);

#endif
