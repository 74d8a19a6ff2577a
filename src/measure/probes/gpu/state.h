/* The state of the `gpu` probe: where it is in its experiments. For gpu.c and work.c. */
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

    size_t device_at, experiment_at; /* whose turn it is */
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

/* Says in the result that this device did not do that, and why. 0, or ERROR_SYSTEM. */
int gpu_not_measured(struct gpu_task *, const char *what, const char *why, struct error *);
/* Says that this device failed. 0, or ERROR_SYSTEM. */
int gpu_failed(struct probe_task *, unsigned device, const char *why, struct error *);
/* The result's status and reason, and its parameter `not_measured`, from all of these; for when
 * everything else is concluded. 0, or ERROR_SYSTEM. */
int gpu_tell_left_out(struct probe_task *, struct error *);

#endif
