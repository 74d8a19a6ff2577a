/*
 * Runs a kernel on a modelled device: all of its warps, each one instruction for up to 32 threads
 * at a time, in the order of the modelled time.
 *
 * A warp issues one instruction a cycle, in order. An instruction waits until what it reads is
 * there; loads do not wait for their own result. So a clock that is read after a load says nothing
 * of it, unless something between them needs the value: as on the hardware.
 *
 * Threads of a warp that part ways run one group after the other, the one that is furthest behind
 * in the text first, and meet again where the text does. Warps do not compete for issue slots.
 */
#ifndef FATHOM_TESTS_GPU_RUN_H
#define FATHOM_TESTS_GPU_RUN_H

#include "hierarchy.h"
#include "memory.h"
#include "ptx.h"

/* A texture object: linear memory of texels of some 32-bit channels. */
struct texture {
    uint64_t address, texels;
    unsigned channels;
};

/* What runs kernels, and the time at which one begins. */
struct run_device {
    const struct machine *machine;
    struct hierarchy *hierarchy;
    const struct memory *memory;
    unsigned index;
    const bool *reaches;            /* by device: whose memory its kernels may touch */
    const struct texture *textures; /* object n is textures[n - 1] */
    size_t texture_count;
    double clock_mhz;
    uint64_t clock; /* %clock64 of multiprocessor 0 */
    double ns;      /* %globaltimer, before it is rounded */
};

struct run_grid {
    const struct ptx_module *module;
    const struct ptx_function *function;
    const unsigned char *parameters; /* function->parameter_bytes */
    uint64_t constants;              /* address of the constant bank; 0: none */
    unsigned blocks[3], threads[3];
    unsigned cluster;      /* blocks of one, along x; at least 1 */
    uint32_t shared_bytes; /* dynamic */
    int carve_out;         /* per cent, or -1 */
};

struct run_outcome {
    int result; /* a CUresult */
    uint64_t cycles, instructions /* of warps */;
    char text[PTX_ERROR_BYTES]; /* where result is not 0 */
};

enum {
    RUN_OUT_OF_MEMORY = 2,
    RUN_ILLEGAL_ADDRESS = 700,
    RUN_TOO_LONG = 702,
    RUN_TRAPPED = 715,
    RUN_MISALIGNED = 716,
};

/* Blocks that share a multiprocessor; 0: not even one fits. `scratchpad`: what is then taken of the
 * first level. */
unsigned run_occupancy(const struct machine *, const struct ptx_function *, unsigned threads,
                       uint32_t shared_bytes, int carve_out, uint64_t *scratchpad);
void run_kernel(const struct run_device *, const struct run_grid *, struct run_outcome *);

#endif
