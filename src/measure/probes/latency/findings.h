/* What the findings of `fathom latency` are: the probe's lines in the registry. */
#ifndef FATHOM_MEASURE_PROBES_LATENCY_FINDINGS_H
#define FATHOM_MEASURE_PROBES_LATENCY_FINDINGS_H

#include "conclude/registry/registry.h"

extern const struct finding_line latency_lines[]; /* the registry's */
extern const struct standard latency_experiment[];

#endif
