/* What comparing two documents came to, as blocks. */
#ifndef FATHOM_REPORT_DIFFERENCES_H
#define FATHOM_REPORT_DIFFERENCES_H

#include "findings/differences.h"
#include "report/blocks.h"

/* How many values changed; the changed ones, those that may have changed and the conditions, each
 * below a heading; why to be careful, and what was not compared, as notes. */
void report_add_differences(struct report *, const struct differences *, double threshold);

/* What a difference is of: "L1.latency", "cluster (CPUs 0-3)", "latency at 48 KiB (stride 64)". */
void line_add_difference(struct line *, const struct difference *);
const char *difference_unit(const struct difference *); /* "" where it has none */

#endif
