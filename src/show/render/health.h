/* Whether a machine is as good as a baseline says, as a person, a script or a watcher reads it. */
#ifndef FATHOM_SHOW_RENDER_HEALTH_H
#define FATHOM_SHOW_RENDER_HEALTH_H

#include "compare/health.h"

#include <stdio.h>

/* One line: OK, FAIL or UNCERTAIN and why; then how many values were compared, how many not, and
 * why not; then the conditions that differ. */
void render_health_text(FILE *, const struct health_check *);
/* The same as a JSON object, schema fathom-check/1: status ("ok", "uncertain", "fail"); compared,
 * a count; not_compared[] with probe, values (a count) and reason; worse[], uncertain[] and
 * healthy[] with what was compared, conditions[] with what differs and is never judged. A number
 * that is absent has no key. */
void render_health_json(FILE *, const struct health_check *);
/* A plugin's line for Nagios and what speaks like it: FATHOM OK, WARNING (uncertain) or CRITICAL,
 * the text, and behind a bar each value compared with the bound beyond which it is worse. */
void render_health_nagios(FILE *, const struct health_check *);

#endif
