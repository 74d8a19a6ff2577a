/* What the findings of `fathom prefetch` are: the probe's lines in the registry. */
#ifndef FATHOM_MEASURE_PROBES_PREFETCH_FINDINGS_H
#define FATHOM_MEASURE_PROBES_PREFETCH_FINDINGS_H

#include "conclude/registry/registry.h"

extern const struct finding_line prefetch_lines[]; /* the registry's */
extern const struct standard prefetch_experiment[];

#endif
