/*
 * A GPU as the engine sees it: a device (measure/engine/device.h) with a list of `struct gpu_work`,
 * which a backend carries out.
 */
#pragma once

#include "measure/engine/device.h"
#include "measure/gpu/gpu.h"

struct gpu_device {
    struct device device; /* for a plan; its works are indices of `works` */
    const struct gpu_backend *backend;
    struct gpu *gpu; /* started by its owner */
    struct gpu_work *works;
    size_t work_count;
    const struct gpu_work *ready; /* the work that is prepared */
};

/* Fills in all members but the works, for a GPU that was just started. The next plan wakes it. */
void gpu_device_begin(struct gpu_device *, const struct gpu_backend *, struct gpu *,
                      const struct gpu_facts *);
