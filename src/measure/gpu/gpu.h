/*
 * GPUs: what can be asked of one, whoever made it. A `struct gpu_work` says what is to be done; a
 * backend does it and reports the device's own time. Backends open their library at run time
 * (libcuda.so.1, libOpenCL.so.1): nothing is linked, no toolkit is needed to build, and where there
 * is no library there is one line that says so.
 *
 * Not for several threads at once.
 */
#ifndef FATHOM_MEASURE_GPU_GPU_H
#define FATHOM_MEASURE_GPU_GPU_H

#include "base/error.h"
#include "base/pool.h"
#include "document/document.h" /* struct gpu_facts */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpu_action {
    GPU_CHASE,    /* one thread follows a ring of pointers: an operation is one load */
    GPU_STREAM,   /* all multiprocessors at once: an operation is one byte read or written */
    GPU_TRANSFER, /* copies between host and device, or two devices: one byte */
    GPU_LAUNCH,   /* an empty kernel, from the call to its end as the host sees it: one launch */
};

/* The way that a chase's loads take. */
enum gpu_path {
    GPU_L1,          /* through every cache (ld.global.ca) */
    GPU_L2,          /* past the first-level cache (ld.global.cg) */
    GPU_READ_ONLY,   /* the read-only path (ld.global.nc) */
    GPU_UNCACHED,    /* ld.global.cv */
    GPU_NO_ALLOCATE, /* through every cache, and the first level keeps none of it
                        (ld.global.L1::no_allocate) */
    GPU_ATOMIC,      /* atom.global.add of zero, whose result is the next address */
    GPU_TEXTURE,     /* texture fetches from linear memory */
    GPU_CONSTANT,    /* the constant bank, at most 64 KiB */
    GPU_SCALAR,      /* loads whose address a whole group shares: AMD has a cache for these alone */
    GPU_SHARED,      /* the multiprocessor's own scratchpad (OpenCL: local memory) */
    GPU_SHARED_ATOMIC,
    GPU_SHARED_WARP, /* 32 threads at once, each its own word of the scratchpad, `stride` apart */
    GPU_CLUSTER,     /* the scratchpad of another multiprocessor of the cluster */
    GPU_PATH_COUNT
};

/* What brought a ring to the first level before a chase's timed loads. GPU_RIVAL: its own loads,
 * and after them another warp of the block brought a second ring. */
enum gpu_before { GPU_ITSELF, GPU_PLAIN_LOADS, GPU_NOTHING, GPU_RIVAL };
enum { GPU_RIVAL_WARPS = 8 }; /* that the block then has */

enum gpu_order { GPU_RANDOM, GPU_STRIDED };

/* Where memory lies. Managed memory moves between host and device page by page: it is where it was
 * fetched to, or where it was touched first. */
enum gpu_home {
    GPU_ON_DEVICE,
    GPU_ON_HOST, /* pinned and mapped */
    GPU_ON_PEER,
    GPU_ON_NODE,         /* the host's, bound to one of its NUMA nodes */
    GPU_MANAGED_FETCHED, /* to the device */
    GPU_MANAGED_TOUCHED, /* by the device, before anybody else */
    GPU_MANAGED_ON_HOST, /* and kept there: the device reads it across the link */
};

enum gpu_traffic { GPU_READ, GPU_WRITE, GPU_COPY };

enum gpu_direction { GPU_TO_DEVICE, GPU_TO_HOST, GPU_BOTH_WAYS, GPU_TO_PEER };

/* What one point of a plan does. Zero where it does not matter; `carve_out` and
 * `multiprocessor` are then -1 (gpu_work_none). */
struct gpu_work {
    enum gpu_action action;
    enum gpu_path path;
    enum gpu_home home;
    enum gpu_order order;
    size_t bytes;  /* working set; of a stream or transfer: what is moved in one repeat */
    size_t stride; /* from one pointer to the next, at least 8 */
    size_t offset; /* of the ring or line in an allocation that is the same for all works with
                      the same `span`: so lines can be distinguished. Multiple of 8 */
    size_t span;   /* bytes of that allocation; 0: one of its own */
    /* GPU_CHASE: elements that every pass over the ring visits last, one after another; only their
     * loads are timed and count. The numbers of these and of the others are multiples of 16. NULL:
     * all are timed. The numbers live as long as the work. */
    const uint32_t *timed;
    size_t timed_count;
    /* GPU_CHASE: unless it is GPU_ITSELF, each pass over the ring is timed from its first load on,
     * in a launch of its own, which finds the first level empty. The elements are a multiple of 16.
     */
    enum gpu_before before;
    /* GPU_RIVAL: whose ring is the second half of `bytes`; 0: the chase's own, after its first
     * ring. Each ring's elements are a multiple of 16. */
    unsigned warp;
    unsigned width_bits; /* of each load: 32 (indices), 64 (addresses) or 128; 0 is 64 */
    int carve_out;       /* per cent of the most scratchpad there can be; -1: as it is */
    int multiprocessor;  /* that shall do it; -1: any */
    unsigned rank;       /* GPU_CLUSTER: of the block whose scratchpad is read, in `cluster_size` */
    unsigned cluster_size;
    int peer;    /* index of the other device */
    int node;    /* GPU_ON_NODE: as the system numbers it */
    bool pinned; /* GPU_TRANSFER: the host's memory */
    enum gpu_traffic traffic;
    bool each; /* GPU_STREAM: every block moves all of `bytes` by itself; of scratchpads it always
                  does */
    enum gpu_direction direction;
    /* GPU_TRANSFER one way between device and host: these devices do so at once, each with memory
     * of the host that is near to it, and this one's copies are timed. Bits of their indexes, its
     * own among them; 0: this one alone. The memory is pinned. */
    uint64_t together;
};
enum { GPU_TOGETHER_MOST = 64 }; /* devices that have a bit */

