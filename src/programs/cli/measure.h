/* From arguments to a document: what `fathom run`, `fathom PROBE`, `fathom check` and `fathom as`
 * share. */
#ifndef FATHOM_PROGRAMS_CLI_MEASURE_H
#define FATHOM_PROGRAMS_CLI_MEASURE_H

#include "programs/cli/command.h"
#include "programs/cli/output.h"

extern const struct option_spec machine_options[]; /* --smbios */

/* Measures what a whole run with the invocation's options does, and calls `use` with the document;
 * returns its exit status or error. Nothing is shown or kept. */
typedef int measure_use(const struct document *, void *argument, struct error *);
int measure_and_use(const struct invocation *, measure_use *, void *argument, struct error *);

/* Says that a run was interrupted, and where the outlet, which may be NULL, has what was measured
 * until then. Returns the exit status. */
int measure_interrupted(const struct outlet *);

#endif
