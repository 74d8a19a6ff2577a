/*
 * Many documents as one: the usual values of a kind of machine. Every value is the median over the
 * documents; its interval is their spread, and its runs are kept (compare/spread.h).
 */
#ifndef FATHOM_COMPARE_BASELINE_H
#define FATHOM_COMPARE_BASELINE_H

#include "document/document.h"

/* Builds the baseline of documents[count] in an empty document, in its own pool: every value that
 * at least half of them have. One that holds several runs counts as these. Texts belong to the
 * documents, which must outlive the result. A finding's interval is the middle four fifths of the
 * documents' values; points summarise the documents' medians. Flags are those that half of the
 * documents have, but without doubts from six documents on, because the spread then covers what
 * made single runs doubtful. The run's facts are those of joined_run(). Findings pair by name and
 * experiment; *left_out names findings that fewer than half of the documents have; NULL: none.
 * ERROR_USAGE: the documents have different processors or no value in common. */
int baseline_build(struct document *, const struct document *documents, size_t count,
                   const char **left_out, struct error *);

#endif
