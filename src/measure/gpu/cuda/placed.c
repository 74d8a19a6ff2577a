/*
 * Memory at a chosen place: on a NUMA node of the host, or managed memory that was prefetched to
 * the device or to the host.
 *
 * A node's memory is bound to it, touched, and then pinned in place (cuMemHostRegister), so that
 * the kernel does not move it during the measurement. On Grace the device's own memory is a node of
 * the host too, and Linux moves such pages to another node before it pins them. So the node is
 * checked afterwards. If the memory was moved and the device reads pageable memory, it is allocated
 * again and not pinned. If it still lies elsewhere, the work fails.
 *
 * Managed memory is placed at its first touch. To stay on the host while the device reads it, it
 * needs the host as its preferred location and the device's access by mapping (CUDA_ACCESSED_BY);
 * otherwise it would move to the device at the first load.
 *
 * References: NVIDIA, "CUDA Driver API", Unified Addressing and Memory Management (cuMemAdvise);
 * "CUDA C++ Programming Guide", Unified Memory; Linux, mm/gup.c (check_and_migrate_movable_pages).
 */
#include "measure/gpu/cuda/cuda.h"

#include "base/units.h"
#include "machine/os.h"

#include <string.h>

const char *cuda_refuses_placed(const struct cuda_gpu *gpu, const struct gpu_work *work)
{
    const struct cuda_calls *calls = &gpu->library->calls;
    if (work->span)
        return "has no spans there";
    if (work->home == GPU_ON_NODE)
        return calls->cuMemHostRegister && calls->cuMemHostUnregister
                   ? NULL
                   : "needs a driver that pins memory where it lies (CUDA 6.5)";
    if (!calls->cuMemAllocManaged || !calls->cuMemPrefetchAsync || !calls->cuMemAdvise)
        return "needs a driver with managed memory that can be prefetched (CUDA 8.0)";
    if (!gpu->device->managed)
        return "has no managed memory that moves page by page: that needs Linux and capability 6.0";
    return NULL;
}

/* --- a node of the host --- */

static void *map(const struct cuda_gpu *gpu, size_t bytes, int node, struct error *error)
{
    const struct cuda_model_host *model = &gpu->library->model_host;
    void *memory = model->map ? model->map(bytes, node) : os_map(bytes, PAGES_SMALL, node, error);
    if (memory)
        memset(memory, 1, bytes);
    else if (model->map)
        error_set(error, ERROR_IMPOSSIBLE, "the modelled host has no node %d", node);
    return memory;
}

static void unmap(const struct cuda_gpu *gpu, struct cuda_memory *memory)
{
    const struct cuda_model_host *model = &gpu->library->model_host;
    if (memory->registered)
        gpu->library->calls.cuMemHostUnregister(memory->host);
    if (memory->host && model->unmap)
        model->unmap(memory->host, memory->bytes);
    else if (memory->host)
        os_unmap(memory->host, memory->bytes);
    memory->registered = false;
    memory->host = NULL;
}

/* The node of the memory; -1: on several nodes, or unknown. */
static int node_of(const struct cuda_gpu *gpu, const struct cuda_memory *memory, int wanted)
{
    const struct cuda_model_host *model = &gpu->library->model_host;
    struct os_placement placement;
    if (model->node_of)
        return model->node_of(memory->host);
    os_verify(memory->host, memory->bytes, wanted, &placement);
    return placement.node;
}

