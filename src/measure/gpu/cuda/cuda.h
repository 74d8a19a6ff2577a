/*
 * What the parts of the CUDA backend share.
 *
 *   cuda.c           the backend: start and stop of a device, and what it can't do
 *   library.c        opens the driver and finds its calls
 *   facts.c          lists its devices
 *   error.c          says what a result means, and the remedy
 *   launch.c         kernels, copies, and waiting for them without ever blocking
 *   memory.c         memory on the device, the host and its peers
 *   placed.c         memory on a node of the host, and managed memory
 *   work.c           prepares and runs, by the kind of work:
 *     chase.c        rings in global memory, textures, the constant bank
 *     scratchpad.c   rings in scratchpads
 *     stream.c, transfer.c
 *     loaded.c       a chase beside traffic
 *     together.c     copies of several devices at once
 *
 * Every call of the driver that can fail goes through CUDA_TRY, so that each failure is one line.
 * The device keeps the first failure until its next work, and CUDA_TRY makes no call after it. So
 * functions make several calls in a row without checks, and cuda_outcome() returns the code at the
 * end.
 */
#pragma once

#include "base/error.h"
#include "measure/gpu/cuda/api.h"
#include "measure/gpu/cuda/nvml.h"
#include "measure/gpu/gpu.h"
#include "measure/gpu/ptx/ptx.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- the driver and its devices --- */

struct cuda_device {
    int handle;
    int compute_mode;
    unsigned capability; /* 10 * major + minor */
    unsigned multiprocessors;
    size_t first_level_bytes; /* L1 and scratchpad; the largest known if not declared, so never 0 */
    size_t shared_bytes;      /* scratchpad: the most for one block */
    size_t texels;            /* the most in a texture in linear memory; 0 unknown */
    bool managed;             /* it has managed memory that moves page by page */
    bool reads_pageable;      /* it also reads host memory that is not pinned */
    int host_node;            /* nearest NUMA node of the host; -1 unknown */
    char bus[32];             /* "00000000:17:00.0", for NVML and nvidia-smi; "" unknown */
};

/* NUMA nodes of a stand-in's modelled host; members are NULL for a real driver. */
struct cuda_model_host {
    void *(*map)(size_t bytes, int node); /* -1: any; NULL: it has no such node */
    void (*unmap)(void *, size_t bytes);
    int (*node_of)(const void *); /* -1 unknown */
};

struct cuda_library {
    void *handle; /* of dlopen() */
    struct cuda_calls calls;
    bool modelled; /* a stand-in for the driver */
    /* The host's clock: os_raw_ns(), or a stand-in's modelled time. */
    uint64_t (*host_ns)(void);
    struct cuda_model_host model_host;
    bool in_use; /* a stuck device uses it: the library can't be closed any more */
    struct cuda_device *devices;
    size_t count;
    struct nvml *nvml; /* NULL where there is none */
};

int cuda_open(struct gpu_library **, struct pool *, struct gpu_facts **, size_t *count,
              struct error *);
void cuda_close(struct gpu_library *);
/* Reads all devices' facts; after an error the caller closes the library. */
int cuda_list(struct cuda_library *, struct pool *, struct gpu_facts **, struct error *);

/* --- a device at work --- */

enum { CUDA_PARAMETERS = 10 }; /* the most of any kernel */
enum { CUDA_EVENTS = 3 };

/* Upper bounds for one load and one copied byte, from which time limits are computed: far above a
 * load or copy over a narrow or busy bus. */
static const double CUDA_SLOWEST_LOAD_NS = 4000, CUDA_SLOWEST_BYTE_NS = 1;

/* A range of memory. `address` is its address on the device that works. */
struct cuda_memory {
    uint64_t address;
    size_t bytes;
    void *host;      /* GPU_ON_HOST, GPU_ON_NODE: its address on the host */
    bool registered; /* GPU_ON_NODE: pinned in place */
    enum gpu_home home;
    int peer;
};

/* Pinned host memory that later works use again, because pinning and freeing it take longer than
 * most works, and wait for the device. */
struct cuda_pinned {
    void *host; /* NULL: none */
    uint64_t address;
    size_t bytes;
    bool lent;
};
enum { CUDA_PINNED = 4 }; /* for a work's copies or ring, and the ring's tables */

/* Memory that all works with the same span share. */
struct cuda_span {
    struct cuda_memory memory;
    struct cuda_span *next;
};

