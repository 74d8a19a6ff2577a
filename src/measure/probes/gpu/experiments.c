#include "measure/probes/gpu/gpu.h"

/* The levels come first: others place their sets by them. Bandwidth comes last, because it has a
 * use for all the time that others leave. */
const struct gpu_experiment *const gpu_experiments[] = {
    &gpu_latency,  &gpu_memories,    &gpu_sharing,   &gpu_banks, &gpu_host,
    &gpu_together, &gpu_places,      &gpu_cluster,   &gpu_peers, &gpu_fetch,
    &gpu_distance, &gpu_translation, &gpu_bandwidth, NULL,
};
