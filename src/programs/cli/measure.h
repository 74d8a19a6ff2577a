/* From arguments to a document: what `fathom run`, `fathom PROBE` and `fathom check` share. */
#ifndef FATHOM_PROGRAMS_CLI_MEASURE_H
#define FATHOM_PROGRAMS_CLI_MEASURE_H

#include "document/document.h"
#include "machine/machine.h"
#include "programs/cli/command.h"

/* This machine, or the recorded tree that FATHOM_ROOT names; its memory modules by --smbios, where
 * the settings, which may be NULL, have it. */
struct machine_source measure_source(const struct settings *);
extern const struct option_spec machine_options[];

/* Measures what a whole run with the invocation's options does, and calls `use` with the document;
 * returns its exit status or error. Nothing is shown or kept. */
typedef int measure_use(const struct document *, void *argument, struct error *);
int measure_and_use(struct invocation *, measure_use *, void *argument, struct error *);

#endif
