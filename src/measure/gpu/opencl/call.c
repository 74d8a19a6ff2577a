#include "measure/gpu/opencl/opencl.h"

#include "base/units.h"
#include "machine/os.h"

#include <stdio.h>
#include <time.h>

static const struct {
    int32_t status;
    const char *name;
} status_names[] = {
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-12, "CL_MAP_FAILURE"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-30, "CL_INVALID_VALUE"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-40, "CL_INVALID_IMAGE_SIZE"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
};

/* Most drivers allocate when memory is first used, so any command may find that there is none. */
static bool is_out_of_memory(int32_t status)
{
    return status == OPENCL_NO_OBJECT_MEMORY || status == OPENCL_NO_RESOURCES ||
           status == OPENCL_NO_HOST_MEMORY || status == OPENCL_INVALID_BUFFER_SIZE;
}

int opencl_failed(const char *what, int32_t status, struct error *error)
{
    char number[32];
    snprintf(number, sizeof number, "error %d", (int)status);
    const char *name = number;
    for (size_t i = 0; i < sizeof status_names / sizeof *status_names; i++)
        if (status_names[i].status == status)
            name = status_names[i].name;
    return error_set(error, ERROR_IMPOSSIBLE, "OpenCL could not %s: %s%s", what, name,
                     is_out_of_memory(status)
                         ? "; it has too little memory: measure a smaller working set"
                         : "");
}

uint64_t opencl_number(const struct opencl_api *api, struct opencl_device *device, uint32_t info)
{
    /* Numbers are 32 or 64 bits wide, and the library says how wide. */
    union {
        uint32_t half;
        uint64_t whole;
    } number = {.whole = 0};
    size_t bytes = 0;
    if (api->clGetDeviceInfo(device, info, sizeof number, &number, &bytes) != OPENCL_SUCCESS)
        return 0;
    return bytes == sizeof number.half ? number.half : number.whole;
}

/* --- waiting --- */

int opencl_answers(const struct opencl_gpu *gpu, struct error *error)
{
    return gpu->lost.code ? error_set(error, gpu->lost.code, "%s", gpu->lost.text) : 0;
}

static int lose(struct opencl_gpu *gpu, struct opencl_event *event, struct error *error)
{
    char limit[UNIT_TEXT];
    gpu->stuck = event;
    error_set(&gpu->lost, ERROR_IMPOSSIBLE,
              "the OpenCL device did not end a command within %s and is given up: it hangs, or "
              "others keep it busy",
              duration_format((double)gpu->limit_ns / 1e9, limit));
    return opencl_answers(gpu, error);
}

/* Asks without a pause at first, for otherwise a launch of some us would seem to take as long as a
 * sleep; then now and then, because a device that is a CPU may need the very core that asks. */
enum { ASK_NS = 200 * 1000, SLEEP_NS = 100 * 1000 };

/* clFinish() and clWaitForEvents() have no time limit. They are used only where a command's state
 * can't be asked for, because what the command uses may be freed next. */
static int wait_for(struct opencl_gpu *gpu, struct opencl_event *event, struct error *error)
{
    uint64_t began_ns = os_raw_ns();
    for (;;) {
        int32_t state = OPENCL_COMPLETE;
        int32_t status =
            gpu->api->clGetEventInfo(event, OPENCL_EVENT_STATUS, sizeof state, &state, NULL);
        for (size_t i = 0; status != OPENCL_SUCCESS && i < OPENCL_QUEUES; i++)
            gpu->api->clFinish(gpu->queues[i]);
        if (status == OPENCL_SUCCESS && state < 0)
            status = state;
        if (status != OPENCL_SUCCESS)
            return opencl_failed("carry a command out", status, error);
        if (state == OPENCL_COMPLETE)
            return 0;
        uint64_t waited_ns = os_raw_ns() - began_ns;
        if (waited_ns > gpu->limit_ns)
            return lose(gpu, event, error);
        if (waited_ns > ASK_NS)
            nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
    }
}

static int read_span(struct opencl_gpu *gpu, struct opencl_event *event, struct opencl_span *span,
                     struct error *error)
{
    int32_t status = gpu->api->clGetEventProfilingInfo(
        event, OPENCL_EVENT_BEGAN, sizeof span->began_ns, &span->began_ns, NULL);
    if (status == OPENCL_SUCCESS)
        status = gpu->api->clGetEventProfilingInfo(event, OPENCL_EVENT_ENDED, sizeof span->ended_ns,
                                                   &span->ended_ns, NULL);
    return status == OPENCL_SUCCESS ? 0 : opencl_failed("report a command's time", status, error);
}

