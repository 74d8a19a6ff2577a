/* The state of the `gpu` probe: where it is in its experiments. For gpu.c and kit.c. */
#ifndef FATHOM_MEASURE_PROBES_GPU_STATE_H
#define FATHOM_MEASURE_PROBES_GPU_STATE_H

#include "measure/gpu/device.h"
#include "measure/probes/gpu/near.h"
#include "measure/probes/gpu/sensors.h"

struct gpu_state {
    const struct gpu_backend *backend; /* that is open; NULL: none */
    struct gpu_library *library;
    struct gpu_facts *facts; /* of all its devices */
    size_t count;
    unsigned *devices; /* those asked for, as indices of `facts` */
    size_t device_count;
    uint32_t asked; /* experiments, as bits */

    size_t device_at, experiment_at; /* the current one */
    unsigned stage;                  /* that the experiment is asked for next */
    bool running;                    /* the experiment has begun and is not concluded */
    struct gpu *gpu;                 /* NULL: the device is not started */
    struct gpu_near near;            /* where the host's thread is meanwhile */
    struct gpu_task task;            /* the experiment's */
    struct gpu_device device;        /* the engine's; its works are the points' */

    struct gpu_log log;
    const char *not_measured; /* "gpu0 texture: needs ..."; NULL: nothing was left out */
    const char *failures;     /* "gpu1: ..."; NULL: none */
};

/* Says that this device failed. */
void gpu_failed(struct probe_task *, unsigned device, const char *why);
/* The result's status and reason, and its parameter `not_measured`, from all of these; for when
 * everything else is concluded. */
void gpu_tell_left_out(struct probe_task *);

#endif
