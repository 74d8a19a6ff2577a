#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct driver driver;

/* Modelled time begins here: not at zero, which no clock shows. */
static const double first_ns = 1e9;

API const char *fathomModel(void);
API unsigned long long fathomModelNs(void);
API unsigned long long fathomModelHeld(void);

static void complain(const char *variable, const char *what)
{
    snprintf(driver.wrong, sizeof driver.wrong, "%s: %.900s", variable, what);
    fprintf(stderr, "stand-in for libcuda: %s\n", driver.wrong);
}

static bool in_use(void)
{
    bool used = false;
    for (unsigned i = 0; i < MACHINE_DEVICES_MOST; i++)
        used |= driver.devices[i].retained != 0;
    return used;
}

static void stop(void)
{
    for (unsigned i = 0; i < MACHINE_DEVICES_MOST; i++)
        if (driver.devices[i].hierarchy.machine)
            hierarchy_free(&driver.devices[i].hierarchy);
    memset(driver.devices, 0, sizeof driver.devices);
    memory_free(&driver.memory);
    driver.started = false;
    driver.current = NULL;
}

/* Libraries are closed with all that they hold. */
__attribute__((destructor)) static void close_library(void)
{
    for (unsigned i = 0; i < MACHINE_DEVICES_MOST; i++)
        if (driver.devices[i].hierarchy.machine)
            device_reset(&driver.devices[i]);
    stop();
}

/* The text of a variable where it differs from the one that was read before. */
static const char *changed(const char *variable, char *before)
{
    const char *text = getenv(variable);
    text = text ? text : "";
    if (!strcmp(before, text) || strlen(text) >= MACHINE_TEXT_BYTES)
        return NULL;
    snprintf(before, MACHINE_TEXT_BYTES, "%s", text);
    return before;
}

/* The model may change while nothing of it is in use, faults at any time. */
static void take_settings(void)
{
    char why[MACHINE_TEXT_BYTES];
    const char *wrong, *text;
    if (!in_use() &&
        ((text = changed("FATHOM_GPU_MODEL", driver.model_text)) || !driver.machine.step_count)) {
        stop();
        driver.wrong[0] = '\0';
        wrong = machine_read(&driver.machine, driver.model_text, why, sizeof why);
        if (wrong)
            complain("FATHOM_GPU_MODEL", wrong);
    }
    text = changed("FATHOM_GPU_FAULT", driver.fault_text);
    if (text) {
        wrong = faults_read(&driver.faults, text);
        if (wrong)
            complain("FATHOM_GPU_FAULT", wrong);
    }
}

static bool start_devices(void)
{
    bool made = true;
    memory_create(&driver.memory, &driver.machine);
    driver.host_ns = first_ns;
    memset(driver.host_free_ns, 0, sizeof driver.host_free_ns);
    for (unsigned i = 0; made && i < driver.machine.devices; i++) {
        struct device *device = &driver.devices[i];
        device->index = i;
        device->clock_mhz = driver.machine.clock_mhz;
        device->null.device = device;
        made = hierarchy_create(&device->hierarchy, &driver.machine);
    }
    if (!made)
        stop();
    return made;
}

/* Each call costs the host some time, little beside what it asks for. */
enum { CALL_NS = 5 };

int driver_enter(const char *call, enum need need, bool may_hang)
{
    int fault;
    take_settings();
    if (driver.wrong[0])
        return UNKNOWN;
    driver.host_ns += (double)CALL_NS;
    fault = faults_take(&driver.faults, call);
    if (fault == FAULT_HANG && !may_hang) {
        struct stream hung = {.hangs = true};
        return host_waits(driver.current, &hung, 0);
    }
    if (fault > 0) {
        if (driver.current && result_is_sticky(fault))
            driver.current->dead = fault;
        return fault;
    }
    if (need != NEEDS_NOTHING && !driver.started)
        return NOT_INITIALIZED;
    if (need >= NEEDS_CONTEXT && !driver.current)
        return INVALID_CONTEXT;
    if (need == NEEDS_LIVE_CONTEXT && driver.current->dead)
        return driver.current->dead;
    return fault;
}

struct device *device_at(int index)
{
    return index >= 0 && (uint64_t)index < driver.machine.devices ? &driver.devices[index] : NULL;
}

/* Those after which "the context can no longer be used" (CUDA driver API, CUresult). */
bool result_is_sticky(int result)
{
    static const int sticky[] = {214, 700, 702, 710, 714, 715, 716, 717, 718, 719};
    for (size_t i = 0; i < sizeof sticky / sizeof *sticky; i++)
        if (sticky[i] == result)
            return true;
    return false;
}