static void take_on_node(struct cuda_gpu *gpu, int node, bool pinned, struct cuda_memory *memory)
{
    memory->host = map(gpu, memory->bytes, node, &gpu->failure);
    if (!memory->host) {
        gpu->failure.code = ERROR_IMPOSSIBLE;
        return;
    }
    memory->address = (uint64_t)(uintptr_t)memory->host;
    if (pinned) {
        /* This fails more often because of the limit of locked memory than for lack of memory. */
        char bytes[UNIT_TEXT];
        const int result = gpu->library->calls.cuMemHostRegister(
            memory->host, memory->bytes, CUDA_HOST_PORTABLE | CUDA_HOST_MAPPED);
        if (result == CUDA_OUT_OF_MEMORY)
            cuda_fail(
                gpu,
                "cuMemHostRegister: CUDA_ERROR_OUT_OF_MEMORY (%d): the host can't pin %s where "
                "it lies: raise the limit of locked memory (ulimit -l), or end what else pins "
                "memory",
                result, size_format((double)memory->bytes, bytes));
        else
            memory->registered = cuda_check(gpu, "cuMemHostRegister", result);
        CUDA_TRY(gpu, cuMemHostGetDevicePointer, &memory->address, memory->host, 0);
    }
    const int lies = cuda_works(gpu) && node >= 0 ? node_of(gpu, memory, node) : node;
    if (lies < 0 && node >= 0)
        cuda_fail(gpu,
                  "memory bound to node %d does not lie there alone, or the system does not say "
                  "where it lies",
                  node);
    else if (lies != node)
        cuda_fail(gpu, "memory bound to node %d was moved to node %d%s", node, lies,
                  pinned ? " when it was pinned" : "");
    if (!cuda_works(gpu))
        unmap(gpu, memory);
}

/* --- managed memory --- */

static void send_to(struct cuda_gpu *gpu, const struct cuda_memory *memory, int place)
{
    if (CUDA_TRY(gpu, cuMemPrefetchAsync, memory->address, memory->bytes, place, gpu->streams[0]))
        cuda_wait(gpu, (double)memory->bytes * CUDA_SLOWEST_BYTE_NS);
}

static void allocate_managed(struct cuda_gpu *gpu, struct cuda_memory *memory)
{
    const int handle = gpu->device->handle;
    if (!CUDA_TRY(gpu, cuMemAllocManaged, &memory->address, memory->bytes, CUDA_ATTACH_GLOBAL)) {
        memory->address = 0;
        return;
    }
    if (memory->home == GPU_MANAGED_FETCHED)
        send_to(gpu, memory, handle);
    if (memory->home != GPU_MANAGED_ON_HOST)
        return;
    CUDA_TRY(gpu, cuMemAdvise, memory->address, memory->bytes, CUDA_PREFER_LOCATION, CUDA_HOST);
    CUDA_TRY(gpu, cuMemAdvise, memory->address, memory->bytes, CUDA_ACCESSED_BY, handle);
    send_to(gpu, memory, CUDA_HOST);
}

/* --- both --- */

void cuda_allocate_placed(struct cuda_gpu *gpu, enum gpu_home home, int node, size_t bytes,
                          struct cuda_memory *memory)
{
    *memory = (struct cuda_memory){.bytes = bytes, .home = home};
    if (!cuda_works(gpu))
        return;
    if (home == GPU_ON_NODE) {
        take_on_node(gpu, node, true, memory);
        if (!cuda_works(gpu) && gpu->device->reads_pageable && !gpu->lost.code) {
            gpu->failure = (struct error){0};
            take_on_node(gpu, node, false, memory);
        }
    } else {
        allocate_managed(gpu, memory);
    }
    if (!cuda_works(gpu))
        cuda_free(gpu, memory);
}

/* Whether this process may bind memory: containers often may not. */
static bool can_bind(struct cuda_gpu *gpu, int node)
{
    enum { PROBE_BYTES = 4096 };
    struct cuda_memory probe = {.bytes = PROBE_BYTES, .host = map(gpu, PROBE_BYTES, node, NULL)};
    const bool bound = probe.host != NULL;
    unmap(gpu, &probe);
    return bound;
}

void cuda_allocate_near(struct cuda_gpu *gpu, int node, size_t bytes, struct cuda_memory *memory)
{
    const bool bound = node < 0 || can_bind(gpu, node);
    cuda_allocate_placed(gpu, GPU_ON_NODE, bound ? node : -1, bytes, memory);
    if (!cuda_works(gpu) || bound)
        return;
    const int lies = node_of(gpu, memory, node);
    if (lies < 0 || lies == node)
        return;
    cuda_free(gpu, memory);
    cuda_fail(gpu,
              "memory can't be bound to node %d, which is near to the device, and comes from node "
              "%d: allow this process to bind memory (SYS_NICE in a container)",
              node, lies);
}

void cuda_free_placed(struct cuda_gpu *gpu, struct cuda_memory *memory)
{
    if (memory->home == GPU_ON_NODE)
        unmap(gpu, memory);
    else if (memory->address)
        gpu->library->calls.cuMemFree(memory->address);
}
