#include "probes/gpu/gpu.h"

/* The levels come first: others place their sets by them. */
const struct gpu_experiment *const gpu_experiments[] = {
    &gpu_latency, &gpu_memories, &gpu_bandwidth, &gpu_host,        &gpu_cluster,
    &gpu_peers,   &gpu_fetch,    &gpu_distance,  &gpu_translation, NULL,
};
