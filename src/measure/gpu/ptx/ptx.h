/*
 * The kernels of the CUDA backend, as PTX text that the driver compiles, so no toolkit is needed.
 * kernels.ptx has the text. No function here has side effects.
 *
 * Every timed kernel has the form that gpu-benches and NVIDIA's own measurements use: one pair of
 * clock reads around many dependent loads; before the second read a branch on the last pointer,
 * which is never taken, so that the clock waits for the last load; `.pragma "nounroll"`, because
 * ptxas unrolls loops by itself. Chases warm the cache with the same operator in the same launch,
 * because another launch may run on another multiprocessor with another first-level cache.
 *
 * Reference: NVIDIA, "Parallel Thread Execution ISA", 9.7.9 (data movement), 10 (special
 * registers).
 */
#pragma once

#include "measure/gpu/gpu.h"

#include <stdbool.h>

/* Name of the constant memory of a GPU_CONSTANT chase, for cuModuleGetGlobal. The caller fills it
 * with a ring of 32-bit words; each word is the offset of the next one in the bank. */
#define PTX_CONSTANT_BANK "bank"

enum {
    PTX_LOADS = 16,        /* chained loads in the body of a chase's loop: one group */
    PTX_ROUND_BYTES = 128, /* that one thread reads, writes or copies in one round of a stream */
    PTX_CONSTANT_BYTES = 64 * 1024,
};

/* The 64-bit words of a timed kernel's `out`, where it writes its results. A chase writes one
 * result; a stream writes one for each block, `PTX_RESULT_WORDS` apart. */
enum ptx_result {
    PTX_CYCLES, /* %clock64 after minus before */
    PTX_NS,     /* %globaltimer after minus before */
    PTX_LAST,   /* where a chase ended (address, index or offset), and the next one starts */
    PTX_SM,     /* %smid */
    /* Must be 0 before a launch. The first block on the asked multiprocessor sets it to 1
     * atomically and does the work; all other blocks return. If no block ran there, it stays 0 and
     * the other words are unchanged. */
    PTX_DONE,
    PTX_BEGAN_NS, /* %globaltimer before; a stream's time is latest end - earliest begin */
    PTX_ENDED_NS,
    PTX_OTHER_SM, /* %smid of the block whose memory was read; only the cluster kernel writes it */
    PTX_PHASE = PTX_OTHER_SM, /* of `loaded`: what a block that makes traffic waits for */
    PTX_RESULT_WORDS,
};

/* A kernel's parameters, in order. All have 64 bits, so that the caller needs no table of types.
 *
 *   chase     start (an address; in constant memory an offset), groups (at least 1), warm (untimed
 *             groups, which come first), out, sm (-1: any). One thread of one block follows the
 *             ring; all others return
 *   index     those of chase, then base. A ring of 32-bit words, each the index (in words from
 *             base) of the next one; start is an index
 *   texture   those of chase, then a texture object of single unsigned 32-bit texels over linear
 *             memory, which holds the same kind of ring; start is an index
 *   texture_after_ca  those of texture, then base. Untimed loads are those of index
 *   rival     start, groups, warm, out, rival (an address in a second ring), warp (of the block).
 *             Thread 0 follows the first ring for `warm` groups, then the first thread of `warp`
 *             follows the second ring for as many, then thread 0 the first ring again, timed
 *   shared    start (an offset), groups, warm, out, sm, bytes, stride (a multiple of 4), seed:
 *             thread 0 first links a ring of bytes / stride words, at least 1, in the dynamic
 *             shared memory: in order where seed is 0, else one random cycle through all of them.
 *             Equal bytes, stride and seed give the same ring, so the next launch can continue
 *   shared_warp  groups, warm, out, stride: 32 threads of one block load one word each of the
 *             dynamic shared memory, `stride` apart, again and again; one load of the warp counts
 *             as one load
 *   cluster   those of shared, then rank. Block 0 of the cluster links and follows a ring in the
 *             shared memory of block `rank`; every block has at least 8 bytes. stride: a multiple
 *             of 8. sm: for block 0
 *   link      base, stride, next (n 32-bit indices), n, values: element i at base + i * stride gets
 *             the 64-bit address base + next[i] * stride (values = 0), or next[i] * values in
 *             32 bits: for a ring of indices in words, values = stride / 4
 *   sweep     base, stride (a multiple of 4), n, order (n 32-bit indices): many threads load 4
 *             bytes of every element past the first level, about in that order
 *   stream    to, from, bytes, repeats, out: all blocks together read, write or copy `bytes`
 *             `repeats` times. A block has a multiple of 32 threads, and `bytes` is a multiple of
 *             its threads times PTX_ROUND_BYTES. Reads ignore `to`, writes `from`
 *   stream_shared  the same, but every block moves all `bytes` by itself, in its dynamic shared
 *             memory; `to` and `from` are offsets, multiples of 16
 *   stream_near  the same as stream_shared, in device memory
 *   loaded    start, groups, warm (at least 1), out, to, from, bytes, cycles, writes: the first
 *             thread of block 0 follows a ring past the first level; meanwhile every other block
 *             reads chunks of `bytes` at `from` and writes `writes` of 100 of them at `to`, one in
 *             `cycles` cycles at most. LAST of their results: rounds of all threads together
 *   empty     none */
struct ptx_kernel {
    const char *name;          /* of the entry: "chase_ca" */
    unsigned least_capability; /* 50 or 90: the lowest that the kernel can be assembled for */
    unsigned parameters;
    enum gpu_action action; /* that it does; GPU_LAUNCH: none, or it prepares memory */
    enum gpu_path path;
    unsigned width_bits; /* of a chase */
    enum gpu_before before;
    enum gpu_traffic traffic;
    bool each; /* every block moves all of the memory */
    const char *text;
};

/* All kernels, ending with a NULL name. */
extern const struct ptx_kernel ptx_kernels[];

/* The chase for a path and a width; NULL: there is none. 0 bits mean the path's default width: 32
 * for textures, constant memory and a block's own shared memory, else 64, which follows addresses.
 * GPU_L1 also has 32 bits, which follow indices (each load's time includes one multiply-add), and
 * 128 bits, which load the address in a vector of two, from a ring of stride 16 or more.
 * GPU_PLAIN_LOADS exists for the read-only path and textures, GPU_RIVAL for GPU_L1. */
const struct ptx_kernel *ptx_chase(enum gpu_path, unsigned width_bits, enum gpu_before);
/* The stream for a kind of traffic and a path; NULL: there is none. The blocks share the work or,
 * with `each` and in shared memory, every block does all of it. */
const struct ptx_kernel *ptx_stream(enum gpu_traffic, enum gpu_path, bool each);

/* The kernel of that name, which there is. */
const struct ptx_kernel *ptx_named(const char *);

/* The text for a device of that capability (10 * major + minor, at least 50), for the lowest target
 * that has the device's kernels, so that it also serves later architectures. Allocated with malloc;
 * the caller frees it. NULL: out of memory. */
char *ptx_text(unsigned capability);
/* The text of kernels that need PTX_BESIDE, for devices whose other text lacks them, and drivers of
 * CUDA 11.4 (PTX 7.4) or later. NULL: the device needs none, or out of memory. */
enum { PTX_BESIDE = 70 };
char *ptx_text_beside(unsigned capability);
