/*
 * The kernels of the CUDA backend, written as PTX text that the driver compiles: no toolkit, and
 * cache operator, width and number of loads are parameters of the text. Pure: text in, text out.
 *
 * Every timed kernel has the shape that gpu-benches' and NVIDIA's own measurements agree on: one
 * pair of clock reads around many dependent loads; before the second one a branch on the last
 * pointer that is never taken, so that the clock waits for the last load; `.pragma "nounroll"`,
 * because ptxas unrolls by itself. Chases warm up with the same operator, in the same launch, since
 * a first-level cache is one multiprocessor's.
 *
 * Reference: NVIDIA, "Parallel Thread Execution ISA", 9.7.9 (data movement), 10 (special
 * registers).
 */
#ifndef FATHOM_MEASURE_GPU_PTX_PTX_H
#define FATHOM_MEASURE_GPU_PTX_PTX_H

#include "measure/gpu/gpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The constant memory that the chase of GPU_CONSTANT follows, for cuModuleGetGlobal. The caller
 * fills it with a ring of 32-bit words, each the offset in it of the next one. */
#define PTX_CONSTANT_BANK "bank"

enum {
    PTX_LOADS = 16, /* chained loads in the body of a chase's loop: one group */
    PTX_CONSTANT_BYTES = 64 * 1024,
};

/* Where a timed kernel leaves what it saw: the 64-bit words of its `out`. One multiprocessor writes
 * one result; streams write one a block, `PTX_RESULT_WORDS` apart. */
enum ptx_result {
    PTX_CYCLES, /* %clock64 after minus before */
    PTX_NS,     /* %globaltimer after minus before */
    PTX_LAST,   /* where a chase came to (address, index or offset): the next one's start */
    PTX_SM,     /* %smid */
    /* Zero it before a launch. The first block that may do the work exchanges it for 1, atomically,
     * and every other one returns; so it stays 0 where no block ran on the multiprocessor that was
     * asked for, and the other words are then as they were. */
    PTX_DONE,
    PTX_BEGAN_NS, /* %globaltimer before; streams: from the earliest of these to the latest end */
    PTX_ENDED_NS,
    PTX_OTHER_SM, /* cluster: %smid of the block whose memory was read. Other kernels leave it */
    PTX_RESULT_WORDS,
};

/* What a kernel's parameters are, in this order. All 64 bits wide, so that the caller needs no
 * table of types.
 *
 *   chase     start, groups (at least 1), warm (groups not timed, first), out, sm (-1: any; one
 *             thread of one block does it, all others return)
 *             start: an address; in constant memory an offset
 *   index     chase's, and last: base. A ring of 32-bit words, each the index (in words from base)
 *             of the next one; start is an index
 *   texture   chase's, and last: a texture object of single unsigned 32-bit texels over linear
 *             memory, the same kind of ring; start is an index
 *   texture_after_ca  texture's, and last: base. What is not timed goes by index
 *   rival     start, groups, warm, out, rival (an address in a second ring), warp (of the block).
 *             Thread 0 follows the first ring for `warm` groups; then the first thread of that warp
 *             the second ring for as many; then thread 0 the first ring again, which is timed
 *   shared    start (an offset), groups, warm, out, sm, bytes, stride (a multiple of 4), seed:
 *             thread 0 first links a ring of bytes / stride words, at least 1, in the dynamic
 *             shared memory: in order where seed is 0, else one random cycle through all of them.
 *             The same three make the same ring, so that the next launch can go on
 *   shared_warp  groups, warm, out, stride: 32 threads of one block each load one word of the
 *             dynamic shared memory again and again, `stride` apart; a load is one of the warp
 *   cluster   the same parameters as shared, and last: rank. Block 0 of the cluster links and
 *             follows a ring in the shared memory of block `rank`, of at least 8 bytes in each.
 *             stride: a multiple of 8. sm: where block 0 is to run
 *   link      base, stride, next (n 32-bit indices), n, values: element i at base + i * stride gets
 *             the 64-bit address base + next[i] * stride (values = 0), or next[i] * values in
 *             32 bits: for a ring of indices in words, values = stride / 4
 *   sweep     base, stride (a multiple of 4), n, order (n 32-bit indices): 4 bytes of every element
 *             are loaded past the first level, by many threads, about in that order
 *   stream    to, from, bytes, repeats, out: all blocks together read, write or copy `bytes` that
 *             many times. A block has a multiple of 32 threads, and `bytes` is a multiple of its
 *             threads times ptx_stream_round_bytes. Reads ignore `to`, writes `from`
 *   stream_shared  the same, but every block does all of it by itself, in its dynamic shared
 *             memory, where `to` and `from` are offsets, multiples of 16. stream_near does so in
 *             device memory
 *   empty     none */
struct ptx_kernel {
    const char *name;          /* of the entry: "chase_ca" */
    unsigned least_capability; /* 50 or 90: where it can be assembled at all */
    unsigned parameters;
    const char *names; /* of the parameters, in order, with a blank between them */
    /* How its text is made: for measure/gpu/ptx/ptx.c alone. */
    void (*write)(FILE *, const struct ptx_kernel *);
    const void *how;
};

/* All kernels, ending with a NULL name. */
extern const struct ptx_kernel ptx_kernels[];

/* The chase for a path and a width; NULL where there is none. 0 bits: the path's own width. That is
 * 32 of textures, constant memory and a block's own shared memory, else 64, and follows addresses.
 * GPU_L1 has two more: 32 bits follow indices (one multiply-add from load to load, which is part of
 * the number), 128 bits fetch the address in a vector of two, from a ring of stride 16 or more.
 * After plain loads there are the read-only path and textures, beside a rival GPU_L1. */
const struct ptx_kernel *ptx_chase(enum gpu_path, unsigned width_bits, enum gpu_before);
/* The stream for a kind of traffic by a path, dealt among the blocks or (`each`) all of it by each
 * block, as in shared memory; NULL where there is none. */
const struct ptx_kernel *ptx_stream(enum gpu_traffic, enum gpu_path, bool each);
/* Bytes that one thread reads, writes or copies in one round of a stream. */
extern const size_t ptx_stream_round_bytes;

/* The text for a device of that capability (10 * major + minor, at least 50): the lowest target
 * that has what the device can do, so one text serves every later architecture. Allocated with
 * malloc. NULL: no memory. */
char *ptx_text(unsigned capability);

#endif
