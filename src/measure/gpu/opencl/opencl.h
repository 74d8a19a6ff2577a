/*
 * What the files of the OpenCL backend share. opencl.c opens the library and lists devices;
 * device.c starts a device; call.c makes the calls that can fail or hang; work.c chooses the file
 * for a work: chase.c, stream.c or transfer.c; text.c holds the kernels.
 *
 * After a failure no further call is made until the next work, and the device keeps the first
 * failure. So functions make several calls in a row without checks.
 *
 * Times are the device's, from profiling events. A time is the difference of a long and a short
 * launch, so that the cost of launching cancels. Both begin with the same untimed repeats, which
 * warm what does not outlive a launch.
 */
#pragma once

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

/* A device's limits and clocks. */
struct opencl_limits {
    uint64_t buffer_bytes, local_bytes, constant_bytes;
    uint64_t image_pixels; /* 0: no images */
    size_t items, group;   /* work-items that keep it busy; work-items in a group */
    bool is_cpu;
    bool has_clock;  /* kernels can read a clock */
    double clock_hz; /* declared; 0 unknown */
    double tick_ns;  /* resolution of profiling times */
};

enum { OPENCL_LOADS = 16 }; /* chained loads in the body of a chase's loop: one group */
/* Words of a chase's `out`: the last index, the clock's ticks, the unused halves of 128-bit loads,
 * and a word that is never written. */
enum { OPENCL_OUT_WORDS = 4 };

/* The prepared work. A chase's `memory` belongs to opencl_gpu.kept if the work has a span. */
struct opencl_ready {
    struct gpu_work work;
    bool is_ready;
    struct opencl_kernel *kernel;
    struct opencl_memory *memory; /* the ring; a stream's memory; a transfer's device side */
    struct opencl_memory *other;  /* a copy's destination; an image; a transfer's second buffer */
    struct opencl_memory *pinned; /* a transfer's pinned host side; NULL: none */
    unsigned char *host;          /* a transfer's host memory, of `pinned` or pageable */
    uint64_t at;                  /* index where a chase stopped */
    uint64_t warm;                /* untimed groups or repeats at the begin of each launch */
    uint64_t least;               /* repeats that the clock's resolution needs, as found so far */
};

enum { OPENCL_QUEUES = 2 };

struct opencl_gpu {
    const struct opencl_api *api;
    struct opencl_device *device;
    struct opencl_context *context;
    struct opencl_queue *queues[OPENCL_QUEUES]; /* the second one: copies in the other direction */
    struct opencl_program *program;
    struct opencl_limits limits;
    uint64_t limit_ns;               /* a command that takes longer counts as stuck */
    struct error failure;            /* the first failure of the current work; code 0: none */
    struct error lost;               /* why the device does not answer; code 0: it does */
    struct opencl_event *stuck;      /* the event of the command that did not end; NULL: none */
    struct opencl_memory *out;       /* OPENCL_OUT_WORDS words, or a sum for each of limits.items */
    uint64_t said[OPENCL_OUT_WORDS]; /* copy of `out`; a stuck read may still write it */
    struct opencl_memory *kept;      /* the allocation for works with span `kept_span` */
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

/* The functions of an action; work.c has the table. `make` fills gpu->ready from ready.work;
 * `measure` does `repeats` repeats. */
struct opencl_action {
    /* NULL: every device can do it. */
    const char *(*refuses)(const struct opencl_gpu *, const struct gpu_work *);
    void (*make)(struct opencl_gpu *, uint64_t seed);
    void (*measure)(struct opencl_gpu *, uint64_t repeats, uint64_t *did, struct gpu_time *);
};

extern const char opencl_text[];
extern const struct opencl_action opencl_chase, opencl_stream, opencl_transfer, opencl_launch;

/* --- device.c --- */

int opencl_start(struct gpu_library *, size_t index, struct gpu **, struct error *);
void opencl_stop(struct gpu *);
/* Free memory, from AMD's extension; 0 unknown. */
uint64_t opencl_free_bytes(struct gpu *);
/* Compiles kernels; the failure has the first line of the compiler's log. */
void opencl_build(struct opencl_gpu *, const char *text, struct opencl_program **);

/* --- work.c --- */

const char *opencl_refuses(const struct gpu *, const struct gpu_work *);
int opencl_prepare(struct gpu *, const struct gpu_work *, uint64_t seed, struct error *);
int opencl_run(struct gpu *, const struct gpu_work *, uint64_t repeats, uint64_t *did,
               struct gpu_time *, struct error *);
/* Frees the prepared work. */
void opencl_clear(struct opencl_gpu *);

/* --- chase.c --- */

/* One launch that follows the prepared ring for `groups` groups, from where the chase stopped. */
void opencl_follow(struct opencl_gpu *, uint64_t groups, struct gpu_time *);

/* Returns `ticks` of a kernel's clock if they can be the multiprocessor's cycles, else NAN:
 * cl_khr_kernel_clock fixes no rate, and some devices count a timer. Their rate must be between a
 * quarter of the declared clock and what a boost allows (1.25 times). A CPU's counter never counts
 * cycles. */
double opencl_cycles(const struct opencl_limits *, double ticks, double ns);

/* --- stream.c --- */

/* Loads every byte of a buffer once, by all units, so that the last shared cache holds it. */
void opencl_sweep(struct opencl_gpu *, struct opencl_memory *, size_t bytes);
/* One launch with `repeats` passes over the prepared stream; returns its time in ns. */
double opencl_flow(struct opencl_gpu *, uint64_t repeats);

/* --- call.c --- */

/* "OpenCL could not <what>: CL_OUT_OF_RESOURCES", with a remedy if there is one. */
int opencl_failed(const char *what, int32_t status, struct error *);
/* The device's number for an opencl_device_info of up to 64 bits; 0: not reported. */
uint64_t opencl_number(const struct opencl_api *, struct opencl_device *, uint32_t info);
static inline bool opencl_works(const struct opencl_gpu *gpu)
{
    return gpu->failure.code == 0;
}
/* Whether a call succeeded; if not, records the failure if it is the first one. */
bool opencl_check(struct opencl_gpu *, const char *what, int32_t status);
/* The same for a call that creates an object. */
bool opencl_made(struct opencl_gpu *, const char *what, const void *made, int32_t status);
/* 0, or the failure's code and text. */
int opencl_outcome(const struct opencl_gpu *, struct error *);
/* The following functions store NULL after a failure. */
void opencl_allocate(struct opencl_gpu *, bool on_host, size_t bytes, struct opencl_memory **);
void opencl_free(struct opencl_gpu *, struct opencl_memory **); /* NULL is fine; sets it to NULL */
void opencl_kernel(struct opencl_gpu *, const char *name, struct opencl_kernel **);
/* Launches and waits; `span` may be NULL. */
void opencl_execute(struct opencl_gpu *, struct opencl_kernel *, const struct opencl_argument *,
                    unsigned count, size_t items, size_t group, struct opencl_span *);
/* Waits at most gpu->limit_ns until the event has ended, and releases it, even after a failure.
 * `span` may be NULL. */
void opencl_finish(struct opencl_gpu *, struct opencl_event *, struct opencl_span *);
/* Copy to or from the begin of a buffer, and wait. */
void opencl_write(struct opencl_gpu *, struct opencl_memory *, size_t bytes, const void *from);
void opencl_read(struct opencl_gpu *, struct opencl_memory *, size_t bytes, void *to);
