/* What `fathom fleet` and fathom-mpi share: options, judging and output of a fleet. */
#pragma once

#include "base/settings.h"
#include "compare/fleet/fleet.h"

struct command_options;

/* Options for judging and showing a fleet; -o is in output_options. */
extern const struct option_spec fleet_options[];

/* Judges the fleet, reports on standard error what was left out, and writes the outputs that the
 * options ask for. With `few` a fleet with too few peers is written too, with the reason. Returns
 * the exit status or an error. */
int fleet_report(const struct command_options *, struct fleet *, bool few, struct error *);
