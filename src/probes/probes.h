/* All probes there are. Add a line here and one in the table in probes.c. */
#ifndef FATHOM_PROBES_PROBES_H
#define FATHOM_PROBES_PROBES_H

#include "probes/probe.h"

extern const struct probe latency_probe;
extern const struct probe cores_probe;

#endif