int opencl_finish(struct opencl_gpu *gpu, struct opencl_event *event, struct opencl_span *span,
                  struct error *error)
{
    int code = opencl_answers(gpu, error);
    if (code == 0)
        code = wait_for(gpu, event, error);
    if (code == 0 && span)
        code = read_span(gpu, event, span, error);
    if (event != gpu->stuck)
        gpu->api->clReleaseEvent(event);
    return code;
}

/* --- memory --- */

int opencl_allocate(struct opencl_gpu *gpu, bool on_host, size_t bytes,
                    struct opencl_memory **memory, struct error *error)
{
    uint64_t flags = OPENCL_MEMORY_READ_WRITE | (on_host ? OPENCL_MEMORY_ON_HOST : 0);
    int32_t status = OPENCL_SUCCESS;
    *memory = gpu->api->clCreateBuffer(gpu->context, flags, bytes, NULL, &status);
    if (*memory && status == OPENCL_SUCCESS)
        return 0;
    *memory = NULL;
    char size[UNIT_TEXT], what[64];
    snprintf(what, sizeof what, "allocate %s", size_format((double)bytes, size));
    return opencl_failed(what, status, error);
}

void opencl_free(struct opencl_gpu *gpu, struct opencl_memory **memory)
{
    if (*memory)
        gpu->api->clReleaseMemObject(*memory);
    *memory = NULL;
}

static int finish_copy(struct opencl_gpu *gpu, int32_t status, struct opencl_event *event,
                       struct error *error)
{
    if (status != OPENCL_SUCCESS)
        return opencl_failed("copy memory", status, error);
    gpu->api->clFlush(gpu->queues[0]);
    return opencl_finish(gpu, event, NULL, error);
}

int opencl_write(struct opencl_gpu *gpu, struct opencl_memory *memory, size_t offset, size_t bytes,
                 const void *from, struct error *error)
{
    int code = opencl_answers(gpu, error);
    if (code)
        return code;
    struct opencl_event *event = NULL;
    int32_t status = gpu->api->clEnqueueWriteBuffer(gpu->queues[0], memory, OPENCL_NO_WAIT, offset,
                                                    bytes, from, 0, NULL, &event);
    return finish_copy(gpu, status, event, error);
}

int opencl_read(struct opencl_gpu *gpu, struct opencl_memory *memory, size_t offset, size_t bytes,
                void *to, struct error *error)
{
    int code = opencl_answers(gpu, error);
    if (code)
        return code;
    struct opencl_event *event = NULL;
    int32_t status = gpu->api->clEnqueueReadBuffer(gpu->queues[0], memory, OPENCL_NO_WAIT, offset,
                                                   bytes, to, 0, NULL, &event);
    return finish_copy(gpu, status, event, error);
}

/* --- kernels --- */

int opencl_kernel(struct opencl_gpu *gpu, const char *name, struct opencl_kernel **kernel,
                  struct error *error)
{
    int32_t status = OPENCL_SUCCESS;
    *kernel = gpu->api->clCreateKernel(gpu->program, name, &status);
    if (*kernel && status == OPENCL_SUCCESS)
        return 0;
    *kernel = NULL;
    char what[64];
    snprintf(what, sizeof what, "make the kernel %s", name);
    return opencl_failed(what, status, error);
}

int opencl_arguments(struct opencl_gpu *gpu, struct opencl_kernel *kernel,
                     const struct opencl_argument *arguments, unsigned count, struct error *error)
{
    for (unsigned i = 0; i < count; i++) {
        int32_t status = gpu->api->clSetKernelArg(kernel, i, arguments[i].size, arguments[i].value);
        if (status != OPENCL_SUCCESS)
            return opencl_failed("pass a kernel its arguments", status, error);
    }
    return 0;
}

int opencl_execute(struct opencl_gpu *gpu, struct opencl_kernel *kernel, size_t items, size_t group,
                   struct opencl_span *span, struct error *error)
{
    int code = opencl_answers(gpu, error);
    if (code)
        return code;
    struct opencl_event *event = NULL;
    int32_t status = gpu->api->clEnqueueNDRangeKernel(gpu->queues[0], kernel, 1, NULL, &items,
                                                      &group, 0, NULL, &event);
    if (status != OPENCL_SUCCESS)
        return opencl_failed("launch a kernel", status, error);
    gpu->api->clFlush(gpu->queues[0]);
    return opencl_finish(gpu, event, span, error);
}
