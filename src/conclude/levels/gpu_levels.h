/* Findings about a GPU's caches and memory from a latency curve (conclude/levels/levels.h). */
#ifndef FATHOM_CONCLUDE_LEVELS_GPU_LEVELS_H
#define FATHOM_CONCLUDE_LEVELS_GPU_LEVELS_H

#include "conclude/levels/level.h"
#include "document/document.h"

/* What the device declares of the caches that the loads went through; 0: nothing. */
struct gpu_declared {
    uint64_t l1_bytes, l2_bytes;
    bool past_l1; /* the loads bypassed L1: the first plateau is L2's */
};

/* Adds the findings of findings_levels(), each with a prefix before its name: with "gpu0." it is
 * "gpu0.L1.latency". Where the second level is seen as two plateaus, up to some half of what is
 * declared and up to all of it, the latter is "L2.outer". */
void findings_gpu_levels(struct probe_result *, struct pool *, const char *prefix,
                         const struct series *, const struct gpu_declared *);

#endif
