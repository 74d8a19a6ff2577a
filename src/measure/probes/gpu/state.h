/* The state of the `gpu` probe. For gpu.c, kit.c and together.c. */
#pragma once

#include "measure/gpu/device.h"
#include "measure/probes/gpu/near.h"
#include "measure/probes/gpu/sensors.h"

struct gpu_state {
    const struct gpu_backend *backend; /* the open one; NULL: none */
    struct gpu_library *library;
    struct gpu_facts *facts; /* of all its devices */
    size_t count;
    unsigned *devices; /* those asked for, as indices of `facts` */
    size_t device_count;
    uint32_t asked; /* experiments, as bits */

    size_t device_at, experiment_at; /* the current one */
    unsigned stage;                  /* the experiment's next stage */
    bool running;                    /* the experiment has begun and is not concluded */
    struct gpu *gpu;                 /* NULL: the device is not started */
    struct gpu_near near;            /* the host thread's affinity */
    struct gpu_task task;            /* the experiment's */
    struct gpu_device device;        /* the engine's view of it; its works are the points' works */

    struct gpu_log log;
    const char *not_measured; /* "gpu0 texture: needs ..."; NULL: nothing was left out */
    const char *failures;     /* "gpu1: ..."; NULL: none */
};

/* Records that this device failed, and why. */
void gpu_failed(struct probe_task *, unsigned device, const char *why);
/* Sets the result's status and reason and its parameter `not_measured`. To be called after all
 * findings were added. */
void gpu_tell_left_out(struct probe_task *);
