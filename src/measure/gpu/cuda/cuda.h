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
 *     together.c     copies of several devices at once
 *
 * Every call of the driver that can fail goes through CUDA_TRY, so that each failure is one line.
 * The first one stands in the device until its next work, and nothing is asked of the driver after
 * it: so what needs several calls makes them one after the other, and whoever gave the work gets
 * the code in the end.
 */
#ifndef FATHOM_MEASURE_GPU_CUDA_CUDA_H
#define FATHOM_MEASURE_GPU_CUDA_CUDA_H

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
    size_t first_level_bytes; /* never 0: the largest known where it is not declared */
    size_t shared_bytes;      /* the most that one block may have */
    size_t texels;            /* the most of a texture in linear memory; 0 unknown */
    bool managed;             /* it has managed memory that moves page by page */
    bool reads_pageable;      /* it reads the host's memory that is not pinned, too */
    int host_node;            /* to which it is nearest; -1 unknown */
    char bus[32];             /* "00000000:17:00.0", for NVML and nvidia-smi; "" unknown */
};

/* A stand-in's host has NUMA nodes of its own; NULL: they are the system's. */
struct cuda_model_host {
    void *(*map)(size_t bytes, int node); /* -1: any; NULL: it has no such node */
    void (*unmap)(void *, size_t bytes);
    int (*node_of)(const void *); /* -1 unknown */
};

struct cuda_library {
    void *handle; /* of dlopen() */
    struct cuda_calls calls;
    bool modelled; /* a stand-in for the driver */
    /* What the host's time is read by: os_raw_ns(), or a stand-in's modelled time. */
    uint64_t (*host_ns)(void);
    struct cuda_model_host model_host;
    bool in_use; /* by a device that is stuck: the library can't be closed any more */
    struct cuda_device *devices;
    size_t count;
    struct nvml *nvml; /* NULL where there is none */
};

int cuda_open(struct gpu_library **, struct pool *, struct gpu_facts **, size_t *count,
              struct error *);
void cuda_close(struct gpu_library *);
/* Asks for all devices' facts; on an error the library's owner closes it. */
int cuda_list(struct cuda_library *, struct pool *, struct gpu_facts **, struct error *);

/* --- a device at work --- */

enum { CUDA_PARAMETERS = 10 }; /* no kernel has more */
enum { CUDA_EVENTS = 3 };

/* What a launch or a copy may take before it counts as slow: far beyond the slowest road, a load or
 * a copy over a narrow or busy bus. */
static const double CUDA_SLOWEST_LOAD_NS = 4000, CUDA_SLOWEST_BYTE_NS = 1;

/* A stretch of memory. `address` is as the device that works sees it. */
struct cuda_memory {
    uint64_t address;
    size_t bytes;
    void *host;      /* GPU_ON_HOST, GPU_ON_NODE: as the host sees it */
    bool registered; /* GPU_ON_NODE: pinned where it lies */
    enum gpu_home home;
    int peer;
};

/* Pinned memory of the host that goes from work to work: to pin it and to give it back takes longer
 * than most works, and waits for the device. */
struct cuda_pinned {
    void *host; /* NULL: none */
    uint64_t address;
    size_t bytes;
    bool lent;
};
enum { CUDA_PINNED = 4 }; /* of one work at a time: its copies or its ring, and the ring's tables */

/* Memory that all works with the same span share. */
struct cuda_span {
    struct cuda_memory memory;
    struct cuda_span *next;
};

/* Copies in one direction of a device, and the event behind the last of them. */
struct cuda_way {
    void *stream, *end; /* NULL: not made */
};
/* One of several devices that copy at once, with what it has in its own context. */
struct cuda_member {
    unsigned index;
    void *context, *begin; /* NULL: not made */
    struct cuda_way ways[2];
    struct cuda_memory device, host;
};
/* They stay from transfer to transfer: to pin memory takes longer than to copy it. */
struct cuda_fleet {
    uint64_t devices; /* as bits; 0: none are held */
    size_t bytes;     /* of each one's memory: that part of it for each way */
    size_t ways;      /* 1, or 2 at once */
    struct cuda_member *members;
    size_t count;
};

