/*
 * What the files of the stand-in driver share. Like the driver that it stands in for it has one
 * state for the whole process, which its calls do not name; this is it.
 *
 * Time is modelled, the host's too: a call costs the host some of it, a kernel or copy begins when
 * its stream, its engine and the host have come to it, and nobody sleeps, but for waiting for what
 * hangs. What a kernel does is done at once, when it is launched.
 */
#ifndef FATHOM_TESTS_GPU_DRIVER_H
#define FATHOM_TESTS_GPU_DRIVER_H

#include "faults.h"
#include "run.h"

#define API __attribute__((visibility("default")))

/* CUresult. */
enum {
    DONE = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    DEVICE_UNAVAILABLE = 46,
    INVALID_CONTEXT = 201,
    NO_BINARY_FOR_GPU = 209,
    PEER_ACCESS_UNSUPPORTED = 217,
    INVALID_PTX = 218,
    UNSUPPORTED_PTX_VERSION = 222,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    LAUNCH_OUT_OF_RESOURCES = 701,
    LAUNCH_TIMEOUT = 702,
    PEER_ACCESS_ALREADY_ENABLED = 704,
    NOT_SUPPORTED = 801,
    INVALID_CLUSTER_SIZE = 912,
    UNKNOWN = 999,
};

/* Everything that is made in a context stands in its device's list of it. */
struct stream {
    struct stream *next;
    struct device *device;
    bool apart;    /* CU_STREAM_NON_BLOCKING: does not wait for the null stream, nor it for it */
    bool hangs;    /* something in it never ends */
    double end_ns; /* of all that is in it */
};

struct event {
    struct event *next;
    struct stream *stream; /* that it was recorded in; NULL: never */
    double ns;
    bool timed, hangs;
};

struct function {
    struct function *next;
    struct module *module;
    const struct ptx_function *code;
    int carve_out;
    uint32_t dynamic_most;
    bool large_clusters;
};

struct module {
    struct module *next;
    struct device *device;
    struct ptx_module code;
    struct function *functions;
    uint64_t constants;
};

enum { DEVICE_TEXTURES = 64 };

struct device {
    unsigned index, retained;
    struct hierarchy hierarchy;
    struct stream null, *streams;
    struct event *events;
    struct module *modules;
    struct texture textures[DEVICE_TEXTURES];
    bool reaches[MACHINE_DEVICES_MOST];
    int dead; /* the result that every call gives from now on, until the context is gone; 0 */
    double kernels_end_ns, in_end_ns, out_end_ns; /* when its engines are free */
    double clock_mhz;                             /* of the last kernel */
    uint64_t launches;
};

struct driver {
    bool started;
    struct machine machine;
    struct memory memory;
    struct device devices[MACHINE_DEVICES_MOST];
    struct device *current;
    double host_ns;
    double host_free_ns[2]; /* when its memory can serve the next copy, in and out */
    struct faults faults;
    char model_text[MACHINE_TEXT_BYTES], fault_text[MACHINE_TEXT_BYTES];
    char wrong[MACHINE_TEXT_BYTES]; /* what of FATHOM_GPU_MODEL or _FAULT can't be read; "" */
};

extern struct driver driver;

enum need { NEEDS_NOTHING, NEEDS_START, NEEDS_CONTEXT, NEEDS_LIVE_CONTEXT };

/* Every call begins with this: takes up the settings, counts it, and gives the result that the call
 * has to end with at once, or DONE. A fault that hangs is FAULT_HANG where `may_hang`, else it has
 * been waited for. */
int driver_enter(const char *call, enum need, bool may_hang);
#define ENTER(call, need)                                                                          \
    do {                                                                                           \
        int entered_ = driver_enter(call, need, false);                                            \
        if (entered_)                                                                              \
            return entered_;                                                                       \
    } while (0)

/* A size as programs are given it: those of 32 bits are given the largest that they can name. */
static inline size_t reported_size(uint64_t bytes)
{
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* A device by its number, or NULL. */
struct device *device_at(int index);
/* Whether a result leaves the context useless. */
bool result_is_sticky(int result);
/* Frees all that was made in a context, and forgets its errors. */
void device_reset(struct device *);

/* driver_stream.c. NULL is the null stream; INVALID_HANDLE where it is none of the context's. */
int stream_find(void *handle, struct stream **);
struct event *event_find(void *handle);
/* When something can begin in a stream that needs an engine which is free from `engine_ns` on. */
double stream_begin(const struct stream *, double engine_ns);
/* The host waits until then, in modelled time. For what hangs it waits in real time, for long, and
 * gives LAUNCH_TIMEOUT. */
int host_waits(struct device *, const struct stream *, double until_ns);
int host_waits_for_all(struct device *);
void streams_free(struct device *);

/* driver_module.c */
struct function *function_find(void *handle);
void modules_free(struct device *);

#endif
