/* Memory, copies and textures. */
#include "driver.h"

#include <string.h>

/* CUarray_format of 32 bits a channel; CUresourcetype. */
enum { FORMAT_UNSIGNED_32 = 3, FORMAT_SIGNED_32 = 10, FORMAT_FLOAT_32 = 32 };
enum { RESOURCE_LINEAR = 2 };

API int cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    unsigned index;
    ENTER("cuMemGetInfo_v2", NEEDS_LIVE_CONTEXT);
    index = driver.current->index;
    *total_bytes = reported_size(driver.memory.size[index]);
    *free_bytes = reported_size(driver.memory.size[index] - driver.memory.used[index]);
    return DONE;
}

API int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    ENTER("cuMemAlloc_v2", NEEDS_LIVE_CONTEXT);
    if (!bytes)
        return INVALID_VALUE;
    *address = memory_take(&driver.memory, driver.current->index, bytes);
    return *address ? DONE : OUT_OF_MEMORY;
}

API int cuMemFree_v2(uint64_t address)
{
    int result;
    ENTER("cuMemFree_v2", NEEDS_CONTEXT);
    if (!address)
        return DONE;
    result = host_waits_for_all(driver.current);
    return memory_drop(&driver.memory, address, HOME_DEVICE) ||
                   memory_drop(&driver.memory, address, HOME_MANAGED)
               ? result
               : INVALID_VALUE;
}

API int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    uint64_t address;
    (void)flags; /* all host memory is mapped and portable, as with one address space */
    ENTER("cuMemHostAlloc", NEEDS_LIVE_CONTEXT);
    if (!bytes)
        return INVALID_VALUE;
    address = memory_take_host(&driver.memory, bytes, (unsigned)driver.machine.node, true);
    *memory = (void *)(uintptr_t)address;
    return address ? DONE : OUT_OF_MEMORY;
}

API int cuMemFreeHost(void *memory)
{
    int result;
    ENTER("cuMemFreeHost", NEEDS_CONTEXT);
    result = host_waits_for_all(driver.current);
    if (!memory_drop(&driver.memory, (uint64_t)(uintptr_t)memory, HOME_HOST))
        return INVALID_VALUE;
    return result;
}

API int cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory, unsigned flags)
{
    const struct allocation *found;
    ENTER("cuMemHostGetDevicePointer_v2", NEEDS_LIVE_CONTEXT);
    *address = (uint64_t)(uintptr_t)memory;
    found = memory_find(&driver.memory, *address, 1);
    return found && found->home == HOME_HOST && found->pinned && !flags ? DONE : INVALID_VALUE;
}

/* What a call's address leads to; NULL where not all of it is device memory. */
static unsigned char *device_data(uint64_t address, size_t bytes)
{
    const struct allocation *found = memory_find(&driver.memory, address, bytes);
    return found ? found->data + (address - found->address) : NULL;
}

static bool is_pinned(const void *memory, size_t bytes)
{
    const struct allocation *found =
        memory_find(&driver.memory, (uint64_t)(uintptr_t)memory, bytes);
    return found && found->home == HOME_HOST && found->pinned;
}

/* A copy takes its engine and its stream's time. gb_s: 10^9 bytes a second. */
static void spend(struct stream *stream, double *engine_ns, size_t bytes, double gb_s)
{
    double begin = stream_begin(stream, *engine_ns);
    stream->end_ns = begin + driver.machine.copy_us * 1e3 + (double)bytes / gb_s;
    *engine_ns = stream->end_ns;
}

enum direction { INWARDS, OUTWARDS };

/* The same of a copy from or to the host, whose memory passes what all devices copy one after the
 * other, in the order in which it was asked for. */
static void spend_on_host(struct stream *stream, enum direction direction, size_t bytes,
                          double gb_s)
{
    struct device *device = stream->device;
    double *engine_ns = direction == INWARDS ? &device->in_end_ns : &device->out_end_ns;
    double *free_ns = &driver.host_free_ns[direction];
    const double begin = stream_begin(stream, *engine_ns);
    const double own = begin > *free_ns ? begin : *free_ns;
    spend(stream, engine_ns, bytes, gb_s);
    if (driver.machine.host_bandwidth <= 0)
        return;
    *free_ns = own + (double)bytes / driver.machine.host_bandwidth;
    if (*free_ns + driver.machine.copy_us * 1e3 > stream->end_ns)
        *engine_ns = stream->end_ns = *free_ns + driver.machine.copy_us * 1e3;
}

/* Between host and device; one that is not `asynchronous`, or whose host memory is pageable, keeps
 * the host waiting. */
static int copy(struct stream *stream, enum direction direction, uint64_t address, void *host,
                size_t bytes, bool asynchronous)
{
    struct device *device = stream->device;
    const bool pinned = is_pinned(host, bytes);
    const double gb_s =
        pinned ? driver.machine.pinned_bandwidth : driver.machine.pageable_bandwidth;
    unsigned char *data = device_data(address, bytes);
    if (!bytes)
        return DONE;
    if (!data)
        return INVALID_VALUE;
    if (stream->hangs)
        return asynchronous && pinned ? DONE : host_waits(device, stream, 0);
    if (direction == INWARDS)
        memcpy(data, host, bytes);
    else
        memcpy(host, data, bytes);
    spend_on_host(stream, direction, bytes, gb_s);
    return asynchronous && pinned ? DONE : host_waits(device, stream, stream->end_ns);
}

API int cuMemcpyHtoD_v2(uint64_t to, void *from, size_t bytes)
{
    ENTER("cuMemcpyHtoD_v2", NEEDS_LIVE_CONTEXT);
    return copy(&driver.current->null, INWARDS, to, from, bytes, false);
}