struct cuda_grid {
    unsigned blocks, threads;
    unsigned cluster; /* blocks; 0: no clusters */
    size_t shared_bytes;
};

/* The work that is prepared. What each kind keeps between prepare and run; zero where it does not
 * need it. */
struct cuda_job {
    struct gpu_work work;
    bool ready;
    bool fresh; /* not run yet */
    struct cuda_memory memory[2];
    void *pageable; /* of a transfer: malloc's */
    void *function;
    struct cuda_grid grid;
    uint64_t base;    /* where the ring or the stream's memory begins */
    uint64_t place;   /* of a chase: where it goes on */
    uint64_t count;   /* of a chase: elements */
    uint64_t seed;    /* of a ring that the kernel links itself; 0: strided */
    uint64_t texture; /* 0: none */
    size_t piece;     /* of a stream or a transfer: bytes of one move */
};

struct cuda_gpu {
    struct cuda_library *library;
    const struct cuda_device *device;
    unsigned index;
    void *context, *module, *streams[2], *events[CUDA_EVENTS];
    void **peers; /* contexts of all devices as far as they were opened beside this one; or NULL */
    struct cuda_span *spans;
    struct cuda_pinned pinned[CUDA_PINNED];
    struct cuda_fleet fleet;
    struct cuda_memory results;      /* where kernels leave what they saw */
    struct cuda_memory results_host; /* and where it is copied to; pinned */
    size_t result_blocks;            /* that there is room for */
    struct cuda_job job;
    struct nvml_device *sensor; /* NULL: none */
    struct error failure;       /* of the work that is under way: the first; code 0: none */
    struct error lost; /* code 0: it works. Otherwise the reason why nothing more can be asked */
    bool stuck;        /* a launch does not end, so that calls of the driver could block for ever */
};

/* --- error.c --- */

/* 0, or ERROR_IMPOSSIBLE with a line that has the call, CUDA's name for the result and the remedy.
 * `before` begins that line. */
int cuda_report(const struct cuda_calls *, const char *before, const char *call, int result,
                struct error *);
/* The same for a device, whose failure it is unless there was one before; a result after which CUDA
 * refuses everything makes the device `lost`. Returns whether the call was done. */
