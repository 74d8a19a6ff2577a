/*
 * GPUs of any vendor. A `struct gpu_work` describes one measurement; a backend carries it out and
 * reports the time by the device's own clock. Backends open their library at run time
 * (libcuda.so.1, libOpenCL.so.1): nothing is linked, no toolkit is needed to build, and a missing
 * library is an error of one line.
 *
 * Not thread-safe: one thread at a time.
 */
#pragma once

#include "base/error.h"
#include "base/pool.h"
#include "document/document.h" /* struct gpu_facts */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpu_action {
    GPU_CHASE,    /* one thread follows a ring of pointers; an operation is one load */
    GPU_STREAM,   /* all multiprocessors at once; an operation is one byte read or written */
    GPU_TRANSFER, /* copies between host and device, or between two devices; an operation is one
                     byte */
    GPU_LAUNCH,   /* an empty kernel, from the call to its end as the host sees it; an operation is
                     one launch */
};

/* The memory path of a chase's loads. */
enum gpu_path {
    GPU_L1,          /* through every cache (ld.global.ca) */
    GPU_L2,          /* past the first-level cache (ld.global.cg) */
    GPU_READ_ONLY,   /* the read-only path (ld.global.nc) */
    GPU_UNCACHED,    /* ld.global.cv */
    GPU_NO_ALLOCATE, /* through every cache, without filling the first level
                        (ld.global.L1::no_allocate) */
    GPU_ATOMIC,      /* atom.global.add of zero; its result is the next address */
    GPU_TEXTURE,     /* texture fetches from linear memory */
    GPU_CONSTANT,    /* the constant bank, at most 64 KiB */
    GPU_SCALAR, /* loads with one address for a whole group; AMD has a separate cache for them */
    GPU_SHARED, /* the multiprocessor's own scratchpad (OpenCL: local memory) */
    GPU_SHARED_ATOMIC,
    GPU_SHARED_WARP, /* 32 threads at once load one word of the scratchpad each, `stride` apart */
    GPU_CLUSTER,     /* the scratchpad of another multiprocessor of the cluster */
    GPU_PATH_COUNT
};

/* What loaded a ring into the first level before a chase's timed loads. GPU_RIVAL: the chase's own
 * loads, after which another warp of the block loaded a second ring. */
enum gpu_before { GPU_ITSELF, GPU_PLAIN_LOADS, GPU_NOTHING, GPU_RIVAL };
enum { GPU_RIVAL_WARPS = 8 }; /* warps in the block of a GPU_RIVAL chase */

enum gpu_order { GPU_RANDOM, GPU_STRIDED };

/* Where memory lies. Managed memory moves between host and device page by page: it lies where it
 * was prefetched to, or where it was touched first. */
enum gpu_home {
    GPU_ON_DEVICE,
    GPU_ON_HOST, /* pinned and mapped */
    GPU_ON_PEER,
    GPU_ON_NODE,         /* on the host, bound to one of its NUMA nodes */
    GPU_MANAGED_FETCHED, /* prefetched to the device */
    GPU_MANAGED_TOUCHED, /* first touched by the device */
    GPU_MANAGED_ON_HOST, /* kept on the host: the device reads it across the link */
};

enum gpu_traffic { GPU_READ, GPU_WRITE, GPU_COPY };

enum gpu_direction { GPU_TO_DEVICE, GPU_TO_HOST, GPU_BOTH_WAYS, GPU_TO_PEER };

/* What one point of a plan measures. Members that an action does not use are 0, but `carve_out` and
 * `multiprocessor` are -1 (gpu_work_none). */
struct gpu_work {
    enum gpu_action action;
    enum gpu_path path;
    enum gpu_home home;
    enum gpu_order order;
    size_t bytes;  /* working set; of a stream or transfer: bytes moved in one repeat */
    size_t stride; /* bytes from one pointer to the next, at least 8 */
    size_t offset; /* bytes, a multiple of 8: where the ring or line begins in an allocation that
                      all works with the same `span` share, so that lines can be distinguished */
    size_t span;   /* bytes of that allocation; 0: the work has its own allocation */
    /* GPU_CHASE: indices of the elements that every pass over the ring visits last; only their
     * loads are timed and counted. `timed_count` and the number of other elements are multiples of
     * 16. NULL: all loads are timed. The array lives as long as the work. */
    const uint32_t *timed;
    size_t timed_count;
    /* GPU_CHASE: with any value but GPU_ITSELF, each pass over the ring is timed from its first
     * load on, in its own launch, which finds the first level empty. The number of elements is a
     * multiple of 16. */
    enum gpu_before before;
    /* GPU_RIVAL: the warp that loads the second ring, which is the second half of `bytes`; 0: the
     * chase's own warp, after the first ring. The number of elements in each ring is a multiple of
     * 16. */
    unsigned warp;
    unsigned width_bits; /* of each load: 32 (indices), 64 (addresses) or 128; 0 means 64 */
    int carve_out;       /* scratchpad in per cent of its maximum; -1: the driver's choice */
    int multiprocessor;  /* that runs the kernel; -1: any */
    unsigned rank; /* GPU_CLUSTER: of the block whose scratchpad is read; below `cluster_size` */
    unsigned cluster_size;
    int peer;    /* index of the other device */
    int node;    /* GPU_ON_NODE: the system's number of the NUMA node */
    bool pinned; /* GPU_TRANSFER: the host's memory is pinned */
    enum gpu_traffic traffic;
    bool each; /* GPU_STREAM: every block moves all of `bytes` by itself; in scratchpads it always
                  does */
    enum gpu_direction direction;
    /* GPU_TRANSFER between device and host: a bit for the index of each device that copies at once,
     * including this one; 0: this device copies alone. Each device copies to or from pinned host
     * memory near to it; only this device's copies are timed. */
    uint64_t together;
    /* GPU_CHASE by GPU_L2: bytes of other memory that all multiprocessors but the chase's read and
     * write meanwhile; 0: none. Each writes `writes` of 100 chunks, and begins one in
     * `round_cycles` cycles at most. GPU_STREAM: the same, but an operation is a byte that they
     * move, and a repeat is 64 loads of the chase. */
    size_t beside;
    unsigned writes, round_cycles;
};
enum { GPU_TOGETHER_MOST = 64 }; /* devices that `together` has bits for */

