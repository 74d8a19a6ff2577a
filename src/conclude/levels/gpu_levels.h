/* Findings about a GPU's caches and memory from a latency curve (conclude/levels/level.h). */
#ifndef FATHOM_CONCLUDE_LEVELS_GPU_LEVELS_H
#define FATHOM_CONCLUDE_LEVELS_GPU_LEVELS_H

#include "conclude/levels/level.h"
#include "document/document.h"

/* Declared sizes of the caches that the loads went through, in bytes; 0: unknown. */
struct gpu_declared {
    uint64_t l1_bytes, l2_bytes;
    bool past_l1; /* the loads bypassed L1: the first plateau is L2 */
};

/* Adds the findings of findings_levels() with a prefix to each name: "gpu0." makes
 * "gpu0.L1.latency". If the second level shows two plateaus, one to about half of the declared size
 * and one to all of it, the second is "L2.outer". */
void findings_gpu_levels(struct probe_result *, struct pool *, const char *prefix,
                         const struct series *, const struct gpu_declared *);

#endif
