/* The differences of documents, as blocks. */
#pragma once

#include "compare/differences.h"
#include "show/report/blocks.h"

/* How many values changed; then changed facts, changed values (headline findings first, of each
 * sort the largest change), those that can't be told and conditions, each below a heading; then
 * notes on what was not compared. What can't be told is one line unless it is listed, and then so
 * are pairs of matrices. With reasons each value, also one that is the same, says why. */
enum listed { LISTED_CHANGES, LISTED_ALL, LISTED_WITH_REASONS };
void report_add_differences(struct report *, const struct differences *, enum listed);
/* "memory: 32 GiB, then 16 GiB (worse)" */
void line_add_fact(struct line *, const struct changed_fact *);

/* All findings of the report's documents: a row for each, a column for each document, and the
 * change from the first document. `beside[i]`: the differences of the first document and the i-th
 * (compare/differences.h); beside[0] is not read. */
void report_add_comparison(struct report *, const struct differences *beside, size_t count);

/* What differs: "L1.latency", "cluster (CPUs 0-3)", "latency at 48 KiB (stride 64)". */
void line_add_difference(struct line *, const struct difference *);
const char *difference_unit(const struct difference *); /* "": no unit */
