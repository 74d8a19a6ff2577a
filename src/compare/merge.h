/*
 * Merges documents of one machine. For each probe the newest run counts; an older run adds values
 * of other experiments ("--order forward"), kernels or operations, so that the result has both.
 * Levels have the numbers of the newest curve, as they pair by size and latency (compare/levels.h).
 */
#pragma once

#include "document/document.h"

/* Joins documents[count] in an empty document, in its own pool. With several, the run's facts are
 * those of joined_run(). The result refers to the documents' memory, which must outlive it.
 * *left_out names findings of older runs that were dropped because the newest run of their probe
 * lacks them; NULL: none. ERROR_USAGE: they are from different machines. */
int documents_merge(struct document *, const struct document *documents, size_t count,
                    const char **left_out, struct error *);
/* The same, and curves of one experiment get the points that only an older run has: of parts of a
 * curve that were measured one after the other. */
int documents_add(struct document *, const struct document *documents, size_t count,
                  const char **left_out, struct error *);
