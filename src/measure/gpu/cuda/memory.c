#include "measure/gpu/cuda/cuda.h"

#include "base/units.h"

#include <stdlib.h>

/* Contexts belong to the whole process, so another struct cuda_gpu may have mapped the peer
 * already. Copies reach even a peer that can't be mapped. */
static void map_peer(struct cuda_gpu *gpu, void *context, int handle)
{
    int can = 0;
    if (!CUDA_TRY(gpu, cuDeviceCanAccessPeer, &can, gpu->device->handle, handle) || !can)
        return;
    const int result = gpu->library->calls.cuCtxEnablePeerAccess(context, 0);
    if (result != CUDA_PEER_ACCESS_ALREADY_ENABLED)
        cuda_check(gpu, "cuCtxEnablePeerAccess", result);
}

static void open_peer(struct cuda_gpu *gpu, int index)
{
    const int handle = gpu->library->devices[index].handle;
    void *context;
    if (gpu->peers[index] || !CUDA_TRY(gpu, cuDevicePrimaryCtxRetain, &context, handle))
        return;
    map_peer(gpu, context, handle);
    if (cuda_works(gpu))
        gpu->peers[index] = context;
    else
        gpu->library->calls.cuDevicePrimaryCtxRelease(handle);
}

/* Adds to the driver's error how much memory was asked for and how much is free. */
static void out_of_memory(struct cuda_gpu *gpu, const struct cuda_memory *memory)
{
    char asked[UNIT_TEXT], left[UNIT_TEXT];
    size_t free_bytes = 0, total;
    size_format((double)memory->bytes, asked);
    if (memory->home == GPU_ON_HOST) {
        cuda_fail(gpu,
                  "cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY (%d): the host can't pin %s: ask for "
                  "less, or raise the limit of locked memory (ulimit -l)",
                  CUDA_OUT_OF_MEMORY, asked);
        return;
    }
    const bool known = gpu->library->calls.cuMemGetInfo(&free_bytes, &total) == 0;
    error_set(&gpu->failure, ERROR_IMPOSSIBLE,
              "gpu%d: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (%d): %s asked for, %s free: end other "
              "programs that use the device, or ask for less",
              memory->home == GPU_ON_PEER ? memory->peer : (int)gpu->index, CUDA_OUT_OF_MEMORY,
              asked, known ? size_format((double)free_bytes, left) : "an unknown amount");
}

static void allocate_on_device(struct cuda_gpu *gpu, struct cuda_memory *memory)
{
    const struct cuda_calls *calls = &gpu->library->calls;
    const bool on_peer = memory->home == GPU_ON_PEER;
    void *context = on_peer ? gpu->peers[memory->peer] : gpu->context;
    if (!CUDA_TRY(gpu, cuCtxSetCurrent, context))
        return;
    int result = calls->cuMemAlloc(&memory->address, memory->bytes);
    if (result == CUDA_OUT_OF_MEMORY && gpu->spans) {
        /* Spans are memory that is kept so that a later trial gets the same addresses; nothing is
         * lost but that. */
        cuda_free_spans(gpu);
        if (!CUDA_TRY(gpu, cuCtxSetCurrent, context)) {
            memory->address = 0;
            return;
        }
        result = calls->cuMemAlloc(&memory->address, memory->bytes);
    }
    if (result != 0)
        memory->address = 0;
    if (result == CUDA_OUT_OF_MEMORY)
        out_of_memory(gpu, memory);
    else
        cuda_check(gpu, "cuMemAlloc", result);
    if (on_peer)
        cuda_come_back(gpu);
}

/* --- pinned memory --- */

/* False: out of memory. Other failures return true and are recorded. */
static bool pin(struct cuda_gpu *gpu, size_t bytes, struct cuda_pinned *pinned)
{
    const struct cuda_calls *calls = &gpu->library->calls;
    void *host = NULL;
    const int result = calls->cuMemHostAlloc(&host, bytes, CUDA_HOST_PORTABLE | CUDA_HOST_MAPPED);
    if (result == CUDA_OUT_OF_MEMORY)
        return false;
    if (!cuda_check(gpu, "cuMemHostAlloc", result))
        return true;
    *pinned = (struct cuda_pinned){.host = host, .bytes = bytes};
    if (!CUDA_TRY(gpu, cuMemHostGetDevicePointer, &pinned->address, host, 0)) {
        calls->cuMemFreeHost(host);
        *pinned = (struct cuda_pinned){0};
    }
    return true;
}

static void unpin(struct cuda_gpu *gpu, struct cuda_pinned *pinned)
{
    if (pinned->host)
        gpu->library->calls.cuMemFreeHost(pinned->host);
    *pinned = (struct cuda_pinned){0};
}

void cuda_free_pinned(struct cuda_gpu *gpu)
{
    for (size_t i = 0; i < CUDA_PINNED && !gpu->stuck; i++)
        if (!gpu->pinned[i].lent)
            unpin(gpu, &gpu->pinned[i]);
}

