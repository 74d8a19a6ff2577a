/*
 * The host's thread near a device: what it allocates and copies for a GPU lies on the NUMA node
 * that the GPU is nearest to, and the driver's own threads begin there (nvbandwidth sets the same
 * affinity).
 */
#ifndef FATHOM_MEASURE_PROBES_GPU_NEAR_H
#define FATHOM_MEASURE_PROBES_GPU_NEAR_H

#include "machine/machine.h"

#include <stdbool.h>

struct gpu_near {
    struct cpulist before; /* where the thread might run; to be restored */
    bool moved;
};

/* Keeps the calling thread to those CPUs of the node that it may use. Does nothing where the node
 * is unknown (NAN), where the machine has only one node or this node has no CPU, or where the
 * system forbids it: copies then include the distance to the node. */
void gpu_near_enter(struct gpu_near *, const struct machine *, double node);
/* Lets it run where it might before. */
void gpu_near_leave(struct gpu_near *);
/* Whether that much can be taken of the host's node with some left over: the kernel ends a process
 * that asks for more than the node has. True where nothing is known of the node. */
bool gpu_near_has_room(const struct machine *, double node, uint64_t bytes);

#endif
