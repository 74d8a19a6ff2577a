/*
 * Documents of one machine as one. Of each probe the newest run counts; an older one adds what it
 * measured in another experiment ("--order forward") or of another kernel or operation, so that the
 * result has both.
 */
#ifndef FATHOM_COMPARE_MERGE_H
#define FATHOM_COMPARE_MERGE_H

#include "document/document.h"

/* Joins documents[count] in an empty document, in its own pool. Of several, the run's facts are
 * those of a joined document. The result refers to the documents' memory, which must outlive it.
 * *left_out names findings of older runs that are gone because the newest run of their probe lacks
 * them, NULL: none. ERROR_USAGE where they are of different machines. */
int documents_merge(struct document *, const struct document *documents, size_t count,
                    const char **left_out, struct error *);

#endif
