/* Several runs of one machine as one document: every value is the median over the runs, its
 * interval is their spread, and each run's value is kept (compare/spread.h). */
#ifndef FATHOM_COMPARE_REPEATS_H
#define FATHOM_COMPARE_REPEATS_H

#include "document/document.h"

/* Joins documents[count] into an empty document, in its own pool. They may have measured different
 * probes: what half of those that measured the probe have is kept (`any`: what one of them has),
 * and so are the host, and the command and seed of the first. What a single run measured stays as
 * it is. Texts belong to the documents, which must outlive the result. ERROR_USAGE: the documents
 * are of different machines or have no value in common. */
int repeats_join(struct document *, const struct document *documents, size_t count, bool any,
                 struct error *);

#endif
