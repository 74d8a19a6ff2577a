/* Kernels begin. */
#include "driver.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

/* Of launch_us: until the host goes on, and from then until the kernel begins. */
static const double host_share = 0.5, device_share = 0.5;

enum { LAUNCH_CLUSTER = 4, THREADS_MOST = 1024, PORTABLE_CLUSTER = 8 };

/* CUlaunchAttribute, CUlaunchConfig. */
struct launch_attribute {
    int id;
    union {
        unsigned cluster[3];
        uint64_t reserved[8];
    };
};

struct launch_config {
    unsigned grid[3], block[3], shared_bytes;
    void *stream;
    const struct launch_attribute *attributes;
    unsigned attribute_count;
};

static int check_cluster(const struct function *function, const struct launch_config *config,
                         unsigned cluster)
{
    const struct machine *machine = &driver.machine;
    const unsigned most = function->large_clusters ? 2 * PORTABLE_CLUSTER : PORTABLE_CLUSTER;
    if (cluster == 1)
        return DONE;
    if (machine->cluster_most <= 1)
        return NOT_SUPPORTED;
    if (cluster > most || cluster > machine->cluster_most || config->grid[0] % cluster ||
        cluster > machine->sms)
        return INVALID_CLUSTER_SIZE;
    return DONE;
}

static int check_launch(const struct function *function, const struct launch_config *config,
                        unsigned cluster)
{
    const unsigned *grid = config->grid, *block = config->block;
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    const unsigned most = function->code->most_threads;
    uint64_t scratchpad;
    if (!threads || threads > THREADS_MOST || !grid[0] || !grid[1] || !grid[2] ||
        (most && threads > most) || config->shared_bytes > function->dynamic_most)
        return INVALID_VALUE;
    if (!run_occupancy(&driver.machine, function->code, (unsigned)threads, config->shared_bytes,
                       function->carve_out, &scratchpad))
        return LAUNCH_OUT_OF_RESOURCES;
    return check_cluster(function, config, cluster);
}

/* One buffer as the kernel sees it. NULL: no memory. */
static unsigned char *pack_parameters(const struct ptx_function *code, void **parameters)
{
    unsigned char *packed = calloc(1, code->parameter_bytes + 1);
    for (size_t i = 0; packed && i < code->parameter_count; i++)
        memcpy(packed + code->parameters[i].at, parameters[i], code->parameters[i].bytes);
    return packed;
}

/* The clock wanders from kernel to kernel, the same way every time. */
static double clock_now(const struct device *device)
{
    struct random random = {device->launches};
    return driver.machine.clock_mhz * (1 - driver.machine.wobble / 100 * random_unit(&random));
}

static void run_now(struct device *device, const struct run_grid *grid, struct stream *stream)
{
    const double begin = stream_begin(stream, device->kernels_end_ns) +
                         driver.machine.launch_us * 1e3 * device_share;
    struct run_outcome outcome;
    struct run_device on = {.machine = &driver.machine,
                            .hierarchy = &device->hierarchy,
                            .memory = &driver.memory,
                            .index = device->index,
                            .reaches = device->reaches,
                            .textures = device->textures,
                            .texture_count = DEVICE_TEXTURES,
                            .ns = begin};
    device->launches++;
    device->clock_mhz = on.clock_mhz = clock_now(device);
    on.clock = (uint64_t)(begin * driver.machine.clock_mhz / 1e3);
    run_kernel(&on, grid, &outcome);
    /* As on the hardware it is the next call that hears of it. */
    device->dead = outcome.result;
    stream->end_ns = begin + (double)outcome.cycles * 1e3 / device->clock_mhz;
    device->kernels_end_ns = stream->end_ns;
}

static int launch(void *handle, const struct launch_config *config, unsigned cluster,
                  void **parameters, bool hangs)
{
    struct device *device = driver.current;
    struct function *function = function_find(handle);
    struct stream *stream;
    int result = stream_find(config->stream, &stream);
    if (!function || result)
        return INVALID_HANDLE;
    result = check_launch(function, config, cluster);
    if (!result && function->code->parameter_count && !parameters)
        result = INVALID_VALUE;
    if (result)
        return result;
    driver.host_ns += driver.machine.launch_us * 1e3 * host_share;
    stream->hangs |= hangs;
    if (stream->hangs)
        return DONE;
    struct run_grid grid = {.module = &function->module->code,
                            .function = function->code,
                            .parameters = pack_parameters(function->code, parameters),
                            .constants = function->module->constants,
                            .cluster = cluster,
                            .shared_bytes = config->shared_bytes,
                            .carve_out = function->carve_out};
    if (!grid.parameters)
        return OUT_OF_MEMORY;
    memcpy(grid.blocks, config->grid, sizeof grid.blocks);
    memcpy(grid.threads, config->block, sizeof grid.threads);
    run_now(device, &grid, stream);
    free((void *)(uintptr_t)grid.parameters);
    return DONE;
}

API int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                       void *stream, void **parameters, void **extra)
{
    const struct launch_config config = {
        {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream, NULL, 0};
    int entered = driver_enter("cuLaunchKernel", NEEDS_LIVE_CONTEXT, true);
    if (entered > 0 || extra)
        return entered > 0 ? entered : INVALID_VALUE;
    return launch(function, &config, 1, parameters, entered == FAULT_HANG);
}

/* The blocks of a cluster, along x, which are all that is modelled; 0: it has no such shape. */
static unsigned cluster_of(const struct launch_config *config)
{
    for (unsigned i = 0; i < config->attribute_count; i++) {
        const struct launch_attribute *attribute = &config->attributes[i];
        if (attribute->id == LAUNCH_CLUSTER)
            return attribute->cluster[1] == 1 && attribute->cluster[2] == 1 ? attribute->cluster[0]
                                                                            : 0;
    }
    return 1;
}

API int cuOccupancyMaxActiveClusters(int *clusters, void *handle,
                                     const struct launch_config *config)
{
    const struct function *function = function_find(handle);
    int entered = driver_enter("cuOccupancyMaxActiveClusters", NEEDS_LIVE_CONTEXT, false);
    if (entered > 0 || !function)
        return entered > 0 ? entered : INVALID_HANDLE;
    const unsigned cluster = cluster_of(config);
    const int result = cluster ? check_launch(function, config, cluster) : INVALID_CLUSTER_SIZE;
    *clusters = result ? 0 : (int)((unsigned)driver.machine.sms / cluster);
    return result;
}

API int cuLaunchKernelEx(const struct launch_config *config, void *function, void **parameters,
                         void **extra)
{
    int entered = driver_enter("cuLaunchKernelEx", NEEDS_LIVE_CONTEXT, true);
    if (entered > 0 || extra)
        return entered > 0 ? entered : INVALID_VALUE;
    const unsigned cluster = cluster_of(config);
    if (!cluster)
        return INVALID_CLUSTER_SIZE;
    return launch(function, config, cluster, parameters, entered == FAULT_HANG);
}
