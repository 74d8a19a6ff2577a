/*
 * Several documents as one: the usual values of a kind of machine (a baseline), or the repeated
 * runs of one machine. Every value is the median over the documents; its interval is their middle
 * four fifths, and each run's value is kept. Findings pair by name and experiment, and levels by
 * size (compare/pairs.h). Texts belong to the documents, which must outlive the result.
 *
 * Flags are those that half of the documents have, but without doubts from six documents on,
 * because the spread then covers what made single runs doubtful. Points summarise the documents'
 * medians.
 */
#pragma once

#include "document/document.h"

/* Builds the baseline of documents[count] in an empty document, in its own pool: every value that
 * at least half of them have. A document of several runs counts as that many. The run's facts are
 * those of joined_run(). *left_out names findings that fewer than half of the documents have; NULL:
 * none. ERROR_USAGE: the documents have different processors or no value in common. */
int baseline_build(struct document *, const struct document *documents, size_t count,
                   const char **left_out, struct error *);
/* Joins runs of one machine into an empty document, in its own pool. They may have measured
 * different probes: what half of those that measured the probe have is kept (`any`: what one of
 * them has), and so are the host, and the command and seed of the first. What a single run measured
 * stays as it is. ERROR_USAGE: the documents are of different machines or have no value in
 * common. */
int repeats_join(struct document *, const struct document *documents, size_t count, bool any,
                 struct error *);