API int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    ENTER("cuMemcpyDtoH_v2", NEEDS_LIVE_CONTEXT);
    return copy(&driver.current->null, OUTWARDS, from, to, bytes, false);
}

API int cuMemcpyHtoDAsync_v2(uint64_t to, void *from, size_t bytes, void *handle)
{
    struct stream *stream;
    int result;
    ENTER("cuMemcpyHtoDAsync_v2", NEEDS_LIVE_CONTEXT);
    result = stream_find(handle, &stream);
    return result ? result : copy(stream, INWARDS, to, from, bytes, true);
}

API int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *handle)
{
    struct stream *stream;
    int result;
    ENTER("cuMemcpyDtoHAsync_v2", NEEDS_LIVE_CONTEXT);
    result = stream_find(handle, &stream);
    return result ? result : copy(stream, OUTWARDS, from, to, bytes, true);
}

/* Straight where devices reach each other; else through the host, in and out one after the other.
 */
API int cuMemcpyPeerAsync(uint64_t to, void *to_context, uint64_t from, void *from_context,
                          size_t bytes, void *handle)
{
    struct stream *stream;
    unsigned char *target;
    const unsigned char *source;
    int result;
    ENTER("cuMemcpyPeerAsync", NEEDS_LIVE_CONTEXT);
    result = stream_find(handle, &stream);
    if (result)
        return result;
    target = device_data(to, bytes);
    source = device_data(from, bytes);
    if (!to_context || !from_context || !target || !source)
        return INVALID_VALUE;
    if (stream->hangs)
        return DONE;
    memmove(target, source, bytes);
    spend(stream, &driver.current->out_end_ns, bytes,
          driver.machine.peers ? driver.machine.peer_bandwidth
                               : driver.machine.pinned_bandwidth / 2);
    return DONE;
}

API int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *handle)
{
    struct stream *stream;
    int result;
    ENTER("cuMemcpyDtoDAsync_v2", NEEDS_LIVE_CONTEXT);
    result = stream_find(handle, &stream);
    if (result)
        return result;
    if (!device_data(to, bytes) || !device_data(from, bytes))
        return INVALID_VALUE;
    if (stream->hangs)
        return DONE;
    memmove(device_data(to, bytes), device_data(from, bytes), bytes);
    /* Each byte is read and written. */
    spend(stream, &driver.current->kernels_end_ns, bytes, driver.machine.dram_bandwidth / 2);
    return DONE;
}

static int fill(struct stream *stream, uint64_t address, unsigned value, size_t unit, size_t count)
{
    unsigned char *data = device_data(address, count * unit);
    if (!count)
        return DONE;
    if (!data || address % unit)
        return INVALID_VALUE;
    if (stream->hangs)
        return DONE;
    for (size_t i = 0; i < count; i++)
        memcpy(data + i * unit, &value, unit);
    spend(stream, &driver.current->kernels_end_ns, count * unit, driver.machine.dram_bandwidth);
    return DONE;
}

API int cuMemsetD8_v2(uint64_t address, unsigned char value, size_t count)
{
    ENTER("cuMemsetD8_v2", NEEDS_LIVE_CONTEXT);
    return fill(&driver.current->null, address, value, 1, count);
}

API int cuMemsetD32_v2(uint64_t address, unsigned value, size_t count)
{
    ENTER("cuMemsetD32_v2", NEEDS_LIVE_CONTEXT);
    return fill(&driver.current->null, address, value, sizeof value, count);
}

API int cuMemsetD8Async(uint64_t address, unsigned char value, size_t count, void *handle)
{
    struct stream *stream;
    int result;
    ENTER("cuMemsetD8Async", NEEDS_LIVE_CONTEXT);
    result = stream_find(handle, &stream);
    return result ? result : fill(stream, address, value, 1, count);
}

API int cuMemsetD32Async(uint64_t address, unsigned value, size_t count, void *handle)
{
    struct stream *stream;
    int result;
    ENTER("cuMemsetD32Async", NEEDS_LIVE_CONTEXT);
    result = stream_find(handle, &stream);
    return result ? result : fill(stream, address, value, sizeof value, count);
}

/* The beginning of CUDA_RESOURCE_DESC, for linear memory. */
struct resource {
    int type;
    uint64_t address;
    int format;
    unsigned channels;
    size_t bytes;
};

API int cuTexObjectCreate(uint64_t *handle, const struct resource *resource, const void *texture,
                          const void *view)
{
    const bool plain = !view && texture;
    ENTER("cuTexObjectCreate", NEEDS_LIVE_CONTEXT);
    if (!plain || resource->type != RESOURCE_LINEAR || resource->channels > PTX_VALUES ||
        !resource->channels || resource->channels == 3 ||
        (resource->format != FORMAT_UNSIGNED_32 && resource->format != FORMAT_SIGNED_32 &&
         resource->format != FORMAT_FLOAT_32) ||
        !device_data(resource->address, resource->bytes))
        return INVALID_VALUE;
    for (unsigned i = 0; i < DEVICE_TEXTURES; i++) {
        struct texture *free_one = &driver.current->textures[i];
        if (free_one->channels)
            continue;
        free_one->address = resource->address;
        free_one->channels = resource->channels;
        free_one->texels = resource->bytes / (sizeof(uint32_t) * resource->channels);
        *handle = i + 1;
        return DONE;
    }
    return OUT_OF_MEMORY;
}

API int cuTexObjectDestroy(uint64_t handle)
{
    ENTER("cuTexObjectDestroy", NEEDS_CONTEXT);
    if (!handle || handle > DEVICE_TEXTURES || !driver.current->textures[handle - 1].channels)
        return INVALID_VALUE;
    driver.current->textures[handle - 1].channels = 0;
    return DONE;
}
