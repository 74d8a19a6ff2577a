/* The result of fathom check, for a person, a script or a monitoring system. */
#pragma once

#include "base/save.h"
#include "compare/health.h"

/* Each writes a struct health_check. */

/* One line of at most 160 bytes: OK, FAIL or UNCERTAIN, the worst figure, how many were compared.
 */
save_function render_health_text;
/* The same line; the values that make it uncertain; what was not compared, with reasons; what can
 * be relied on in this run; and every answer with its reason, as `diff -v` lists them. */
save_function render_health_whole;
/* The same as a JSON object, schema fathom-check/1: status ("ok", "uncertain", "fail"); compared, a
 * count without conditions; not_compared[] with probe, values (a count) and reason; facts[] that
 * changed; worse[], uncertain[] (why the status is that), untold[] (can't be told), otherwise[]
 * (changed, not for the worse) and healthy[] with the values as `diff` writes them; conditions[]
 * that differ. An absent number has no key. */
save_function render_health_json;
/* A line for Nagios-compatible monitoring: FATHOM OK, WARNING (uncertain) or CRITICAL, the text,
 * and after a bar each compared value with the bound beyond which it is worse. */
save_function render_health_nagios;
