/* Findings of each device; the number after "gpu" is its index in machine.gpus. Short lists of
 * names are written out instead of using stars, so that tests/cli/manual sees the endings that the
 * experiments write. */
#include "measure/probes/gpu/gpu.h"

/* The standard experiment: a chase through the first-level cache, one pointer a line; other factors
 * are the probe's choice. */
const struct standard gpu_experiment[] = {
    {"what", STANDARD_NAMED, NULL, 0},
    {"gpu", STANDARD_NAMED, NULL, 0},
    {"path", STANDARD_TEXT, "l1", 0},
    {"order", STANDARD_TEXT, "random", 0},
    {"stride", STANDARD_NUMBER, NULL, 128},
    {"l1", STANDARD_ABSENT, NULL, 0},
    {"bytes", STANDARD_NAMED, NULL, 0},
    {"width_bits", STANDARD_NAMED, NULL, 0},
    {"line_bytes", STANDARD_NAMED, NULL, 0},
    {"cluster_size", STANDARD_NAMED, NULL, 0},
    {"direction", STANDARD_NAMED, NULL, 0},
    {"memory", STANDARD_NAMED, NULL, 0},
    {"traffic", STANDARD_NAMED, NULL, 0},
    {"node", STANDARD_NAMED, NULL, 0},
    {.factor = NULL},
};

const struct finding_line gpu_lines[] = {
#include "gpu.findings.h"
    {.patterns = NULL},
};
