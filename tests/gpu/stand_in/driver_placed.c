/* The host's memory node by node, and managed memory. */
#include "driver.h"

API void *fathomModelMap(size_t bytes, int node);
API void fathomModelUnmap(void *memory, size_t bytes);
API int fathomModelNode(const void *memory);

/* CUmem_advise. */
enum { SET_PREFERRED_LOCATION = 3, SET_ACCESSED_BY = 5 };

/* Memory that nobody has pinned, on a node of the modelled host (-1: on the one that is near).
 * NULL: there is no such node. */
void *fathomModelMap(size_t bytes, int node)
{
    const unsigned chosen = node < 0 ? (unsigned)driver.machine.node : (unsigned)node;
    if (!driver.started || (node >= 0 && chosen >= driver.machine.nodes))
        return NULL;
    return (void *)(uintptr_t)memory_take_host(&driver.memory, bytes, chosen, false);
}

void fathomModelUnmap(void *memory, size_t bytes)
{
    memory_drop(&driver.memory, (uint64_t)(uintptr_t)memory, HOME_HOST);
}

static struct allocation *host_memory(const void *memory, size_t bytes)
{
    struct allocation *found = memory_find(&driver.memory, (uint64_t)(uintptr_t)memory, bytes);
    return found && found->home == HOME_HOST ? found : NULL;
}

int fathomModelNode(const void *memory)
{
    const struct allocation *found = host_memory(memory, 1);
    return found ? (int)found->node : -1;
}

/* Pages of a device's own memory may not be pinned where they lie: they move first. */
API int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags)
{
    struct allocation *found;
    (void)flags; /* all host memory is mapped and portable */
    ENTER("cuMemHostRegister_v2", NEEDS_LIVE_CONTEXT);
    found = host_memory(memory, bytes);
    if (!found || found->pinned)
        return INVALID_VALUE;
    found->pinned = true;
    if (driver.machine.own_node && found->node == driver.machine.own_node)
        found->node = (unsigned)driver.machine.node;
    return DONE;
}

API int cuMemHostUnregister(void *memory)
{
    struct allocation *found;
    int result;
    ENTER("cuMemHostUnregister", NEEDS_CONTEXT);
    result = host_waits_for_all(driver.current);
    found = host_memory(memory, 1);
    if (!found || !found->pinned)
        return INVALID_VALUE;
    found->pinned = false;
    return result;
}

API int cuMemAllocManaged(uint64_t *address, size_t bytes, unsigned flags)
{
    ENTER("cuMemAllocManaged", NEEDS_LIVE_CONTEXT);
    if (!bytes || flags != 1)
        return INVALID_VALUE;
    if (!driver.machine.managed)
        return NOT_SUPPORTED;
    *address = memory_take_managed(&driver.memory, bytes);
    return *address ? DONE : OUT_OF_MEMORY;
}

static struct allocation *managed_memory(uint64_t address, size_t bytes)
{
    struct allocation *found = memory_find(&driver.memory, address, bytes);
    return found && found->home == HOME_MANAGED ? found : NULL;
}

API int cuMemPrefetchAsync(uint64_t address, size_t bytes, int device, void *handle)
{
    struct allocation *found;
    struct stream *stream;
    int result;
    ENTER("cuMemPrefetchAsync", NEEDS_LIVE_CONTEXT);
    result = stream_find(handle, &stream);
    if (result)
        return result;
    found = managed_memory(address, bytes);
    if (!found)
        return INVALID_VALUE;
    if (device != PLACE_HOST && !device_at(device))
        return INVALID_DEVICE;
    found->place_now = device;
    stream->end_ns = stream_begin(stream, 0) + (double)bytes / driver.machine.pinned_bandwidth;
    return DONE;
}

API int cuMemAdvise(uint64_t address, size_t bytes, int advice, int device)
{
    struct allocation *found;
    ENTER("cuMemAdvise", NEEDS_LIVE_CONTEXT);
    found = managed_memory(address, bytes);
    if (!found || (advice != SET_PREFERRED_LOCATION && advice != SET_ACCESSED_BY))
        return INVALID_VALUE;
    if (device != PLACE_HOST && !device_at(device))
        return INVALID_DEVICE;
    if (advice == SET_PREFERRED_LOCATION)
        found->preferred = device;
    else if (device != PLACE_HOST)
        found->reached_by |= 1u << device;
    return DONE;
}
