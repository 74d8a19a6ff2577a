/* The road from arguments to a document: what `fathom run` and `fathom PROBE` share. */
#ifndef FATHOM_CLI_MEASURE_H
#define FATHOM_CLI_MEASURE_H

#include "machine/machine.h"

/* The machine we run on, or the recorded tree that FATHOM_ROOT names. */
struct machine_source measure_source(void);

#endif
