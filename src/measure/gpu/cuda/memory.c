#include "measure/gpu/cuda/cuda.h"

#include "base/units.h"

#include <stdlib.h>

/* Contexts belong to the whole process: another struct cuda_gpu may have mapped the peer already.
 * Where it can't be mapped, copies still find it. */
static int map_peer(struct cuda_gpu *gpu, void *context, int handle, struct error *error)
{
    int can = 0;
    int code = CUDA_TRY(gpu, error, cuDeviceCanAccessPeer, &can, gpu->device->handle, handle);
    if (code < 0 || !can)
        return code;
    int result = gpu->library->calls.cuCtxEnablePeerAccess(context, 0);
    if (result == CUDA_PEER_ACCESS_ALREADY_ENABLED)
        return 0;
    return cuda_check(gpu, "cuCtxEnablePeerAccess", result, error);
}

static int open_peer(struct cuda_gpu *gpu, int index, struct error *error)
{
    int handle = gpu->library->devices[index].handle;
    void *context;
    if (gpu->peers[index])
        return 0;
    int code = CUDA_TRY(gpu, error, cuDevicePrimaryCtxRetain, &context, handle);
    if (code < 0)
        return code;
    code = map_peer(gpu, context, handle, error);
    if (code < 0)
        gpu->library->calls.cuDevicePrimaryCtxRelease(handle);
    else
        gpu->peers[index] = context;
    return code;
}

static int enter_home(struct cuda_gpu *gpu, enum gpu_home home, int peer, struct error *error)
{
    void *context = home == GPU_ON_PEER ? gpu->peers[peer] : gpu->context;
    return CUDA_TRY(gpu, error, cuCtxSetCurrent, context);
}

/* What cuMemAlloc's refusal lacks: how much was asked for, and how much there is. */
static int out_of_memory(struct cuda_gpu *gpu, enum gpu_home home, int peer, size_t bytes,
                         struct error *error)
{
    char asked[UNIT_TEXT], left[UNIT_TEXT];
    size_t free_bytes = 0, total;
    size_format((double)bytes, asked);
    if (home == GPU_ON_HOST)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "gpu%u: cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY (%d): the host can't pin "
                         "%s: ask for less, or raise the limit of locked memory (ulimit -l)",
                         gpu->index, CUDA_OUT_OF_MEMORY, asked);
    bool known = gpu->library->calls.cuMemGetInfo(&free_bytes, &total) == 0;
    return error_set(error, ERROR_IMPOSSIBLE,
                     "gpu%d: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (%d): %s asked for, %s free: end "
                     "other programs that use the device, or ask for less",
                     home == GPU_ON_PEER ? peer : (int)gpu->index, CUDA_OUT_OF_MEMORY, asked,
                     known ? size_format((double)free_bytes, left) : "an unknown amount");
}

static int allocate_on_device(struct cuda_gpu *gpu, struct cuda_memory *memory, struct error *error)
{
    int code = enter_home(gpu, memory->home, memory->peer, error);
    if (code < 0)
        return code;
    int result = gpu->library->calls.cuMemAlloc(&memory->address, memory->bytes);
    if (result == CUDA_OUT_OF_MEMORY && gpu->spans) {
        /* A span is kept only so that its works find the same memory again. */
        cuda_free_spans(gpu);
        code = enter_home(gpu, memory->home, memory->peer, error);
        if (code < 0)
            return code;
        result = gpu->library->calls.cuMemAlloc(&memory->address, memory->bytes);
    }
    if (result != 0)
        memory->address = 0;
    if (result == CUDA_OUT_OF_MEMORY)
        code = out_of_memory(gpu, memory->home, memory->peer, memory->bytes, error);
    else
        code = cuda_check(gpu, "cuMemAlloc", result, error);
    if (memory->home == GPU_ON_PEER) {
        int back = CUDA_TRY(gpu, code < 0 ? NULL : error, cuCtxSetCurrent, gpu->context);
        code = code < 0 ? code : back;
    }
    return code;
}

/* --- pinned memory --- */

