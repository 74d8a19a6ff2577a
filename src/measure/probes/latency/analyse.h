/* What latency curves say, measured here or by another tool. */
#ifndef FATHOM_MEASURE_PROBES_LATENCY_ANALYSE_H
#define FATHOM_MEASURE_PROBES_LATENCY_ANALYSE_H

#include "conclude/analyse.h"

/* Levels of each curve (conclude/levels/levels.h); of sizes that were named, each one's latency. */
void latency_analyse(struct analysis *);

#endif