void device_reset(struct device *device)
{
    modules_free(device);
    streams_free(device);
    memory_drop_device(&driver.memory, device->index);
    memset(device->textures, 0, sizeof device->textures);
    memset(device->reaches, 0, sizeof device->reaches);
    device->null.hangs = false;
    device->retained = 0;
    device->dead = 0;
}

/* The model that this is, every value of it: "preset=tiny devices=1 ...". By this symbol fathom
 * tells a stand-in from a driver. */
const char *fathomModel(void)
{
    static char text[MACHINE_TEXT_BYTES];
    take_settings();
    if (driver.wrong[0])
        return driver.wrong;
    machine_describe(&driver.machine, text, sizeof text);
    return text;
}

/* The host's clock in modelled time. */
unsigned long long fathomModelNs(void)
{
    return (unsigned long long)driver.host_ns;
}

/* How much is allocated, and how much of the host's is pinned, in pieces. */
unsigned long long fathomModelHeld(void)
{
    unsigned long long held = driver.memory.count;
    for (size_t i = 0; i < driver.memory.count; i++)
        held += driver.memory.list[i].pinned;
    return held;
}

API int cuInit(unsigned flags)
{
    ENTER("cuInit", NEEDS_NOTHING);
    if (flags)
        return INVALID_VALUE;
    if (!driver.machine.devices)
        return NO_DEVICE;
    if (!driver.started && !start_devices())
        return OUT_OF_MEMORY;
    driver.started = true;
    return DONE;
}

API int cuDriverGetVersion(int *version)
{
    ENTER("cuDriverGetVersion", NEEDS_NOTHING);
    *version = (int)driver.machine.driver;
    return DONE;
}

API int cuDevicePrimaryCtxRetain(void **context, int index)
{
    struct device *device;
    ENTER("cuDevicePrimaryCtxRetain", NEEDS_START);
    device = device_at(index);
    if (!device)
        return INVALID_DEVICE;
    if (driver.machine.compute_mode == 2) /* prohibited */
        return DEVICE_UNAVAILABLE;
    device->retained++;
    *context = device;
    return DONE;
}

static int release(int index)
{
    struct device *device = device_at(index);
    if (!device)
        return INVALID_DEVICE;
    if (!device->retained)
        return INVALID_CONTEXT;
    if (--device->retained)
        return DONE;
    host_waits_for_all(device);
    device_reset(device);
    if (driver.current == device)
        driver.current = NULL;
    return DONE;
}

API int cuDevicePrimaryCtxRelease(int index)
{
    ENTER("cuDevicePrimaryCtxRelease", NEEDS_START);
    return release(index);
}

API int cuDevicePrimaryCtxRelease_v2(int index)
{
    ENTER("cuDevicePrimaryCtxRelease_v2", NEEDS_START);
    return release(index);
}

static struct device *context_device(const void *context)
{
    for (unsigned i = 0; i < driver.machine.devices; i++)
        if (context == &driver.devices[i] && driver.devices[i].retained)
            return &driver.devices[i];
    return NULL;
}

API int cuCtxSetCurrent(void *context)
{
    ENTER("cuCtxSetCurrent", NEEDS_START);
    if (context && !context_device(context))
        return INVALID_CONTEXT;
    driver.current = context;
    return DONE;
}

API int cuCtxGetCurrent(void **context)
{
    ENTER("cuCtxGetCurrent", NEEDS_START);
    *context = driver.current;
    return DONE;
}

API int cuCtxGetDevice(int *index)
{
    ENTER("cuCtxGetDevice", NEEDS_CONTEXT);
    *index = (int)driver.current->index;
    return DONE;
}

API int cuCtxSynchronize(void)
{
    ENTER("cuCtxSynchronize", NEEDS_LIVE_CONTEXT);
    return host_waits_for_all(driver.current);
}

API int cuDeviceCanAccessPeer(int *can, int index, int peer)
{
    ENTER("cuDeviceCanAccessPeer", NEEDS_START);
    if (!device_at(index) || !device_at(peer))
        return INVALID_DEVICE;
    *can = index != peer && driver.machine.peers;
    return DONE;
}

API int cuCtxEnablePeerAccess(void *context, unsigned flags)
{
    struct device *peer;
    ENTER("cuCtxEnablePeerAccess", NEEDS_LIVE_CONTEXT);
    peer = context_device(context);
    if (!peer || peer == driver.current)
        return INVALID_CONTEXT;
    if (flags)
        return INVALID_VALUE;
    if (!driver.machine.peers)
        return PEER_ACCESS_UNSUPPORTED;
    if (driver.current->reaches[peer->index])
        return PEER_ACCESS_ALREADY_ENABLED;
    driver.current->reaches[peer->index] = true;
    return DONE;
}
