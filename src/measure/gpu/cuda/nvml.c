#include "measure/gpu/cuda/nvml.h"

#include "nvml.calls.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

/* nvmlClockType_t and nvmlTemperatureSensors_t. */
enum { CLOCK_OF_MULTIPROCESSORS = 1, CLOCK_OF_MEMORY = 2 };
enum { TEMPERATURE_OF_DIE = 0 };

/* nvmlClocksThrottleReasons that do not mean a slowed clock: the device is idle, or a setting asks
 * for that clock. */
enum { REASON_IDLE = 0x1, REASON_APPLICATION_CLOCKS = 0x2, REASON_DISPLAY_CLOCKS = 0x100 };

struct nvml {
    void *handle;
    bool started;
#define DECLARE(result, name, symbol, older, arguments) result(*name) arguments;
    NVML_NEEDED_CALLS(DECLARE)
    NVML_OPTIONAL_CALLS(DECLARE)
#undef DECLARE
};

static void *open_library(bool only_named)
{
    const char *named = getenv("FATHOM_LIBNVML");
    if (named && *named)
        return dlopen(named, RTLD_NOW | RTLD_LOCAL);
    if (only_named)
        return NULL;
    void *handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    return handle ? handle : dlopen("/usr/lib/wsl/lib/libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
}

static void *find(void *handle, const char *symbol, const char *older)
{
    void *found = dlsym(handle, symbol);
    return found || !older ? found : dlsym(handle, older);
}

/* Finds all calls; false if a needed one is missing. */
static bool find_calls(struct nvml *nvml)
{
    bool all = true;
#define FIND(result, name, symbol, older, arguments)                                               \
    *(void **)&nvml->name = find(nvml->handle, symbol, older);
#define NEED(result, name, ...) all &= nvml->name != NULL;
    NVML_NEEDED_CALLS(FIND)
    NVML_OPTIONAL_CALLS(FIND)
    NVML_NEEDED_CALLS(NEED)
#undef FIND
#undef NEED
    return all;
}

struct nvml *nvml_open(bool only_named)
{
    struct nvml *nvml = calloc(1, sizeof *nvml);
    if (!nvml)
        return NULL;
    nvml->handle = open_library(only_named);
    if (nvml->handle && find_calls(nvml))
        nvml->started = nvml->nvmlInit() == 0;
    if (!nvml->started) {
        nvml_close(nvml);
        return NULL;
    }
    return nvml;
}

void nvml_close(struct nvml *nvml)
{
    if (!nvml)
        return;
    if (nvml->started)
        nvml->nvmlShutdown();
    if (nvml->handle)
        dlclose(nvml->handle);
    free(nvml);
}

bool nvml_driver_version(const struct nvml *nvml, char *text, size_t size)
{
    return nvml && nvml->nvmlSystemGetDriverVersion &&
           nvml->nvmlSystemGetDriverVersion(text, (unsigned)size) == 0 && *text;
}

struct nvml_device *nvml_find(const struct nvml *nvml, const char *bus)
{
    struct nvml_device *device = NULL;
    if (!nvml || !*bus || nvml->nvmlDeviceGetHandleByPciBusId(bus, &device) != 0)
        return NULL;
    return device;
}

static double ask_clock(const struct nvml *nvml, struct nvml_device *device, int clock)
{
    unsigned mhz;
    if (!nvml->nvmlDeviceGetClockInfo || nvml->nvmlDeviceGetClockInfo(device, clock, &mhz) != 0)
        return NAN;
    return mhz * 1e6;
}

void nvml_read_sensors(const struct nvml *nvml, struct nvml_device *device,
                       struct gpu_sensors *sensors)
{
    *sensors = (struct gpu_sensors){NAN, NAN, NAN, NAN, 0};
    if (!nvml || !device)
        return;
    unsigned value;
    unsigned long long reasons;
    sensors->clock_hz = ask_clock(nvml, device, CLOCK_OF_MULTIPROCESSORS);
    sensors->memory_clock_hz = ask_clock(nvml, device, CLOCK_OF_MEMORY);
    if (nvml->nvmlDeviceGetPowerUsage && nvml->nvmlDeviceGetPowerUsage(device, &value) == 0)
        sensors->power_w = value / 1e3;
    if (nvml->nvmlDeviceGetTemperature &&
        nvml->nvmlDeviceGetTemperature(device, TEMPERATURE_OF_DIE, &value) == 0)
        sensors->temperature_c = value;
    if (nvml->nvmlDeviceGetCurrentClocksEventReasons &&
        nvml->nvmlDeviceGetCurrentClocksEventReasons(device, &reasons) == 0)
        sensors->throttle =
            reasons &
            ~(unsigned long long)(REASON_IDLE | REASON_APPLICATION_CLOCKS | REASON_DISPLAY_CLOCKS);
}

/* --- facts --- */

static const char *link_text(struct pool *pool, int (*generation)(struct nvml_device *, unsigned *),
                             int (*width)(struct nvml_device *, unsigned *),
                             struct nvml_device *device)
{
    unsigned g, lanes;
    if (!generation || !width || generation(device, &g) != 0 || width(device, &lanes) != 0)
        return NULL;
    return pool_printf(pool, "PCIe %u.0 x%u", g, lanes);
}

static const char *mode_text(int (*ask)(struct nvml_device *, unsigned *, unsigned *),
                             struct nvml_device *device)
{
    unsigned now, next;
    return !ask || ask(device, &now, &next) != 0 ? NULL : now ? "on" : "off";
}

/* With room for no process the call reports their number: as an error if there are any, as success
 * if there are none. `own` is 1 if this process is among them, else 0. */
static double count_others(const struct nvml *nvml, struct nvml_device *device, unsigned own)
{
    enum { TOO_LITTLE_ROOM = 7 }; /* NVML_ERROR_INSUFFICIENT_SIZE */
    unsigned count = 0;
    if (!nvml->nvmlDeviceGetComputeRunningProcesses)
        return NAN;
    const int result = nvml->nvmlDeviceGetComputeRunningProcesses(device, &count, NULL);
    if (result != 0 && result != TOO_LITTLE_ROOM)
        return NAN;
    return count > own ? count - own : 0;
}

void nvml_read_facts(const struct nvml *nvml, struct nvml_device *device, bool at_work,
                     struct pool *pool, struct gpu_facts *facts)
{
    enum { UUID_BYTES = 96 };
    char uuid[UUID_BYTES] = "";
    if (!nvml || !device)
        return;
    if (nvml->nvmlDeviceGetUUID && nvml->nvmlDeviceGetUUID(device, uuid, sizeof uuid) == 0 && *uuid)
        facts->uuid = pool_strdup(pool, uuid);
    facts->link = link_text(pool, nvml->nvmlDeviceGetCurrPcieLinkGeneration,
                            nvml->nvmlDeviceGetCurrPcieLinkWidth, device);
    facts->link_most = link_text(pool, nvml->nvmlDeviceGetMaxPcieLinkGeneration,
                                 nvml->nvmlDeviceGetMaxPcieLinkWidth, device);
    facts->ecc = mode_text(nvml->nvmlDeviceGetEccMode, device);
    facts->mig = mode_text(nvml->nvmlDeviceGetMigMode, device);
    facts->other_processes = count_others(nvml, device, at_work);
}
