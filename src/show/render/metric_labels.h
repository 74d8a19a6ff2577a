/* The labels of a metric's sample, by which readers of OpenMetrics tell samples apart. */
#ifndef FATHOM_SHOW_RENDER_METRIC_LABELS_H
#define FATHOM_SHOW_RENDER_METRIC_LABELS_H

#include "document/document.h"

#include <stdio.h>

enum { LABEL_BYTES = 96 };

/* What a finding was read off, as a label: order="forward". */
struct metric_label {
    char name[LABEL_BYTES]; /* valid, and unlike any other of the finding */
    const struct factor *factor;
};

struct metric_labels {
    const struct probe_result *probe;
    const struct finding *finding;
    struct metric_label *deviations; /* by name; none for a standard finding */
    size_t count;
};

/* In the pool. False without memory. */
bool metric_labels_make(struct metric_labels *, const struct probe_result *, const struct finding *,
                        struct pool *);
/* Orders by what the labels say; 0: no reader could tell the two apart. */
int metric_labels_order(const struct metric_labels *, const struct metric_labels *);
/* All of them, in braces, and a blank. */
void metric_labels_put(FILE *, const struct metric_labels *);
/* name="text", escaped and inert, behind the separator. */
void metric_label_put(FILE *, const char *name, const char *text, const char *separator);

#endif
