/* Measures what the arguments ask for: shared by `fathom run`, `fathom PROBE`, `fathom check` and
 * `fathom as`. */
#pragma once

#include "measure/run/measure.h"
#include "programs/cli/command.h"
#include "programs/cli/output.h"

extern const struct option_spec machine_options[]; /* --smbios */
extern const struct option_spec twin_options[];    /* --machine, --change */
extern const struct option_spec repeat_options[];  /* --repeat, --every */

/* What the invocation's options ask for; it has no probes yet. */
struct measurement measure_as_asked(const struct invocation *);

/* Refuses options that say how to measure, where documents are named and nothing is measured;
 * --within bounds the time of both. */
int measure_refuse_how(const struct invocation *, struct error *);

/* Measures what `fathom run` would with the invocation's options, and calls `use` with it, which
 * may measure again. Returns its exit status or error. Nothing is shown or written. */
typedef int measure_use(struct measurement *, void *argument, struct error *);
int measure_and_use(const struct invocation *, measure_use *, void *argument, struct error *);

/* Reports that a run was interrupted and where the outlet (may be NULL) keeps the results so far.
 * Returns the exit status. */
int measure_interrupted(const struct outlet *);
