#include "measure/gpu/opencl/opencl.h"

#include "base/units.h"
#include "machine/os.h"

#include <stdio.h>
#include <time.h>

static const struct {
    int32_t status;
    const char *name;
} status_names[] = {
#include "call.texts.h"
};

int opencl_failed(const char *what, int32_t status, struct error *error)
{
    char number[32];
    snprintf(number, sizeof number, "error %d", (int)status);
    const char *name = number;
    for (size_t i = 0; i < sizeof status_names / sizeof *status_names; i++)
        if (status_names[i].status == status)
            name = status_names[i].name;
    /* Most drivers allocate memory at its first use, so any command may run out of it. */
    const bool no_memory = status == OPENCL_NO_OBJECT_MEMORY || status == OPENCL_NO_RESOURCES ||
                           status == OPENCL_NO_HOST_MEMORY || status == OPENCL_INVALID_BUFFER_SIZE;
    return error_set(error, ERROR_IMPOSSIBLE, "OpenCL could not %s: %s%s", what, name,
                     no_memory ? "; it has too little memory: measure a smaller working set" : "");
}

uint64_t opencl_number(const struct opencl_api *api, struct opencl_device *device, uint32_t info)
{
    /* Numbers have 32 or 64 bits; the library reports which. */
    union {
        uint32_t half;
        uint64_t whole;
    } number = {.whole = 0};
    size_t bytes = 0;
    if (api->clGetDeviceInfo(device, info, sizeof number, &number, &bytes) != OPENCL_SUCCESS)
        return 0;
    return bytes == sizeof number.half ? number.half : number.whole;
}

bool opencl_check(struct opencl_gpu *gpu, const char *what, int32_t status)
{
    if (status != OPENCL_SUCCESS && opencl_works(gpu))
        opencl_failed(what, status, &gpu->failure);
    return status == OPENCL_SUCCESS;
}

bool opencl_made(struct opencl_gpu *gpu, const char *what, const void *made, int32_t status)
{
    return opencl_check(gpu, what,
                        !made && status == OPENCL_SUCCESS ? OPENCL_NO_RESOURCES : status);
}

int opencl_outcome(const struct opencl_gpu *gpu, struct error *error)
{
    return opencl_works(gpu) ? 0 : error_set(error, gpu->failure.code, "%s", gpu->failure.text);
}

/* --- waiting --- */

/* Polls without sleeping for ASK_NS, because a sleep is longer than a launch of some us; then
 * sleeps between polls, because an OpenCL device that is a CPU may need the polling core. */
enum { ASK_NS = 200 * 1000, SLEEP_NS = 100 * 1000 };

/* clFinish() and clWaitForEvents() have no time limit, so they are used only if a command's state
 * can't be read: the memory that the command uses may be freed next. */
static bool wait_for(struct opencl_gpu *gpu, struct opencl_event *event)
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
        if (!opencl_check(gpu, "carry a command out", status))
            return false;
        if (state == OPENCL_COMPLETE)
            return true;
        uint64_t waited_ns = os_raw_ns() - began_ns;
        if (waited_ns > gpu->limit_ns) {
            char limit[UNIT_TEXT];
            gpu->stuck = event;
            error_set(&gpu->lost, ERROR_IMPOSSIBLE,
                      "the OpenCL device did not end a command within %s and is given up: it "
                      "hangs, or other programs keep it busy",
                      duration_format((double)gpu->limit_ns / 1e9, limit));
            if (opencl_works(gpu))
                gpu->failure = gpu->lost;
            return false;
        }
        if (waited_ns > ASK_NS)
            nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
    }
}

