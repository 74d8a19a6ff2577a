/*
 * What the files of the OpenCL backend share. opencl.c opens the library and lists devices;
 * device.c makes one ready; call.c is every call that can fail or hang; work.c
 * knows which work is done how, chase.c, stream.c and transfer.c do it;
 * text.c is the kernels.
 *
 * Each call that can fail is made only as long as none has: the first failure stands in the device
 * until its next work, so what needs several calls makes them one after the other.
 *
 * Time is the device's, by profiling events, as the difference of a long and a short launch: what
 * launching costs cancels. Both begin with the same rounds that warm what no launch inherits.
 */
#ifndef FATHOM_MEASURE_GPU_OPENCL_OPENCL_H
#define FATHOM_MEASURE_GPU_OPENCL_OPENCL_H

#include "measure/gpu/gpu.h"
#include "measure/gpu/opencl/api.h"

struct opencl_listed {
    struct opencl_platform *platform;
    struct opencl_device *device;
};

struct opencl_library {
    void *handle;
    struct opencl_api api;
    struct opencl_listed *devices;
    size_t count;
};

/* What a device can hold. */
struct opencl_limits {
    uint64_t buffer_bytes, local_bytes, constant_bytes;
    uint64_t image_pixels; /* 0: no images */
    size_t items, group;   /* work-items that keep it busy, and in a group of them */
    bool is_cpu;
    bool has_clock;  /* kernels read one */
    double clock_hz; /* declared; 0 unknown */
    double tick_ns;  /* of profiling */
};

enum { OPENCL_LOADS = 16 }; /* chained loads in the body of a chase's loop: one group */
/* Of a chase's `out`: the last index, the clock's ticks, the halves that it did not follow, and one
 * that is never written. */
enum { OPENCL_OUT_WORDS = 4 };

/* What is prepared. A chase's `memory` belongs to the device where it is a `span`. */
struct opencl_ready {
    struct gpu_work work;
    bool is_ready;
    struct opencl_kernel *kernel;
    struct opencl_memory *memory; /* the ring; of streams and transfers: the device's side */
    struct opencl_memory *other;  /* where a copy goes to; the image; a transfer's way back */
    struct opencl_memory *pinned; /* a transfer's host side, mapped, ... */
    unsigned char *host;          /* ... or allocated, where it is pageable: first out, then back */
    uint64_t at;                  /* index that a chase stopped at */
    uint64_t warm;  /* groups of a chase, repeats of a stream, in front of each launch */
    uint64_t least; /* repeats that the clock needs, as found so far */
};

enum { OPENCL_QUEUES = 2 };

struct opencl_gpu {
    const struct opencl_api *api;
    struct opencl_device *device;
    struct opencl_context *context;
    struct opencl_queue *queues[OPENCL_QUEUES]; /* the second one for copies the other way */
    struct opencl_program *program;
    struct opencl_limits limits;
    uint64_t limit_ns;               /* a command that takes longer does not end */
    struct error failure;            /* of the work that is under way: the first; code 0: none */
    struct error lost;               /* why the device does not answer; code 0: it does */
    struct opencl_event *stuck;      /* what it then has not ended */
    struct opencl_memory *out;       /* OPENCL_OUT_WORDS, or a sum for each of limits.items */
    uint64_t said[OPENCL_OUT_WORDS]; /* `out` as read; a read that does not end may still come */
    struct opencl_memory *kept;      /* the allocation for works with this `span` */
    size_t kept_span;
    enum gpu_home kept_home;
    struct opencl_ready ready;
};

struct opencl_argument {
    size_t size;
    const void *value;
};

struct opencl_span {
    uint64_t began_ns, ended_ns;
};

/* What an action needs; work.c has the table. `make` fills gpu->ready from ready.work;
 * `measure` does `repeats` repeats of it. */
struct opencl_action {
    const char *(*refuses)(const struct opencl_gpu *, const struct gpu_work *);
    void (*make)(struct opencl_gpu *, uint64_t seed);
    void (*measure)(struct opencl_gpu *, uint64_t repeats, uint64_t *did, struct gpu_time *);
};

