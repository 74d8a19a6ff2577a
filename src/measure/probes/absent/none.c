/* A build with everything. */
#include "measure/probes/kit/probe.h"

const struct absent_probe absent_probes[] = {{.name = NULL}};
