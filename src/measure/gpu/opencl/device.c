#include "measure/gpu/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>

/* Far longer than any measurement, because some compilers, such as PoCL's, run at a kernel's first
 * launch. */
static const uint64_t limit_ns = 30u * 1000000000u;

/* Every GPU allows groups of 256 work-items, and eight such groups are all that a multiprocessor of
 * NVIDIA or AMD runs at once. A CPU gets groups of one item, because its compiler runs a group's
 * items one after the other. */
enum { GROUP_ITEMS = 256, UNIT_GROUPS = 8 };

static struct opencl_limits get_limits(const struct opencl_api *api, struct opencl_device *device)
{
    bool images = opencl_number(api, device, OPENCL_DEVICE_IMAGES) != 0;
    struct opencl_limits limits = {
        .buffer_bytes = opencl_number(api, device, OPENCL_DEVICE_BUFFER_BYTES),
        .local_bytes = opencl_number(api, device, OPENCL_DEVICE_LOCAL_BYTES),
        .constant_bytes = opencl_number(api, device, OPENCL_DEVICE_CONSTANT_BYTES),
        .image_pixels = images ? opencl_number(api, device, OPENCL_DEVICE_IMAGE_PIXELS) : 0,
        .is_cpu = (opencl_number(api, device, OPENCL_DEVICE_TYPE) & OPENCL_CPU) != 0,
        .has_clock = opencl_number(api, device, OPENCL_DEVICE_KERNEL_CLOCKS) != 0,
        .clock_hz = (double)opencl_number(api, device, OPENCL_DEVICE_CLOCK_MHZ) * 1e6,
        .tick_ns = (double)opencl_number(api, device, OPENCL_DEVICE_TICK_NS),
    };
    size_t most = (size_t)opencl_number(api, device, OPENCL_DEVICE_GROUP_ITEMS);
    size_t units = (size_t)opencl_number(api, device, OPENCL_DEVICE_UNITS);
    limits.group = limits.is_cpu || most == 0 ? 1 : most < GROUP_ITEMS ? most : GROUP_ITEMS;
    limits.items = (units ? units : 1) * (limits.is_cpu ? 1 : UNIT_GROUPS * limits.group);
    return limits;
}

/* Reports the log's first line that is not empty, cut to the length of an error. */
static void compiler_says(struct opencl_gpu *gpu, struct opencl_program *program, int32_t status)
{
    size_t bytes = 0;
    char *log = NULL;
    if (status == OPENCL_BUILD_FAILED &&
        gpu->api->clGetProgramBuildInfo(program, gpu->device, OPENCL_BUILD_LOG, 0, NULL, &bytes) ==
            OPENCL_SUCCESS) {
        log = calloc(bytes + 1, 1);
        if (!log) {
            error_out_of_memory(&gpu->failure);
            return;
        }
        gpu->api->clGetProgramBuildInfo(program, gpu->device, OPENCL_BUILD_LOG, bytes, log, NULL);
    }
    const char *line = log ? log + strspn(log, " \t\r\n") : "";
    int length = (int)strcspn(line, "\r\n");
    if (length == 0)
        opencl_check(gpu, "compile the kernels", status);
    else
        error_set(&gpu->failure, ERROR_IMPOSSIBLE, "OpenCL's compiler refuses the kernels: %.*s",
                  length, line);
    free(log);
}

uint64_t opencl_free_bytes(struct gpu *started)
{
    const struct opencl_gpu *gpu = (const struct opencl_gpu *)started;
    size_t free_kib[2] = {0};
    size_t bytes = 0;
    if (gpu->api->clGetDeviceInfo(gpu->device, OPENCL_DEVICE_AMD_FREE_KIB, sizeof free_kib,
                                  free_kib, &bytes) != OPENCL_SUCCESS)
        return 0;
    return (uint64_t)free_kib[0] * 1024;
}

