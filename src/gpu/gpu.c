#include "gpu/gpu.h"

const struct gpu_work gpu_work_none = {.carve_out = -1, .multiprocessor = -1};

/* NVML API Reference, nvmlClocksEventReasons; those that slow nothing down are left out. */
const struct gpu_throttle gpu_throttles[] = {
    {0x4, "the power limit"},
    {0x8, "the hardware (heat or power)"},
    {0x10, "its group's slowest device (sync boost)"},
    {0x20, "heat (by the driver)"},
    {0x40, "heat (by the hardware)"},
    {0x80, "a power brake from outside"},
    {0, NULL},
};

const struct gpu_backend *const gpu_backends[] = {&gpu_cuda, &gpu_opencl, NULL};
