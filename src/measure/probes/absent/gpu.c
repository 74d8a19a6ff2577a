/* A build without GPUs (-Dgpu=disabled): it has no backend and no experiment, but knows the
 * findings of documents about devices. */
#include "measure/probes/gpu/gpu.h"

const struct gpu_backend *const gpu_backends[] = {NULL};

const struct absent_probe absent_probes[] = {
    {.name = "gpu",
     .why = "this build of fathom has no GPUs (-Dgpu=disabled): take one that has them",
     .findings = {gpu_lines, gpu_experiment, .of_devices = true}},
    {.name = NULL},
};
