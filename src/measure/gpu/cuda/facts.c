#include "measure/gpu/cuda/cuda.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 256, INVALID_VALUE = 1 };

/* Size of L1 and scratchpad of a multiprocessor together; no call reports it. Reference: NVIDIA,
 * "CUDA C++ Programming Guide", technical specifications per compute capability ("unified data
 * cache"). */
static const struct {
    unsigned capability, kib;
} first_levels[] = {
    {70, 128}, {72, 128}, {75, 96},   {80, 192},  {86, 128},  {87, 192},  {88, 128},
    {89, 128}, {90, 256}, {100, 256}, {103, 256}, {110, 256}, {120, 128}, {121, 128},
};

static uint64_t first_level_bytes(unsigned capability)
{
    for (size_t i = 0; i < sizeof first_levels / sizeof *first_levels; i++)
        if (first_levels[i].capability == capability)
            return (uint64_t)first_levels[i].kib << 10;
    return 0;
}

struct listing {
    struct cuda_library *library;
    int handle;
    char before[24]; /* of error lines: "gpu0" */
    struct error *error;
    int code; /* of the first failure, after which no call is made */
};

/* 0 if the driver is too old to know the attribute. */
static int attribute(struct listing *listing, int which)
{
    int value = 0;
    if (listing->code < 0)
        return 0;
    int result = listing->library->calls.cuDeviceGetAttribute(&value, which, listing->handle);
    if (result == INVALID_VALUE)
        return 0;
    listing->code = cuda_report(&listing->library->calls, listing->before, "cuDeviceGetAttribute",
                                result, listing->error);
    return value > 0 ? value : 0;
}