void opencl_finish(struct opencl_gpu *gpu, struct opencl_event *event, struct opencl_span *span)
{
    if (!gpu->lost.code && wait_for(gpu, event) && span) {
        int32_t status = gpu->api->clGetEventProfilingInfo(
            event, OPENCL_EVENT_BEGAN, sizeof span->began_ns, &span->began_ns, NULL);
        if (status == OPENCL_SUCCESS)
            status = gpu->api->clGetEventProfilingInfo(
                event, OPENCL_EVENT_ENDED, sizeof span->ended_ns, &span->ended_ns, NULL);
        opencl_check(gpu, "report a command's time", status);
    }
    if (event != gpu->stuck)
        gpu->api->clReleaseEvent(event);
}

/* Flushes the command that was just queued and waits for it. */
static void finish_queued(struct opencl_gpu *gpu, const char *what, int32_t status,
                          struct opencl_event *const *event, struct opencl_span *span)
{
    if (!opencl_check(gpu, what, status))
        return;
    gpu->api->clFlush(gpu->queues[0]);
    opencl_finish(gpu, *event, span);
}

/* --- memory --- */

void opencl_allocate(struct opencl_gpu *gpu, bool on_host, size_t bytes,
                     struct opencl_memory **memory)
{
    uint64_t flags = OPENCL_MEMORY_READ_WRITE | (on_host ? OPENCL_MEMORY_ON_HOST : 0);
    int32_t status = OPENCL_SUCCESS;
    char size[UNIT_TEXT], what[64];
    *memory = NULL;
    if (!opencl_works(gpu))
        return;
    struct opencl_memory *made =
        gpu->api->clCreateBuffer(gpu->context, flags, bytes, NULL, &status);
    snprintf(what, sizeof what, "allocate %s", size_format((double)bytes, size));
    if (opencl_made(gpu, what, made, status))
        *memory = made;
}

void opencl_free(struct opencl_gpu *gpu, struct opencl_memory **memory)
{
    if (*memory)
        gpu->api->clReleaseMemObject(*memory);
    *memory = NULL;
}

void opencl_write(struct opencl_gpu *gpu, struct opencl_memory *memory, size_t bytes,
                  const void *from)
{
    struct opencl_event *event = NULL;
    if (opencl_works(gpu))
        finish_queued(gpu, "copy memory",
                      gpu->api->clEnqueueWriteBuffer(gpu->queues[0], memory, OPENCL_NO_WAIT, 0,
                                                     bytes, from, 0, NULL, &event),
                      &event, NULL);
}

void opencl_read(struct opencl_gpu *gpu, struct opencl_memory *memory, size_t bytes, void *to)
{
    struct opencl_event *event = NULL;
    if (opencl_works(gpu))
        finish_queued(gpu, "copy memory",
                      gpu->api->clEnqueueReadBuffer(gpu->queues[0], memory, OPENCL_NO_WAIT, 0,
                                                    bytes, to, 0, NULL, &event),
                      &event, NULL);
}

/* --- kernels --- */

void opencl_kernel(struct opencl_gpu *gpu, const char *name, struct opencl_kernel **kernel)
{
    int32_t status = OPENCL_SUCCESS;
    char what[64];
    *kernel = NULL;
    if (!opencl_works(gpu))
        return;
    struct opencl_kernel *made = gpu->api->clCreateKernel(gpu->program, name, &status);
    snprintf(what, sizeof what, "make the kernel %s", name);
    if (opencl_made(gpu, what, made, status))
        *kernel = made;
}

void opencl_execute(struct opencl_gpu *gpu, struct opencl_kernel *kernel,
                    const struct opencl_argument *arguments, unsigned count, size_t items,
                    size_t group, struct opencl_span *span)
{
    struct opencl_event *event = NULL;
    for (unsigned i = 0; opencl_works(gpu) && i < count; i++)
        opencl_check(gpu, "pass a kernel its arguments",
                     gpu->api->clSetKernelArg(kernel, i, arguments[i].size, arguments[i].value));
    if (opencl_works(gpu))
        finish_queued(gpu, "launch a kernel",
                      gpu->api->clEnqueueNDRangeKernel(gpu->queues[0], kernel, 1, NULL, &items,
                                                       &group, 0, NULL, &event),
                      &event, span);
}
