/* The parts of OpenMetrics of documents and of fleets. */
#pragma once

#include <stdio.h>

/* The header of a gauge's samples; `unit` is "" if it has none. */
void metric_head_put(FILE *, const char *name, const char *unit, const char *help);
/* name="text", inert and escaped, after the separator. */
void metric_label_put(FILE *, const char *name, const char *text, const char *separator);