/* The host's NUMA node nearest to the device, from the driver or from sysfs. NAN: unknown. */
static double host_node(const struct listing *listing, const struct cuda_device *device)
{
    int node = -1;
    if (listing->library->calls.cuDeviceGetAttribute(&node, CUDA_HOST_NUMA_NODE, listing->handle) ==
            0 &&
        node >= 0)
        return node;
    char path[96], text[32] = "";
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", device->bus);
    for (char *c = path; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    FILE *file = *device->bus && !listing->library->modelled ? fopen(path, "r") : NULL;
    if (!file)
        return NAN;
    const bool read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    return read && isdigit((unsigned char)*text) ? strtod(text, NULL) : NAN;
}

static double hertz(int khz)
{
    return khz > 0 ? khz * 1e3 : NAN;
}

static void ask_device(struct listing *listing, struct cuda_device *device)
{
    int optin;
    device->handle = listing->handle;
    device->capability = (unsigned)(10 * attribute(listing, CUDA_CAPABILITY_MAJOR) +
                                    attribute(listing, CUDA_CAPABILITY_MINOR));
    device->multiprocessors = (unsigned)attribute(listing, CUDA_MULTIPROCESSORS);
    device->compute_mode = attribute(listing, CUDA_COMPUTE_MODE);
    device->shared_bytes = (size_t)attribute(listing, CUDA_SHARED_BYTES_PER_BLOCK);
    optin = attribute(listing, CUDA_SHARED_BYTES_PER_BLOCK_OPTIN);
    if ((size_t)optin > device->shared_bytes)
        device->shared_bytes = (size_t)optin;
    device->texels = (size_t)attribute(listing, CUDA_TEXTURE_LINEAR_TEXELS);
    device->managed = attribute(listing, CUDA_MANAGED_MEMORY) > 0 &&
                      attribute(listing, CUDA_CONCURRENT_MANAGED_ACCESS) > 0;
    device->reads_pageable = attribute(listing, CUDA_PAGEABLE_MEMORY_ACCESS) > 0;
    device->first_level_bytes = (size_t)first_level_bytes(device->capability);
    if (device->first_level_bytes == 0) {
        /* The table's maximum: a chase of this size fills a first level of unknown size. */
        size_t most = 0;
        for (size_t i = 0; i < sizeof first_levels / sizeof *first_levels; i++)
            if ((size_t)first_levels[i].kib << 10 > most)
                most = (size_t)first_levels[i].kib << 10;
        device->first_level_bytes = most;
    }
    /* Not an error: mainly NVML needs the PCI address. */
    if (listing->library->calls.cuDeviceGetPCIBusId &&
        listing->library->calls.cuDeviceGetPCIBusId(device->bus, sizeof device->bus,
                                                    device->handle) != 0)
        device->bus[0] = '\0';
}

static int list_one(struct cuda_library *library, struct pool *pool, size_t index,
                    struct gpu_facts *facts, struct error *error)
{
    struct listing listing = {.library = library, .error = error};
    char name[NAME_BYTES] = "";
    size_t bytes = 0;
    const struct cuda_calls *calls = &library->calls;
    struct cuda_device *device = &library->devices[index];
    snprintf(listing.before, sizeof listing.before, "gpu%zu", index);
    int code = cuda_report(calls, listing.before, "cuDeviceGet",
                           calls->cuDeviceGet(&listing.handle, (int)index), error);
    if (code == 0)
        code = cuda_report(calls, listing.before, "cuDeviceGetName",
                           calls->cuDeviceGetName(name, sizeof name - 1, listing.handle), error);
    if (code == 0)
        code = cuda_report(calls, listing.before, "cuDeviceTotalMem",
                           calls->cuDeviceTotalMem(&bytes, listing.handle), error);
    if (code < 0)
        return code;
    ask_device(&listing, device);
    facts->multiprocessors = device->multiprocessors;
    facts->clock_hz = hertz(attribute(&listing, CUDA_CLOCK_KHZ));
    facts->memory_clock_hz = hertz(attribute(&listing, CUDA_MEMORY_CLOCK_KHZ));
    facts->memory_bus_bits = (unsigned)attribute(&listing, CUDA_MEMORY_BUS_BITS);
    facts->l2_bytes = (uint64_t)attribute(&listing, CUDA_L2_BYTES);
    facts->first_level_bytes = first_level_bytes(device->capability);
    facts->scratchpad_bytes = (uint64_t)attribute(&listing, CUDA_SHARED_BYTES_PER_MULTIPROCESSOR);
    facts->constant_bytes = (uint64_t)attribute(&listing, CUDA_CONSTANT_BYTES);
    facts->bus = *device->bus ? device->bus : NULL;
    facts->host_node = host_node(&listing, device);
    device->host_node = isfinite(facts->host_node) ? (int)facts->host_node : -1;
    facts->other_processes = NAN;
    facts->modelled = listing.library->modelled;
    facts->backend = "cuda";
    facts->kind = "gpu";
    if (listing.code < 0)
        return listing.code;
    if (facts->bus && !(facts->bus = pool_strdup(pool, facts->bus)))
        return error_out_of_memory(error);
    nvml_read_facts(library->nvml, nvml_find(library->nvml, device->bus), false, pool, facts);
    facts->id = (int)index;
    facts->memory_bytes = bytes;
    facts->name = pool_strdup(pool, name);
    facts->capability =
        pool_printf(pool, "%u.%u", device->capability / 10, device->capability % 10);
    return facts->name && facts->capability ? 0 : error_out_of_memory(error);
}

/* "550.54.15 (CUDA 12.4)", or "CUDA 12.4" without NVML. */
static int name_driver(struct cuda_library *library, struct pool *pool, const char **text,
                       struct error *error)
{
    int version = 0;
    char driver[80] = "";
    int code = cuda_report(&library->calls, "the NVIDIA driver", "cuDriverGetVersion",
                           library->calls.cuDriverGetVersion(&version), error);
    if (code < 0)
        return code;
    bool named = nvml_driver_version(library->nvml, driver, sizeof driver);
    *text = pool_printf(pool, "%s%sCUDA %d.%d%s", driver, named ? " (" : "", version / 1000,
                        version % 1000 / 10, named ? ")" : "");
    return *text ? 0 : error_out_of_memory(error);
}

static int count_devices(struct cuda_library *library, struct pool *pool, struct error *error)
{
    int count = 0;
    const struct cuda_calls *calls = &library->calls;
    int code = cuda_report(calls, "the NVIDIA driver", "cuDeviceGetCount",
                           calls->cuDeviceGetCount(&count), error);
    if (code == 0 && count <= 0)
        code = cuda_report(calls, "the NVIDIA driver", "cuDeviceGetCount", CUDA_NO_DEVICE, error);
    if (code < 0)
        return code;
    library->devices = pool_alloc(pool, (size_t)count, sizeof *library->devices);
    if (!library->devices)
        return error_out_of_memory(error);
    library->count = (size_t)count;
    return 0;
}

int cuda_list(struct cuda_library *library, struct pool *pool, struct gpu_facts **facts,
              struct error *error)
{
    const char *driver;
    int code = count_devices(library, pool, error);
    if (code < 0)
        return code;
    library->nvml = nvml_open(library->modelled);
    code = name_driver(library, pool, &driver, error);
    if (code < 0)
        return code;
    struct gpu_facts *all = pool_alloc(pool, library->count, sizeof *all);
    if (!all)
        return error_out_of_memory(error);
    for (size_t i = 0; i < library->count; i++) {
        code = list_one(library, pool, i, &all[i], error);
        if (code < 0)
            return code;
        all[i].driver = driver;
    }
    *facts = all;
    return 0;
}
