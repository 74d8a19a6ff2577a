/* What the two files of the copy probe share: copy.c measures, findings.c says what came of it. */
#ifndef FATHOM_MEASURE_PROBES_COPY_COPY_H
#define FATHOM_MEASURE_PROBES_COPY_COPY_H

#include "measure/kernels/copy.h"
#include "measure/probes/kit/build.h"

/* Names of series. The factor "method" says by what, and "off" what is one byte off a line's
 * beginning. */
#define COPY_WARM      "copy"
#define COPY_COLD      "copy, cold"
#define COPY_UNALIGNED "copy, unaligned"
/* The parameter that lists the call that stands for each level: "L1", 8192, "L2", 262144. */
#define COPY_LEVEL_CALLS "level_calls"

void copy_analyse(struct analysis *);
extern const struct finding_line copy_lines[];
extern const struct standard copy_experiment[];

#endif