extern const char opencl_text[];
extern const struct opencl_action opencl_chase, opencl_stream, opencl_transfer, opencl_launch;

/* --- device.c --- */

int opencl_start(struct gpu_library *, size_t index, struct gpu **, struct error *);
void opencl_stop(struct gpu *);
/* Where AMD's extension reports it; 0 unknown. */
uint64_t opencl_free_bytes(struct gpu *);
/* Compiles kernels; fails with the first line that the compiler says. */
void opencl_build(struct opencl_gpu *, const char *text, struct opencl_program **);

/* --- work.c --- */

const char *opencl_refuses(const struct gpu *, const struct gpu_work *);
int opencl_prepare(struct gpu *, const struct gpu_work *, uint64_t seed, struct error *);
int opencl_run(struct gpu *, const struct gpu_work *, uint64_t repeats, uint64_t *did,
               struct gpu_time *, struct error *);
/* Frees what is prepared. */
void opencl_clear(struct opencl_gpu *);

/* --- chase.c --- */

/* One launch that follows the prepared ring for `groups` groups, from where it stopped. */
void opencl_follow(struct opencl_gpu *, uint64_t groups, struct gpu_time *);

/* Those ticks of a kernel's clock where they can be the multiprocessor's cycles, else NAN:
 * cl_khr_kernel_clock fixes no rate, and some devices count a timer. So they have to come at a
 * quarter of the declared clock at least, and not above it by more than a device may boost. A CPU's
 * counter is none of its cycles either. */
double opencl_cycles(const struct opencl_limits *, double ticks, double ns);

/* --- stream.c --- */

/* Loads every byte of a buffer once, by all units: it then lies in the last shared cache. */
void opencl_sweep(struct opencl_gpu *, struct opencl_memory *, size_t bytes);
/* One launch that goes over the prepared stream `repeats` times; returns its ns. */
double opencl_flow(struct opencl_gpu *, uint64_t repeats);

/* --- call.c --- */

/* "OpenCL could not <what>: CL_OUT_OF_RESOURCES", with a remedy where there is one. */
int opencl_failed(const char *what, int32_t status, struct error *);
/* The device's number for an opencl_device_info of up to 64 bits; 0 where it reports none. */
uint64_t opencl_number(const struct opencl_api *, struct opencl_device *, uint32_t info);
static inline bool opencl_works(const struct opencl_gpu *gpu)
{
    return gpu->failure.code == 0;
}
/* Whether a call was done; if not, that is the device's failure unless there was one before. */
bool opencl_check(struct opencl_gpu *, const char *what, int32_t status);
/* The same for a call that makes something. */
bool opencl_made(struct opencl_gpu *, const char *what, const void *made, int32_t status);
/* 0, or the failure's code and text. */
int opencl_outcome(const struct opencl_gpu *, struct error *);
/* What is made is NULL after a failure. */
void opencl_allocate(struct opencl_gpu *, bool on_host, size_t bytes, struct opencl_memory **);
void opencl_free(struct opencl_gpu *, struct opencl_memory **); /* of NULL too; NULL then */
void opencl_kernel(struct opencl_gpu *, const char *name, struct opencl_kernel **);
/* Launches and waits; `span` may be NULL. */
void opencl_execute(struct opencl_gpu *, struct opencl_kernel *, const struct opencl_argument *,
                    unsigned count, size_t items, size_t group, struct opencl_span *);
/* Waits until the event has come, at most gpu->limit_ns, and releases it, whatever failed before.
 * `span` may be NULL. */
void opencl_finish(struct opencl_gpu *, struct opencl_event *, struct opencl_span *);
/* Copy from or to a buffer's begin, and wait. */
void opencl_write(struct opencl_gpu *, struct opencl_memory *, size_t bytes, const void *from);
void opencl_read(struct opencl_gpu *, struct opencl_memory *, size_t bytes, void *to);

#endif
