#include "measure/gpu/gpu.h"

#include <dlfcn.h>
#include <stdio.h>

const struct gpu_work gpu_work_none = {.carve_out = -1, .multiprocessor = -1};

/* NVML API Reference, nvmlClocksEventReasons, without the reasons that do not slow the clock. */
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

const char *gpu_loader_error(char *text, size_t size, const char *otherwise)
{
    const char *said = dlerror();
    snprintf(text, size, "%s", said ? said : otherwise);
    /* If dlopen() works at all, it can open the program itself. */
    void *itself = dlopen(NULL, RTLD_NOW | RTLD_LOCAL);
    if (itself)
        dlclose(itself);
    else
        snprintf(text, size,
                 "this program is linked statically, and there is no such library here or no glibc "
                 "to open it with");
    return text;
}
