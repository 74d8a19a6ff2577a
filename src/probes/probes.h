/* All probes there are. Add a line here and one in the table in probes.c. */
#ifndef FATHOM_PROBES_PROBES_H
#define FATHOM_PROBES_PROBES_H

#include "probes/probe.h"

extern const struct probe tlb_probe;
extern const struct probe latency_probe;
extern const struct probe geometry_probe;
extern const struct probe cores_probe;
extern const struct probe contention_probe;
extern const struct probe coherence_probe;
extern const struct probe prefetch_probe;
extern const struct probe bandwidth_probe;
extern const struct probe access_probe;
extern const struct probe parallelism_probe;
extern const struct probe window_probe;
extern const struct probe loaded_probe;
extern const struct probe numa_probe;
extern const struct probe gpu_probe;

#endif
