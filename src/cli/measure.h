/* The road from arguments to a document: what `fathom run` and `fathom PROBE` share. */
#ifndef FATHOM_CLI_MEASURE_H
#define FATHOM_CLI_MEASURE_H

#include "cli/command.h"
#include "machine/machine.h"
#include "result/document.h"

/* The machine we run on, or the recorded tree that FATHOM_ROOT names. */
struct machine_source measure_source(void);

/* Measures every probe that the invocation's common options leave, and hands the document to `use`,
 * whose exit status or error is returned; nothing is shown or kept. */
typedef int measure_use(const struct document *, void *argument, struct error *);
int measure_and_use(struct invocation *, measure_use *, void *argument, struct error *);

#endif