extern const struct gpu_work gpu_work_none;

/* Time of a batch by the device's own clocks. */
struct gpu_time {
    double ns;
    double cycles; /* of the multiprocessor's clock; NAN if it can't be read */
};

/* The state of the device while it works, as NVML reports it; NAN or 0: not reported. */
struct gpu_sensors {
    double clock_hz, memory_clock_hz, power_w, temperature_c;
    uint64_t throttle; /* NVML's reasons (nvmlClocksThrottleReasons) that slow the clock; 0: none */
};

/* The throttle reasons in words; ends with a NULL name. */
extern const struct gpu_throttle {
    uint64_t reason;
    const char *name;
} gpu_throttles[];

/* Never defined: each backend casts to its own types (struct cuda_library, struct cuda_gpu). */
struct gpu_library;
struct gpu; /* a device that was started */

struct gpu_backend {
    const char *name;  /* of --backend: "cuda", "opencl" */
    const char *title; /* for sentences: "the NVIDIA driver", "OpenCL" */
    /* Opens the library and lists its devices; both live in the pool. ERROR_IMPOSSIBLE with
     * the reason in one line: no library, a library that is too old (the line names the missing
     * call), a driver that does not start, no device. ERROR_SYSTEM: out of memory. After an error
     * nothing stays open. */
    int (*open)(struct gpu_library **, struct pool *, struct gpu_facts **, size_t *count,
                struct error *);
    void (*close)(struct gpu_library *); /* NULL is fine */
    /* Whether the device's facts allow start(); starts nothing. Returns 0, or ERROR_IMPOSSIBLE with
     * the reason and the remedy ("gpu0: ..."). NULL: every device is usable. */
    int (*usable)(const struct gpu_library *, size_t index, struct error *);
    /* ERROR_IMPOSSIBLE with the reason: not usable(), busy, out of memory, or the driver refuses
     * the kernels' text (with the compiler's first line). */
    int (*start)(struct gpu_library *, size_t index, struct gpu **, struct error *);
    void (*stop)(struct gpu *); /* NULL is fine */
    /* Why this device can't do the work, as a clause ("needs capability 9.0"); NULL: it can. */
    const char *(*refuses)(const struct gpu *, const struct gpu_work *);
    /* Prepares memory, a ring in random order from `seed`, and the caches as a long chase leaves
     * them. Replaces the work that was prepared before. ERROR_IMPOSSIBLE with the reason: out of
     * device memory, or a launch failed or exceeded its time limit; after a time-out every further
     * call fails at once with the same reason. */
    int (*prepare)(struct gpu *, const struct gpu_work *, uint64_t seed, struct error *);
    /* Runs the prepared work; a chase continues where it stopped. `repeats` counts loads of a
     * chase, passes over `bytes` of a stream or transfer, or launches; run() may do a few more.
     * *did is the number of operations done: loads, bytes or launches. */
    int (*run)(struct gpu *, const struct gpu_work *, uint64_t repeats, uint64_t *did,
               struct gpu_time *, struct error *);
    /* May be NULL. Values that are not reported are NAN or 0. */
    void (*read_sensors)(struct gpu *, struct gpu_sensors *);
    /* Updates facts that are only true while the device works (an idle link runs at a lower rate);
     * their texts live in the pool. May be NULL. */
    void (*read_facts)(struct gpu *, struct pool *, struct gpu_facts *);
    /* Free memory of the device; 0 unknown. May be NULL. */
    uint64_t (*free_bytes)(struct gpu *);
};

extern const struct gpu_backend gpu_cuda, gpu_opencl;
extern const struct gpu_backend *const gpu_backends[]; /* in order of preference; ends with NULL */

/* Writes to `text`, and returns, why dlopen() just failed; `otherwise` if the loader gives no
 * reason. */
const char *gpu_loader_error(char *text, size_t size, const char *otherwise);