void opencl_build(struct opencl_gpu *gpu, const char *text, struct opencl_program **program)
{
    int32_t status = OPENCL_SUCCESS;
    *program = NULL;
    if (!opencl_works(gpu))
        return;
    struct opencl_program *made =
        gpu->api->clCreateProgramWithSource(gpu->context, 1, &text, NULL, &status);
    if (!opencl_made(gpu, "take the kernels", made, status))
        return;
    /* Reading a clock in a kernel needs OpenCL C 3.0. */
    const char *options = gpu->limits.has_clock ? "-cl-std=CL3.0" : "-cl-std=CL1.2";
    status = gpu->api->clBuildProgram(made, 1, &gpu->device, options, NULL, NULL);
    if (status == OPENCL_SUCCESS) {
        *program = made;
        return;
    }
    compiler_says(gpu, made, status);
    gpu->api->clReleaseProgram(made);
}

static int check_device(const struct opencl_gpu *gpu, struct error *error)
{
    if (!opencl_number(gpu->api, gpu->device, OPENCL_DEVICE_AVAILABLE))
        return error_set(error, ERROR_IMPOSSIBLE,
                         "the OpenCL device is not available now: end what uses it alone");
    if (!opencl_number(gpu->api, gpu->device, OPENCL_DEVICE_COMPILER))
        return error_set(error, ERROR_IMPOSSIBLE,
                         "the OpenCL device has no compiler, and the kernels come as source: use "
                         "a driver that has one");
    return 0;
}

int opencl_start(struct gpu_library *opened, size_t index, struct gpu **out, struct error *error)
{
    const struct opencl_library *library = (const struct opencl_library *)opened;
    *out = NULL;
    if (index >= library->count)
        return error_set(error, ERROR_USAGE, "there is no OpenCL device %zu: they are 0 to %zu",
                         index, library->count - 1);
    struct opencl_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return error_out_of_memory(error);
    gpu->api = &library->api;
    gpu->device = library->devices[index].device;
    gpu->limit_ns = limit_ns;
    int code = check_device(gpu, error);
    if (code == 0) {
        gpu->limits = get_limits(gpu->api, gpu->device);
        int32_t status = OPENCL_SUCCESS;
        gpu->context = gpu->api->clCreateContext(NULL, 1, &gpu->device, NULL, NULL, &status);
        opencl_made(gpu, "open the device", gpu->context, status);
        for (int i = 0; opencl_works(gpu) && i < OPENCL_QUEUES; i++) {
            gpu->queues[i] = gpu->api->clCreateCommandQueue(gpu->context, gpu->device,
                                                            OPENCL_QUEUE_PROFILING, &status);
            opencl_made(gpu, "make a queue that measures times", gpu->queues[i], status);
        }
        opencl_build(gpu, opencl_text, &gpu->program);
        size_t words = gpu->limits.items < OPENCL_OUT_WORDS ? OPENCL_OUT_WORDS : gpu->limits.items;
        opencl_allocate(gpu, false, words * sizeof(uint64_t), &gpu->out);
        code = opencl_outcome(gpu, error);
    }
    if (code)
        opencl_stop((struct gpu *)gpu);
    else
        *out = (struct gpu *)gpu;
    return code;
}

void opencl_stop(struct gpu *started)
{
    struct opencl_gpu *gpu = (struct opencl_gpu *)started;
    int32_t state = OPENCL_COMPLETE;
    if (gpu && gpu->stuck)
        gpu->api->clGetEventInfo(gpu->stuck, OPENCL_EVENT_STATUS, sizeof state, &state, NULL);
    /* If a command has not ended, no memory is freed: freeing would wait for the device, or free
     * memory that it still uses. */
    if (!gpu || state > OPENCL_COMPLETE)
        return;
    opencl_clear(gpu);
    opencl_free(gpu, &gpu->kept);
    opencl_free(gpu, &gpu->out);
    if (gpu->stuck)
        gpu->api->clReleaseEvent(gpu->stuck);
    if (gpu->program)
        gpu->api->clReleaseProgram(gpu->program);
    for (int i = 0; i < OPENCL_QUEUES; i++)
        if (gpu->queues[i])
            gpu->api->clReleaseCommandQueue(gpu->queues[i]);
    if (gpu->context)
        gpu->api->clReleaseContext(gpu->context);
    free(gpu);
}