/* A device's copies in one direction, and the event after the last copy. */
struct cuda_way {
    void *stream, *end; /* NULL: not made */
};
/* One of several devices that copy at once; its objects belong to its own context. */
struct cuda_member {
    unsigned index;
    void *context, *begin; /* NULL: not made */
    struct cuda_way ways[2];
    struct cuda_memory device, host;
};
/* Kept from transfer to transfer, because pinning memory takes longer than copying it. */
struct cuda_fleet {
    uint64_t devices; /* bits of their indices; 0: none are held */
    size_t bytes;     /* of each member's memory, divided among the ways */
    size_t ways;      /* 1, or 2 for copies in both directions at once */
    struct cuda_member *members;
    size_t count;
};

struct cuda_grid {
    unsigned blocks, threads;
    unsigned cluster; /* blocks; 0: no clusters */
    size_t shared_bytes;
};

/* The prepared work, and what its kind keeps between prepare and run; unused members are 0. */
struct cuda_job {
    struct gpu_work work;
    bool ready;
    bool fresh; /* not run yet */
    struct cuda_memory memory[2];
    void *pageable; /* a transfer's pageable host memory, from malloc(); NULL: none */
    void *function;
    struct cuda_grid grid;
    uint64_t base;    /* address where the ring or the stream's memory begins */
    uint64_t place;   /* of a chase: where the next launch continues */
    uint64_t count;   /* of a chase: elements */
    uint64_t seed;    /* of a ring in a scratchpad, which the kernel links; 0: strided */
    uint64_t texture; /* 0: none */
    size_t piece;     /* of a stream or a transfer: bytes of one move */
};

struct cuda_gpu {
    struct cuda_library *library;
    const struct cuda_device *device;
    unsigned index;
    void *module_beside; /* of ptx_text_beside(); NULL: none, or the driver refuses it */
    void *context, *module, *streams[2], *events[CUDA_EVENTS];
    void **peers; /* [library->count] contexts of other devices; NULL: not opened */
    struct cuda_span *spans;
    struct cuda_pinned pinned[CUDA_PINNED];
    struct cuda_fleet fleet;
    struct cuda_memory results;      /* where kernels write their results */
    struct cuda_memory results_host; /* pinned copy of `results` on the host */
    size_t result_blocks;            /* blocks that `results` has room for */
    struct cuda_job job;
    struct nvml_device *sensor; /* NULL: none */
    struct error failure;       /* the first failure of the current work; code 0: none */
    struct error lost;          /* why the device can't be used any more; code 0: it works */
    bool stuck; /* a launch does not end, so calls of the driver could block for ever */
};

/* --- error.c --- */

/* Returns 0, or ERROR_IMPOSSIBLE with a line that begins with `before` and names the call, CUDA's
 * name for the result and the remedy. */
int cuda_report(const struct cuda_calls *, const char *before, const char *call, int result,
                struct error *);
/* The same for a device's call: records the failure if it is the first one. A result after which
 * CUDA refuses every call makes the device `lost`. Returns whether the call succeeded. */
bool cuda_check(struct cuda_gpu *, const char *call, int result);
/* Record other failures: "gpu0: " and a reason with its remedy, or out of host memory. Return
 * false. */
