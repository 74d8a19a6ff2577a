/* What comparing two documents came to, as blocks. */
#ifndef FATHOM_SHOW_REPORT_DIFFERENCES_H
#define FATHOM_SHOW_REPORT_DIFFERENCES_H

#include "compare/differences.h"
#include "show/report/blocks.h"

/* How many values changed; the changed ones, those that may have changed and the conditions, each
 * below a heading; why to be careful, and what was not compared, as notes. */
void report_add_differences(struct report *, const struct differences *, double threshold);

/* All findings of the report's documents, a row each and a column a document, and how far each lies
 * from the first document's. `beside[i]`: what findings/differences says of the first document and
 * the i-th; that of the first itself is not read. */
void report_add_comparison(struct report *, const struct differences *beside, size_t count);

/* What a difference is of: "L1.latency", "cluster (CPUs 0-3)", "latency at 48 KiB (stride 64)". */
void line_add_difference(struct line *, const struct difference *);
const char *difference_unit(const struct difference *); /* "" where it has none */

#endif