static void lend_pinned(struct cuda_gpu *gpu, struct cuda_memory *memory)
{
    /* The smallest free piece that is large enough, else an empty slot. NULL: all are in use. */
    struct cuda_pinned *best = NULL, *place = NULL;
    for (size_t i = 0; i < CUDA_PINNED; i++) {
        struct cuda_pinned *here = &gpu->pinned[i];
        if (here->lent)
            continue;
        if (here->bytes >= memory->bytes && (!best || here->bytes < best->bytes))
            best = here;
        /* Replace a piece that is too small before an empty slot is used: otherwise pieces of many
         * sizes would stay allocated. */
        if (!place || here->bytes > place->bytes)
            place = here;
    }
    struct cuda_pinned *pinned = best ? best : place;
    if (!pinned) {
        cuda_fail(gpu, "this measurement needs more pinned buffers than fathom holds at once: "
                       "measure fewer sizes (--sizes, --what)");
        return;
    }
    if (pinned->bytes < memory->bytes) {
        unpin(gpu, pinned);
        /* Sizes come in random order, so memory grows by powers of two to be allocated seldom. */
        size_t rounded = 4096;
        while (rounded < memory->bytes && rounded <= SIZE_MAX / 4)
            rounded *= 2;
        if (!pin(gpu, rounded < memory->bytes ? memory->bytes : rounded, pinned)) {
            cuda_free_pinned(gpu);
            if (!pin(gpu, memory->bytes, pinned))
                out_of_memory(gpu, memory);
        }
    }
    if (!cuda_works(gpu))
        return;
    pinned->lent = true;
    memory->host = pinned->host;
    memory->address = pinned->address;
}

bool cuda_allocate(struct cuda_gpu *gpu, enum gpu_home home, int peer, size_t bytes,
                   struct cuda_memory *memory)
{
    *memory = (struct cuda_memory){.bytes = bytes, .home = home, .peer = peer};
    if (home == GPU_ON_PEER)
        open_peer(gpu, peer);
    if (home == GPU_ON_HOST && cuda_works(gpu))
        lend_pinned(gpu, memory);
    else if (cuda_works(gpu))
        allocate_on_device(gpu, memory);
    if (!cuda_works(gpu))
        cuda_free(gpu, memory);
    return cuda_works(gpu);
}

/* If freeing fails, the next call to the device reports it. */
void cuda_free(struct cuda_gpu *gpu, struct cuda_memory *memory)
{
    const struct cuda_calls *calls = &gpu->library->calls;
    if (gpu->stuck)
        return;
    if (memory->home > GPU_ON_PEER)
        cuda_free_placed(gpu, memory);
    else if (memory->host) {
        for (size_t i = 0; i < CUDA_PINNED; i++)
            if (gpu->pinned[i].host == memory->host)
                gpu->pinned[i].lent = false;
    } else if (memory->address && memory->home == GPU_ON_PEER) {
        calls->cuCtxSetCurrent(gpu->peers[memory->peer]);
        calls->cuMemFree(memory->address);
        calls->cuCtxSetCurrent(gpu->context);
    } else if (memory->address)
        calls->cuMemFree(memory->address);
    *memory = (struct cuda_memory){0};
}

static struct cuda_span *find_span(struct cuda_gpu *gpu, const struct gpu_work *work)
{
    for (struct cuda_span *span = gpu->spans; span; span = span->next)
        if (span->memory.bytes == work->span && span->memory.home == work->home &&
            (work->home != GPU_ON_PEER || span->memory.peer == work->peer))
            return span;
    return NULL;
}

void cuda_place(struct cuda_gpu *gpu)
{
    const struct gpu_work *work = &gpu->job.work;
    if (!work->span) {
        const size_t bytes = work->offset + work->bytes;
        struct cuda_memory *memory = &gpu->job.memory[0];
        if (work->home > GPU_ON_PEER)
            cuda_allocate_placed(gpu, work->home, work->node, bytes, memory);
        else
            cuda_allocate(gpu, work->home, work->peer, bytes, memory);
        gpu->job.base = memory->address + work->offset;
        return;
    }
    struct cuda_span *span = find_span(gpu, work);
    if (!span) {
        span = calloc(1, sizeof *span);
        if (!span || !cuda_allocate(gpu, work->home, work->peer, work->span, &span->memory)) {
            if (!span)
                cuda_fail_memory(gpu);
            free(span);
            return;
        }
        span->next = gpu->spans;
        gpu->spans = span;
    }
    gpu->job.base = span->memory.address + work->offset;
}

void cuda_free_spans(struct cuda_gpu *gpu)
{
    while (gpu->spans) {
        struct cuda_span *span = gpu->spans;
        gpu->spans = span->next;
        cuda_free(gpu, &span->memory);
        free(span);
    }
}

void cuda_close_peers(struct cuda_gpu *gpu)
{
    for (size_t i = 0; gpu->peers && i < gpu->library->count; i++)
        if (gpu->peers[i])
            gpu->library->calls.cuDevicePrimaryCtxRelease(gpu->library->devices[i].handle);
}