bool cuda_fail(struct cuda_gpu *, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool cuda_fail_memory(struct cuda_gpu *);
/* Appends `before` and `more` to the failure's text. */
void cuda_fail_more(struct cuda_gpu *, const char *before, const char *more);
static inline bool cuda_works(const struct cuda_gpu *gpu)
{
    return gpu->failure.code == 0;
}
/* The work's outcome: 0, or the failure's code and text. */
int cuda_outcome(const struct cuda_gpu *, struct error *);

/* Calls the driver unless something failed before. Returns whether the call succeeded. */
#define CUDA_TRY(gpu, name, ...)                                                                   \
    cuda_check((gpu), #name,                                                                       \
               cuda_works(gpu) ? (gpu)->library->calls.name(__VA_ARGS__) : CUDA_NOT_ASKED)
enum { CUDA_NOT_ASKED = -1 };

/* --- launch.c --- */

/* To be called before every use of a device: clears the failure and makes the device's context
 * current. False if the device is lost or the call fails. */
bool cuda_enter(struct cuda_gpu *);
/* Makes the device's own context current again, even after a failure. */
void cuda_come_back(struct cuda_gpu *);
/* Waits for everything that was queued. Polls, because the driver's own wait has no time limit.
 * After `expected_ns` and a limit it marks the device as stuck, for this and every later call. */
void cuda_wait(struct cuda_gpu *, double expected_ns);
/* The same for one stream of another context; then makes the device's own context current again. */
void cuda_wait_for(struct cuda_gpu *, void *context, void *stream, double expected_ns);
/* Copies to the device and waits. Afterwards the caller may free `from`, even after a failure. */
void cuda_send(struct cuda_gpu *, uint64_t to, const void *from, size_t bytes);

/* Sets the job's kernel, with the first-level split that the work asks for and the scratchpad that
 * its grid needs. */
void cuda_function(struct cuda_gpu *, const struct ptx_kernel *);
/* Whether the device has room for one such cluster; true if the driver can't tell. */
bool cuda_has_room_for_cluster(const struct cuda_gpu *, const struct ptx_kernel *,
                               const struct cuda_grid *);
/* Queues the kernel; the parameters are copied. */
void cuda_launch(struct cuda_gpu *, void *function, const struct cuda_grid *,
                 const uint64_t *parameters, size_t count);
/* Runs an untimed kernel, by its name, with many threads, and waits for it. */
void cuda_helper(struct cuda_gpu *, const char *name, const uint64_t *parameters, size_t count,
                 double expected_ns);
/* Launches the job's kernel, waits, and returns the results of the first `blocks` blocks; NULL: it
 * failed. */
const uint64_t *cuda_timed(struct cuda_gpu *, const uint64_t *parameters, size_t count,
                           size_t blocks, double expected_ns);

/* --- memory.c --- */

/* False: it failed and holds nothing; if memory ran out, the error says how much was asked for. */
bool cuda_allocate(struct cuda_gpu *, enum gpu_home, int peer, size_t bytes,
                   struct cuda_memory *); /* GPU_ON_DEVICE, GPU_ON_HOST, GPU_ON_PEER */
/* Does nothing if the device is stuck, because it may still use the memory. */
void cuda_free(struct cuda_gpu *, struct cuda_memory *);
/* Allocates memory for the job's ring, line or stream, either its own or that of its span, and sets
 * job.base to where it begins. */
void cuda_place(struct cuda_gpu *);
void cuda_free_spans(struct cuda_gpu *);
/* Frees the pinned memory that is not lent. */
void cuda_free_pinned(struct cuda_gpu *);
void cuda_close_peers(struct cuda_gpu *);

/* --- placed.c --- */

/* Why the device can't have memory at the work's home; NULL: no reason is known. */
const char *cuda_refuses_placed(const struct cuda_gpu *, const struct gpu_work *);
/* Allocates memory on a node of the host (-1: any), or managed memory at its home. Fails, and holds
 * nothing, also if the memory then lies elsewhere. */
void cuda_allocate_placed(struct cuda_gpu *, enum gpu_home, int node, size_t bytes,
                          struct cuda_memory *);
/* Allocates host memory on that node if the system can bind memory. Fails if the memory is known to
 * lie on another node. */
void cuda_allocate_near(struct cuda_gpu *, int node, size_t bytes, struct cuda_memory *);
void cuda_free_placed(struct cuda_gpu *, struct cuda_memory *);

/* --- together.c --- */

/* Frees what several devices copied with: memory, streams and events. */
void cuda_part(struct cuda_gpu *);

/* --- the kinds of work --- */

int cuda_prepare(struct gpu *, const struct gpu_work *, uint64_t seed, struct error *);
int cuda_run(struct gpu *, const struct gpu_work *, uint64_t repeats, uint64_t *did,
             struct gpu_time *, struct error *);
/* Frees what the job holds. */
void cuda_drop(struct cuda_gpu *);
const char *cuda_refuses(const struct gpu *, const struct gpu_work *);

struct cuda_kind {
    /* NULL: every device can do it. */
    const char *(*refuses)(const struct cuda_gpu *, const struct gpu_work *);
    void (*prepare)(struct cuda_gpu *, uint64_t seed); /* gpu->job.work */
    void (*run)(struct cuda_gpu *, uint64_t repeats, uint64_t *did, struct gpu_time *);
};

/* Launches a chase and returns its time. If a certain multiprocessor is asked for, it tries again
 * with more blocks, and fails if no block ran there. */
bool cuda_follow(struct cuda_gpu *, const uint64_t *parameters, size_t count, double expected_ns,
                 struct gpu_time *);

extern const struct cuda_kind cuda_chase, cuda_scratchpad, cuda_stream, cuda_transfer,
    cuda_together, cuda_loaded, cuda_empty;
