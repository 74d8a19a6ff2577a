/*
 * Many documents as one: what a kind of machine usually measures. Every value of the result is the
 * median over the documents; the spread over them stands where a run's interval would.
 */
#ifndef FATHOM_COMPARE_BASELINE_H
#define FATHOM_COMPARE_BASELINE_H

#include "document/document.h"

/* Builds the baseline of documents[count] in an empty document, in its own pool: every value that
 * at least half of them have. Texts belong to the documents, which must outlive the result.
 * Findings get the middle four fifths of the documents' values as their interval; points summarise
 * the documents' medians. Flags are those that half of the documents carry, but without doubts from
 * six documents on, because the spread then covers what made single runs doubtful. The run's facts
 * are those of a joined document. Findings pair by name and experiment; *left_out names those that
 * fewer than half of the documents have, NULL: none. ERROR_USAGE where the documents are of
 * different processors or have no value in common. */
int baseline_build(struct document *, const struct document *documents, size_t count,
                   const char **left_out, struct error *);

#endif
