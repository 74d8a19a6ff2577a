#include "measure/gpu/opencl/opencl.h"

#include "machine/os.h"

#include <stdlib.h>

static const struct opencl_action *const actions[] = {
    [GPU_CHASE] = &opencl_chase,
    [GPU_STREAM] = &opencl_stream,
    [GPU_TRANSFER] = &opencl_transfer,
    [GPU_LAUNCH] = &opencl_launch,
};

const char *opencl_refuses(const struct gpu *started, const struct gpu_work *work)
{
    if (work->home == GPU_ON_PEER)
        return "needs CUDA: OpenCL reaches no other device's memory";
    if (work->home > GPU_ON_PEER)
        return "needs CUDA: OpenCL can't choose where memory lies";
    if (work->together)
        return "needs CUDA: OpenCL starts one device at a time here";
    if (work->before != GPU_ITSELF)
        return "needs CUDA: OpenCL can't choose what comes before the loads that are timed";
    if (work->multiprocessor >= 0)
        return "needs CUDA: OpenCL can't choose a multiprocessor";
    if (work->carve_out >= 0)
        return "needs CUDA: OpenCL can't divide the first-level memory";
    const struct opencl_action *action = actions[work->action];
    return action->refuses ? action->refuses((const struct opencl_gpu *)started, work) : NULL;
}

static void clear_host(struct opencl_gpu *gpu)
{
    struct opencl_ready *ready = &gpu->ready;
    if (!ready->pinned) {
        if (!gpu->lost.code) /* a copy may still be under way */
            free(ready->host);
        return;
    }
    struct opencl_event *event = NULL;
    if (ready->host && gpu->api->clEnqueueUnmapMemObject(gpu->queues[0], ready->pinned, ready->host,
                                                         0, NULL, &event) == OPENCL_SUCCESS) {
        gpu->api->clFlush(gpu->queues[0]);
        opencl_finish(gpu, event, NULL);
    }
    opencl_free(gpu, &ready->pinned);
}

void opencl_clear(struct opencl_gpu *gpu)
{
    struct opencl_ready *ready = &gpu->ready;
    if (ready->kernel)
        gpu->api->clReleaseKernel(ready->kernel);
    opencl_free(gpu, &ready->other); /* the image before its buffer */
    if (ready->memory != gpu->kept)
        opencl_free(gpu, &ready->memory);
    clear_host(gpu);
    *ready = (struct opencl_ready){0};
}

/* To be called before every use: clears the failure; false if the device is lost. */
static bool enter(struct opencl_gpu *gpu)
{
    gpu->failure = gpu->lost;
    return opencl_works(gpu);
}

int opencl_prepare(struct gpu *started, const struct gpu_work *work, uint64_t seed,
                   struct error *error)
{
    struct opencl_gpu *gpu = (struct opencl_gpu *)started;
    if (!enter(gpu))
        return opencl_outcome(gpu, error);
    const char *why_not = opencl_refuses(started, work);
    if (why_not)
        return error_set(error, ERROR_IMPOSSIBLE, "OpenCL can't do that here: it %s", why_not);
    opencl_clear(gpu);
    enter(gpu); /* a failure to free the previous work is not this work's */
    gpu->ready.work = *work;
    gpu->ready.least = 1;
    actions[work->action]->make(gpu, seed);
    gpu->ready.is_ready = opencl_works(gpu);
    return opencl_outcome(gpu, error);
}

/* The least difference of two launches: far above the variation of launch times, some us on any
 * device, and 1000 ticks of the clock, as for a batch on a CPU. */
enum { LEAST_NS = 100 * 1000, LEAST_TICKS = 1000 };
/* If the difference is smaller, for example because other programs use the device, repeats grow by
 * this factor, for at most this time. */
enum { GROWTH = 4 };
static const uint64_t patience_ns = 500u * 1000000u;

int opencl_run(struct gpu *started, const struct gpu_work *work, uint64_t repeats, uint64_t *did,
               struct gpu_time *time, struct error *error)
{
    struct opencl_gpu *gpu = (struct opencl_gpu *)started;
    struct opencl_ready *ready = &gpu->ready;
    if (!enter(gpu))
        return opencl_outcome(gpu, error);
    if (!ready->is_ready || ready->work.action != work->action)
        return error_set(error, ERROR_USAGE, "nothing of that kind is prepared on the device");
    double least_ns = (double)LEAST_TICKS * gpu->limits.tick_ns;
    if (least_ns < (double)LEAST_NS)
        least_ns = LEAST_NS;
    uint64_t now = repeats > ready->least ? repeats : ready->least;
    uint64_t began_ns = os_raw_ns();
    for (;; now *= GROWTH) {
        actions[work->action]->measure(gpu, now, did, time);
        if (!opencl_works(gpu) || time->ns >= least_ns)
            return opencl_outcome(gpu, error);
        if (os_raw_ns() - began_ns > patience_ns)
            break;
        ready->least = now * GROWTH;
    }
    return error_set(error, ERROR_IMPOSSIBLE,
                     "the OpenCL device's times make no sense: a launch with %llu more repeats "
                     "took no longer",
                     (unsigned long long)now);
}
