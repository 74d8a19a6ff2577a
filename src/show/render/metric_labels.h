/* Labels of OpenMetrics. */
#ifndef FATHOM_SHOW_RENDER_METRIC_LABELS_H
#define FATHOM_SHOW_RENDER_METRIC_LABELS_H

#include <stdio.h>

/* name="text", escaped and inert, behind the separator. */
void metric_label_put(FILE *, const char *name, const char *text, const char *separator);

#endif
