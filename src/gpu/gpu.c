#include "gpu/gpu.h"

const struct gpu_work gpu_work_none = {.carve_out = -1, .multiprocessor = -1};

const struct gpu_backend *const gpu_backends[] = {&gpu_cuda, &gpu_opencl, NULL};
