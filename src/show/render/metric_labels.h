/* What OpenMetrics of documents and of fleets are put together from. */
#ifndef FATHOM_SHOW_RENDER_METRIC_LABELS_H
#define FATHOM_SHOW_RENDER_METRIC_LABELS_H

#include <stdio.h>

/* What stands above the samples of a gauge; `unit` is "" where it has none. */
void metric_head_put(FILE *, const char *name, const char *unit, const char *help);
/* name="text", escaped and inert, behind the separator. */
void metric_label_put(FILE *, const char *name, const char *text, const char *separator);

#endif