/* `lacks`: there is too little memory for it. */
static int pin(struct cuda_gpu *gpu, size_t bytes, struct cuda_pinned *pinned, bool *lacks,
               struct error *error)
{
    void *host = NULL;
    int result =
        gpu->library->calls.cuMemHostAlloc(&host, bytes, CUDA_HOST_PORTABLE | CUDA_HOST_MAPPED);
    *lacks = result == CUDA_OUT_OF_MEMORY;
    if (*lacks)
        return out_of_memory(gpu, GPU_ON_HOST, 0, bytes, error);
    int code = cuda_check(gpu, "cuMemHostAlloc", result, error);
    if (code < 0)
        return code;
    *pinned = (struct cuda_pinned){.host = host, .bytes = bytes};
    code = CUDA_TRY(gpu, error, cuMemHostGetDevicePointer, &pinned->address, host, 0);
    if (code < 0) {
        gpu->library->calls.cuMemFreeHost(host);
        *pinned = (struct cuda_pinned){0};
    }
    return code;
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

/* The smallest that is free and large enough; else a place for one. NULL: all are lent. */
static struct cuda_pinned *choose_pinned(struct cuda_gpu *gpu, size_t bytes)
{
    struct cuda_pinned *best = NULL, *place = NULL;
    for (size_t i = 0; i < CUDA_PINNED; i++) {
        struct cuda_pinned *here = &gpu->pinned[i];
        if (here->lent)
            continue;
        if (here->bytes >= bytes && (!best || here->bytes < best->bytes))
            best = here;
        /* One too small makes room before an empty place is filled, or all sizes would be held. */
        if (!place || here->bytes > place->bytes)
            place = here;
    }
    return best ? best : place;
}

/* Sizes come in random order, so memory grows by powers of two. */
static size_t round_up(size_t bytes)
{
    size_t rounded = 4096;
    while (rounded < bytes && rounded <= SIZE_MAX / 4)
        rounded *= 2;
    return rounded < bytes ? bytes : rounded;
}

static int lend_pinned(struct cuda_gpu *gpu, struct cuda_memory *memory, struct error *error)
{
    struct cuda_pinned *pinned = choose_pinned(gpu, memory->bytes);
    struct error reason = {0};
    if (!pinned)
        return error_set(
            error, ERROR_IMPOSSIBLE,
            "gpu%u: this measurement needs more pinned buffers than fathom holds at once: "
            "measure fewer sizes (--sizes, --what)",
            gpu->index);
    bool lacks = false;
    int code = 0;
    if (pinned->bytes < memory->bytes) {
        unpin(gpu, pinned);
        code = pin(gpu, round_up(memory->bytes), pinned, &lacks, &reason);
        if (lacks) {
            cuda_free_pinned(gpu);
            code = pin(gpu, memory->bytes, pinned, &lacks, &reason);
        }
    }
    if (code < 0)
        return error_set(error, code, "%s", reason.text);
    pinned->lent = true;
    memory->host = pinned->host;
    memory->address = pinned->address;
    return 0;
}

static void take_back(struct cuda_gpu *gpu, const struct cuda_memory *memory)
{
    for (size_t i = 0; i < CUDA_PINNED; i++)
        if (gpu->pinned[i].host == memory->host)
            gpu->pinned[i].lent = false;
}

int cuda_allocate(struct cuda_gpu *gpu, enum gpu_home home, int peer, size_t bytes,
                  struct cuda_memory *memory, struct error *error)
{
    int code = 0;
    *memory = (struct cuda_memory){.bytes = bytes, .home = home, .peer = peer};
    if (home == GPU_ON_PEER)
        code = open_peer(gpu, peer, error);
    if (code == 0)
        code = home == GPU_ON_HOST ? lend_pinned(gpu, memory, error)
                                   : allocate_on_device(gpu, memory, error);
    if (code < 0)
        cuda_free(gpu, memory);
    return code;
}

/* Where freeing fails, the next call to the device reports it. */
void cuda_free(struct cuda_gpu *gpu, struct cuda_memory *memory)
{
    const struct cuda_calls *calls = &gpu->library->calls;
    if (gpu->stuck)
        return;
    if (memory->home > GPU_ON_PEER)
        cuda_free_placed(gpu, memory);
    else if (memory->host)
        take_back(gpu, memory);
    else if (memory->address && memory->home == GPU_ON_PEER) {
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

int cuda_place(struct cuda_gpu *gpu, struct error *error)
{
    const struct gpu_work *work = &gpu->job.work;
    if (!work->span) {
        const size_t bytes = work->offset + work->bytes;
        struct cuda_memory *memory = &gpu->job.memory[0];
        int code = work->home > GPU_ON_PEER
                       ? cuda_allocate_placed(gpu, work->home, work->node, bytes, memory, error)
                       : cuda_allocate(gpu, work->home, work->peer, bytes, memory, error);
        gpu->job.base = gpu->job.memory[0].address + work->offset;
        return code;
    }
    struct cuda_span *span = find_span(gpu, work);
    if (!span) {
        if (!(span = calloc(1, sizeof *span)))
            return error_out_of_memory(error);
        int code = cuda_allocate(gpu, work->home, work->peer, work->span, &span->memory, error);
        if (code < 0) {
            free(span);
            return code;
        }
        span->next = gpu->spans;
        gpu->spans = span;
    }
    gpu->job.base = span->memory.address + work->offset;
    return 0;
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