extern const struct gpu_work gpu_work_none;

/* What a batch took by the device's own clocks. */
struct gpu_time {
    double ns;
    double cycles; /* of the multiprocessor's clock; NAN where it can't be read */
};

/* The state of the device while it works, as NVML reports it; NAN and 0 where it does not. */
struct gpu_sensors {
    double clock_hz, memory_clock_hz, power_w, temperature_c;
    uint64_t throttle; /* NVML's reasons (nvmlClocksThrottleReasons) that slow the clock; 0: none */
};

/* What those reasons are, in words; ends with a NULL name. */
extern const struct gpu_throttle {
    uint64_t reason;
    const char *name;
} gpu_throttles[];

/* Each backend's own, as struct cuda_library and struct cuda_gpu are CUDA's: defined nowhere. */
struct gpu_library;
struct gpu; /* a device that was started */

struct gpu_backend {
    const char *name;  /* of --backend: "cuda", "opencl" */
    const char *title; /* for sentences: "the NVIDIA driver", "OpenCL" */
    /* Opens the library and lists its devices, whose facts live in the pool. ERROR_IMPOSSIBLE with
     * the reason in one line: no library, one too old (it names what is missing), a driver that
     * does not start, no device. ERROR_SYSTEM without memory. Nothing is left open after an error.
     */
    int (*open)(struct gpu_library **, struct pool *, struct gpu_facts **, size_t *count,
                struct error *);
    void (*close)(struct gpu_library *); /* NULL is fine */
    /* Whether start() may try that device, as far as its facts say: nothing is started. 0, or
     * ERROR_IMPOSSIBLE with the reason and the remedy ("gpu0: ..."). NULL: every device. */
    int (*usable)(const struct gpu_library *, size_t index, struct error *);
    /* ERROR_IMPOSSIBLE with the reason: not usable(), busy, no memory, the kernels' text is
     * refused (with the compiler's own first line). */
    int (*start)(struct gpu_library *, size_t index, struct gpu **, struct error *);
    void (*stop)(struct gpu *); /* NULL is fine */
    /* Why this device can't do that work, a clause for a sentence ("needs capability 9.0"); NULL:
     * it can. */
    const char *(*refuses)(const struct gpu *, const struct gpu_work *);
    /* Makes ready: memory, a ring in random order from `seed`, caches as a long chase leaves them.
     * A work that is prepared takes the place of the one before. ERROR_IMPOSSIBLE with the reason:
     * out of device memory, a launch that failed or took longer than it may; after the latter every
     * further call fails at once with the same reason. */
    int (*prepare)(struct gpu *, const struct gpu_work *, uint64_t seed, struct error *);
    /* Does the prepared work: a chase goes on where it stopped. `repeats` are loads of a chase,
     * passes over `bytes` of a stream or transfer, launches; a few more may be done. *did are the
     * operations done: loads, bytes or launches. */
    int (*run)(struct gpu *, const struct gpu_work *, uint64_t repeats, uint64_t *did,
               struct gpu_time *, struct error *);
    /* May be NULL; all absent where it can't be known. */
    void (*read_sensors)(struct gpu *, struct gpu_sensors *);
    /* What of its facts shows only while it works (an idle link runs at a lower rate), into facts
     * whose texts live in the pool. May be NULL. */
    void (*read_facts)(struct gpu *, struct pool *, struct gpu_facts *);
    /* Free memory of the device; 0 unknown. May be NULL. */
    uint64_t (*free_bytes)(struct gpu *);
};

extern const struct gpu_backend gpu_cuda, gpu_opencl;
extern const struct gpu_backend *const gpu_backends[]; /* in order of preference; ends with NULL */

/* Why dlopen() just failed, in `text`, which is returned. `otherwise` is said where the loader says
 * nothing. */
const char *gpu_loader_error(char *text, size_t size, const char *otherwise);

#endif
