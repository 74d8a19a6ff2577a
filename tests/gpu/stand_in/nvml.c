/* NVML, in the same library: what it says of a device follows the driver's last kernel. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* nvmlReturn_t, nvmlClockType_t. */
enum {
    NVML_UNINITIALIZED = 1,
    NVML_INVALID_ARGUMENT = 2,
    NVML_NOT_FOUND = 6,
    NVML_INSUFFICIENT_SIZE = 7
};
enum { CLOCK_GRAPHICS, CLOCK_SM, CLOCK_MEM, CLOCK_VIDEO };

/* How often it was started less how often shut down. */
static unsigned started;

#define ENTER_NVML(call)                                                                           \
    do {                                                                                           \
        int entered_ = driver_enter(call, NEEDS_NOTHING, false);                                   \
        if (entered_ || !started)                                                                  \
            return entered_ ? entered_ : NVML_UNINITIALIZED;                                       \
    } while (0)

API int nvmlInit_v2(void)
{
    ENTER("nvmlInit_v2", NEEDS_NOTHING);
    started++;
    return DONE;
}

API int nvmlShutdown(void)
{
    ENTER_NVML("nvmlShutdown");
    started--;
    return DONE;
}

API int nvmlSystemGetDriverVersion(char *text, unsigned bytes)
{
    ENTER_NVML("nvmlSystemGetDriverVersion");
    snprintf(text, bytes, "modelled %u.%u", (unsigned)driver.machine.driver / 1000,
             (unsigned)driver.machine.driver % 1000 / 10);
    return DONE;
}

/* "0000:10:00.0", or with eight digits of the domain. */
API int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **handle)
{
    unsigned domain, number, slot;
    ENTER_NVML("nvmlDeviceGetHandleByPciBusId_v2");
    if (!bus || sscanf(bus, "%x:%x:%x", &domain, &number, &slot) != 3)
        return NVML_INVALID_ARGUMENT;
    *handle = device_at((int)number - 0x10);
    return *handle && !domain && !slot ? DONE : NVML_NOT_FOUND;
}

API int nvmlDeviceGetClockInfo(const struct device *device, int clock, unsigned *mhz)
{
    ENTER_NVML("nvmlDeviceGetClockInfo");
    if (!device || clock < CLOCK_GRAPHICS || clock > CLOCK_VIDEO)
        return NVML_INVALID_ARGUMENT;
    const double own = device->clock_mhz > 0 ? device->clock_mhz : driver.machine.clock_mhz;
    *mhz = (unsigned)((clock == CLOCK_MEM ? driver.machine.memory_mhz : own) + 0.5);
    return DONE;
}

API int nvmlDeviceGetPowerUsage(const struct device *device, unsigned *milliwatts)
{
    ENTER_NVML("nvmlDeviceGetPowerUsage");
    if (!device)
        return NVML_INVALID_ARGUMENT;
    *milliwatts = (unsigned)(driver.machine.power_w * 1e3);
    return DONE;
}

API int nvmlDeviceGetTemperature(const struct device *device, int sensor, unsigned *celsius)
{
    ENTER_NVML("nvmlDeviceGetTemperature");
    if (!device || sensor)
        return NVML_INVALID_ARGUMENT;
    *celsius = (unsigned)driver.machine.temperature_c;
    return DONE;
}

API int nvmlDeviceGetCurrentClocksThrottleReasons(const struct device *device,
                                                  unsigned long long *reasons)
{
    ENTER_NVML("nvmlDeviceGetCurrentClocksThrottleReasons");
    if (!device)
        return NVML_INVALID_ARGUMENT;
    *reasons = driver.machine.throttle;
    return DONE;
}

API int nvmlDeviceGetUUID(const struct device *device, char *text, unsigned bytes)
{
    ENTER_NVML("nvmlDeviceGetUUID");
    if (!device)
        return NVML_INVALID_ARGUMENT;
    snprintf(text, bytes, "GPU-00000000-0000-0000-0000-%012u", device->index);
    return DONE;
}

static int give(const struct device *device, unsigned *to, uint64_t value)
{
    if (!device || !to)
        return NVML_INVALID_ARGUMENT;
    *to = (unsigned)value;
    return DONE;
}

API int nvmlDeviceGetMaxPcieLinkGeneration(const struct device *device, unsigned *generation)
{
    ENTER_NVML("nvmlDeviceGetMaxPcieLinkGeneration");
    return give(device, generation, driver.machine.link_generation);
}

/* An idle link is slow. */
API int nvmlDeviceGetCurrPcieLinkGeneration(const struct device *device, unsigned *generation)
{
    ENTER_NVML("nvmlDeviceGetCurrPcieLinkGeneration");
    return give(device, generation,
                device && device->retained ? driver.machine.link_generation : 1);
}

API int nvmlDeviceGetMaxPcieLinkWidth(const struct device *device, unsigned *lanes)
{
    ENTER_NVML("nvmlDeviceGetMaxPcieLinkWidth");
    return give(device, lanes, driver.machine.link_lanes);
}

API int nvmlDeviceGetCurrPcieLinkWidth(const struct device *device, unsigned *lanes)
{
    ENTER_NVML("nvmlDeviceGetCurrPcieLinkWidth");
    return give(device, lanes, driver.machine.link_lanes);
}

API int nvmlDeviceGetEccMode(const struct device *device, unsigned *now, unsigned *next)
{
    ENTER_NVML("nvmlDeviceGetEccMode");
    give(device, next, driver.machine.ecc);
    return give(device, now, driver.machine.ecc);
}

API int nvmlDeviceGetMigMode(const struct device *device, unsigned *now, unsigned *next)
{
    ENTER_NVML("nvmlDeviceGetMigMode");
    give(device, next, driver.machine.mig);
    return give(device, now, driver.machine.mig);
}

/* With no room for any it says how many there are. */
API int nvmlDeviceGetComputeRunningProcesses_v3(const struct device *device, unsigned *count,
                                                void *processes)
{
    ENTER_NVML("nvmlDeviceGetComputeRunningProcesses_v3");
    if (!device || processes)
        return NVML_INVALID_ARGUMENT;
    *count = (unsigned)driver.machine.others + (device->retained > 0);
    return *count ? NVML_INSUFFICIENT_SIZE : DONE;
}
