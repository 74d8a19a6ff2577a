/* The result of fathom check, for a person, a script or a monitoring system. */
#ifndef FATHOM_SHOW_RENDER_HEALTH_H
#define FATHOM_SHOW_RENDER_HEALTH_H

#include "base/save.h"
#include "compare/health.h"

/* Each writes a struct health_check. */

/* One line: OK, FAIL or UNCERTAIN and why; then how many values were compared and how many not,
 * with reasons; then the conditions that differ. */
save_function render_health_text;
/* The same as a JSON object, schema fathom-check/1: status ("ok", "uncertain", "fail"); compared, a
 * count; not_compared[] with probe, values (a count) and reason; worse[], uncertain[] and healthy[]
 * with the compared values; conditions[] with the conditions that differ, which are never judged.
 * An absent number has no key. */
save_function render_health_json;
/* A line for Nagios-compatible monitoring: FATHOM OK, WARNING (uncertain) or CRITICAL, the text,
 * and after a bar each compared value with the bound beyond which it is worse. */
save_function render_health_nagios;

#endif
