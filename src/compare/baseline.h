/*
 * Many documents as one: the usual values of a kind of machine, or several runs of one machine.
 * Every value of the result is the median over the documents; its interval is their spread, and its
 * runs are kept.
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

/* The same of runs of one machine, which may have measured different probes: what half of those
 * that measured the probe have is kept (`any`: what one of them has), and so are the host, and the
 * command and seed of the first. What a single run measured stays as it is. */
int repeats_join(struct document *, const struct document *documents, size_t count, bool any,
                 struct error *);

#endif
