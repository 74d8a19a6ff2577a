/* Findings of each device; the number after "gpu" is its index in machine.gpus. Short lists of
 * names are written out instead of using stars, so that tests/cli/manual sees the endings that the
 * experiments write. */
#include "measure/probes/gpu/gpu.h"

#include "gpu.findings.h"
