/* What the files that run kernels share. */
#ifndef FATHOM_TESTS_GPU_SIMT_H
#define FATHOM_TESTS_GPU_SIMT_H

#include "run.h"

enum warp_state {
    WARP_READY,
    WARP_AT_BARRIER,
    WARP_ARRIVES, /* at the cluster's barrier */
    WARP_AWAITS_CLUSTER,
    WARP_ENDED,
    WARP_FAILED,
};

/* Threads that wait for the others to come to their instruction. */
struct warp_group {
    uint32_t at, lanes;
};

struct warp {
    struct block *block;
    uint64_t *file;       /* [columns][WARP_LANES] */
    uint64_t *ready;      /* [columns]: the cycle at which the value is there */
    uint64_t now, stored; /* stored: when its stores have all arrived */
    uint32_t at, lanes;
    uint32_t meets; /* the instruction at which a parked group waits; none: UINT32_MAX */
    struct warp_group parked[WARP_LANES];
    unsigned parked_count, cluster_phase, index;
    uint64_t order; /* of all warps of the kernel */
    enum warp_state state;
};

struct block {
    struct unit *unit;
    unsigned char *shared; /* [grid's shared bytes, static and dynamic] */
    struct warp *warps;
    unsigned sm, rank, live, waiting;
    uint32_t place[3];
};

/* The blocks of one cluster; of one block where there are no clusters. */
struct unit {
    struct block *blocks;
    unsigned slot, live_blocks, live_warps, arrived, phase;
    uint64_t arrived_at;
};

struct run {
    const struct run_device *device;
    const struct run_grid *grid;
    const struct ptx_function *function;
    struct run_outcome *outcome;
    const struct allocation *last; /* the allocation that was touched last */
    enum where last_where;
    uint64_t last_place; /* its place as this device sees it */
    const struct allocation *constants;
    uint64_t budget;       /* instructions */
    uint32_t shared_bytes; /* of a block, static and dynamic */
};

/* warp.c: runs until the warp has to wait for something, or its next instruction would begin after
 * `until`. */
enum warp_state warp_run(struct run *, struct warp *, uint64_t until);
/* Notes why the run can't go on. */
enum warp_state warp_fails(struct run *, const struct ptx_instruction *, int result,
                           const char *what);

/* warp_memory.c: each begins at `now`; RUN_... or 0. */
int warp_load(struct run *, struct warp *, const struct ptx_instruction *, uint32_t lanes,
              uint64_t now);
int warp_store(struct run *, struct warp *, const struct ptx_instruction *, uint32_t lanes,
               uint64_t now);
int warp_atomic(struct run *, struct warp *, const struct ptx_instruction *, uint32_t lanes,
                uint64_t now);
int warp_texture(struct run *, struct warp *, const struct ptx_instruction *, uint32_t lanes,
                 uint64_t now);

/* warp_space.c: where addresses lead. */
struct touched {
    struct access access;
    uint64_t line;
};

/* The lines that a warp's lanes touch, each once. */
struct touches {
    struct touched list[WARP_LANES];
    unsigned count;
};

unsigned char *space_global(struct run *, uint64_t address, unsigned bytes, struct touches *);
unsigned char *space_shared(const struct run *, const struct warp *, uint64_t address,
                            unsigned bytes, const struct block **);
unsigned char *space_constant(const struct run *, uint64_t address, unsigned bytes,
                              uint64_t *place);
/* When all of them are there. */
uint64_t touches_take(struct run *, const struct warp *, struct touches *, enum road, uint64_t now);

/* warp_begin.c */
size_t unit_bytes(const struct run *, unsigned warps);
/* Lays a unit's blocks and warps out in that much memory, and their files as a kernel finds them.
 */
struct unit *unit_begin(const struct run *, void *memory, unsigned warps, uint32_t first_block,
                        unsigned first_sm, uint64_t now);

#define FOR_EACH_LANE(lane, lanes)                                                                 \
    for (uint32_t rest_ = (lanes), lane = 0;                                                       \
         rest_ && (lane = (uint32_t)__builtin_ctz(rest_), true); rest_ &= rest_ - 1)

static inline uint64_t *column(const struct warp *warp, uint16_t index)
{
    return &warp->file[(size_t)index * WARP_LANES];
}

#endif
