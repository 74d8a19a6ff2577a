/*
 * Moves the host's thread near to a device, so that memory which it allocates and copies for a GPU
 * lies on the nearest NUMA node, and the driver's threads start there (nvbandwidth sets the same
 * affinity).
 */
#pragma once

#include "machine/machine.h"

#include <stdbool.h>

struct gpu_near {
    struct cpulist before; /* the thread's affinity, to be restored */
    bool moved;
};

/* Pins the calling thread to the node's CPUs that it may use. Does nothing if the node is unknown
 * (NAN), the machine has only one node, this node has no CPU, or the system forbids it; copies may
 * then cross nodes. */
void gpu_near_enter(struct gpu_near *, const struct machine *, double node);
/* Restores the thread's affinity. */
void gpu_near_leave(struct gpu_near *);
/* Whether the host's node has that much free memory and some to spare: the kernel kills a process
 * that binds more than the node has. True if the node's free memory is unknown. */
bool gpu_near_has_room(const struct machine *, double node, uint64_t bytes);