bool cuda_check(struct cuda_gpu *, const char *call, int result);
/* Other failures: "gpu0: " and a reason with its remedy, or no memory of the host. Return false. */
bool cuda_fail(struct cuda_gpu *, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool cuda_fail_memory(struct cuda_gpu *);
/* Says more behind the failure. */
void cuda_fail_more(struct cuda_gpu *, const char *before, const char *more);
static inline bool cuda_works(const struct cuda_gpu *gpu)
{
    return gpu->failure.code == 0;
}
/* What the work came to: 0, or the failure's code and text. */
int cuda_outcome(const struct cuda_gpu *, struct error *);

/* Calls the driver, unless something failed. Whether it was done. */
#define CUDA_TRY(gpu, name, ...)                                                                   \
    cuda_check((gpu), #name,                                                                       \
               cuda_works(gpu) ? (gpu)->library->calls.name(__VA_ARGS__) : CUDA_NOT_ASKED)
enum { CUDA_NOT_ASKED = -1 };

/* --- launch.c --- */

/* What comes before every use of a device: that it is not lost, and that its context is the
 * thread's. Nothing has failed yet. */
bool cuda_enter(struct cuda_gpu *);
/* The thread's context is the device's own again, whatever failed. */
void cuda_come_back(struct cuda_gpu *);
/* Until all that was queued is done. Polls: the driver's own waiting can't be given up. After
 * `expected_ns` and a limit the device is stuck, now and for every later call. */
void cuda_wait(struct cuda_gpu *, double expected_ns);
/* The same for one stream of a context, whose thread is then the device's own again. */
void cuda_wait_for(struct cuda_gpu *, void *context, void *stream, double expected_ns);
/* Copies and waits. The caller's memory is its own again, whatever happens. */
void cuda_send(struct cuda_gpu *, uint64_t to, const void *from, size_t bytes);

/* The job's kernel, with the split of the first level that the work asks for and room for the
 * scratchpad of its grid. */
void cuda_function(struct cuda_gpu *, const struct ptx_kernel *);
/* Whether the device has room for one such cluster: false only where the driver says so. */
bool cuda_has_room_for_cluster(const struct cuda_gpu *, const struct ptx_kernel *,
                               const struct cuda_grid *);
/* Queues it; the parameters are copied. */
void cuda_launch(struct cuda_gpu *, void *function, const struct cuda_grid *,
                 const uint64_t *parameters, size_t count);
/* The same for a kernel that is not timed, by its name, with many threads; waits for it. */
void cuda_helper(struct cuda_gpu *, const char *name, const uint64_t *parameters, size_t count,
                 double expected_ns);
/* Launches the job's kernel, waits, and returns the first `blocks` results; NULL: it failed. */
const uint64_t *cuda_timed(struct cuda_gpu *, const uint64_t *parameters, size_t count,
                           size_t blocks, double expected_ns);

/* --- memory.c --- */

/* False: it failed, and nothing is held. What memory lacks is said in bytes. */
bool cuda_allocate(struct cuda_gpu *, enum gpu_home, int peer, size_t bytes,
                   struct cuda_memory *); /* GPU_ON_DEVICE, GPU_ON_HOST, GPU_ON_PEER */
/* Nothing, where the device is stuck: it may still use the memory. */
void cuda_free(struct cuda_gpu *, struct cuda_memory *);
/* The ring's or line's memory of a work: its own, which the job then holds, or that of its span;
 * `base` is where it begins. */
void cuda_place(struct cuda_gpu *);
void cuda_free_spans(struct cuda_gpu *);
/* Frees the memory that is not in use. */
void cuda_free_pinned(struct cuda_gpu *);
void cuda_close_peers(struct cuda_gpu *);

/* --- placed.c --- */

/* Why the device can't have memory there; NULL: it can, as far as is known. */
const char *cuda_refuses_placed(const struct cuda_gpu *, const struct gpu_work *);
/* Memory on a node of the host (-1: any), or managed memory where it is wanted. It also fails where
 * the memory is not where it was asked for; then nothing is held. */
void cuda_allocate_placed(struct cuda_gpu *, enum gpu_home, int node, size_t bytes,
                          struct cuda_memory *);
/* The host's memory, placed on that node if the system can place it and report where it lies. */
void cuda_allocate_near(struct cuda_gpu *, int node, size_t bytes, struct cuda_memory *);
void cuda_free_placed(struct cuda_gpu *, struct cuda_memory *);

/* --- together.c --- */

/* Gives back what several devices copied with. */
void cuda_part(struct cuda_gpu *);

/* --- the kinds of work --- */

int cuda_prepare(struct gpu *, const struct gpu_work *, uint64_t seed, struct error *);
int cuda_run(struct gpu *, const struct gpu_work *, uint64_t repeats, uint64_t *did,
             struct gpu_time *, struct error *);
/* Frees what the job holds. */
void cuda_drop(struct cuda_gpu *);
const char *cuda_refuses(const struct gpu *, const struct gpu_work *);

struct cuda_kind {
    const char *(*refuses)(const struct cuda_gpu *, const struct gpu_work *);
    void (*prepare)(struct cuda_gpu *, uint64_t seed); /* gpu->job.work */
    void (*run)(struct cuda_gpu *, uint64_t repeats, uint64_t *did, struct gpu_time *);
};

/* The results of a chase as time; fails where no block ran where it should. Tries again, with more
 * blocks, where one multiprocessor is asked for. */
bool cuda_follow(struct cuda_gpu *, const uint64_t *parameters, size_t count, double expected_ns,
                 struct gpu_time *);

extern const struct cuda_kind cuda_chase, cuda_scratchpad, cuda_stream, cuda_transfer,
    cuda_together, cuda_empty;

#endif
