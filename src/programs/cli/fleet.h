/* What `fathom fleet` and fathom-mpi share: options, and what becomes of a fleet. */
#ifndef FATHOM_PROGRAMS_CLI_FLEET_H
#define FATHOM_PROGRAMS_CLI_FLEET_H

#include "base/settings.h"
#include "compare/fleet/fleet.h"

/* How a fleet is judged and shown; -o is in output_options. */
extern const struct option_spec fleet_options[];

/* Judges the fleet, says on standard error what was left out, and writes what the options ask for.
 * With `few` a fleet of too few like nodes is written all the same, and the reason said. Returns
 * the exit status or an error. */
int fleet_report(const struct settings *, struct fleet *, bool few, struct error *);

#endif
