#include "measure/gpu/opencl/opencl.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the library --- */

/* The loader's name with its version, and its name in development packages and on Android. */
static const char *const library_names[] = {"libOpenCL.so.1", "libOpenCL.so"};
enum { LIBRARY_NAMES = sizeof library_names / sizeof *library_names };

static const struct {
    const char *name;
    size_t offset; /* in struct opencl_api */
} symbols[] = {
#define OPENCL_SYMBOL(result, name, symbol, ...) {symbol, offsetof(struct opencl_api, name)},
    OPENCL_FUNCTIONS(OPENCL_SYMBOL)
#undef OPENCL_SYMBOL
};

/* RTLD_NODELETE, because threads and exit handlers of drivers run in the library even after it is
 * closed. */
static void *open_handle(const char **name)
{
    const char *chosen = getenv("FATHOM_LIBOPENCL");
    if (chosen && *chosen) {
        *name = chosen;
        return dlopen(chosen, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    void *handle = NULL;
    for (int i = 0; i < LIBRARY_NAMES && !handle; i++) {
        *name = library_names[i];
        handle = dlopen(*name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    return handle;
}

static int load(struct opencl_library *library, struct error *error)
{
    const char *name = NULL;
    library->handle = open_handle(&name);
    if (!library->handle) {
        char why[256];
        return error_set(error, ERROR_IMPOSSIBLE,
                         "no OpenCL library (%s): install the OpenCL loader and the device's "
                         "driver, or name the library in FATHOM_LIBOPENCL",
                         gpu_loader_error(why, sizeof why, name));
    }
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(library->handle, symbols[i].name);
        if (!symbol)
            return error_set(error, ERROR_IMPOSSIBLE,
                             "%s is no OpenCL library, or one older than OpenCL 1.2: it has no %s",
                             name, symbols[i].name);
        memcpy((char *)&library->api + symbols[i].offset, &symbol, sizeof symbol);
    }
    return 0;
}

/* --- its devices --- */

static const uint64_t all_types = 0xffffffff; /* CL_DEVICE_TYPE_ALL */

static int add_devices(struct opencl_library *library, struct pool *pool,
                       struct opencl_platform *platform, struct error *error)
{
    uint32_t count = 0;
    int32_t status = library->api.clGetDeviceIDs(platform, all_types, 0, NULL, &count);
    if (status == OPENCL_DEVICE_NOT_FOUND || (status == OPENCL_SUCCESS && count == 0))
        return 0;
    if (status != OPENCL_SUCCESS)
        return opencl_failed("list a platform's devices", status, error);
    struct opencl_device **found = pool_alloc(pool, count, sizeof *found);
    if (!found)
        return error_out_of_memory(error);
    status = library->api.clGetDeviceIDs(platform, all_types, count, found, NULL);
    if (status != OPENCL_SUCCESS)
        return opencl_failed("list a platform's devices", status, error);
    struct opencl_listed *listed =
        pool_extend(pool, (void **)&library->devices, &library->count, count, sizeof *listed);
    for (uint32_t i = 0; listed && i < count; i++)
        listed[i] = (struct opencl_listed){platform, found[i]};
    return listed ? 0 : error_out_of_memory(error);
}

/* A platform with a failing driver must not hide other platforms' devices: its error is reported
 * only if there is no device at all. */
static int list_devices(struct opencl_library *library, struct pool *pool, struct error *error)
{
    uint32_t count = 0;
    int32_t status = library->api.clGetPlatformIDs(0, NULL, &count);
    if (status == OPENCL_NO_PLATFORM || (status == OPENCL_SUCCESS && count == 0))
        return error_set(error, ERROR_IMPOSSIBLE,
                         "OpenCL is installed, but no platform: install the device's driver, which "
                         "is listed in /etc/OpenCL/vendors");
    if (status != OPENCL_SUCCESS)
        return opencl_failed("list its platforms", status, error);
    struct opencl_platform **platforms = pool_alloc(pool, count, sizeof *platforms);
    if (!platforms)
        return error_out_of_memory(error);
    int code = 0;
    status = library->api.clGetPlatformIDs(count, platforms, NULL);
    if (status != OPENCL_SUCCESS)
        code = opencl_failed("list its platforms", status, error);
    for (uint32_t i = 0; status == OPENCL_SUCCESS && i < count && code != ERROR_SYSTEM; i++) {
        int failed = add_devices(library, pool, platforms[i], error);
        code = failed ? failed : code;
    }
    if (library->count > 0 && code != ERROR_SYSTEM)
        return 0;
    return code ? code
                : error_set(error, ERROR_IMPOSSIBLE,
                            "OpenCL's platforms have no device: is there one, and may this user "
                            "open it (on Linux the groups video and render)?");
}

/* --- their facts --- */

static const char *device_text(struct opencl_library *library, struct pool *pool,
                               struct opencl_device *device, uint32_t info)
{
    size_t bytes = 0;
    if (library->api.clGetDeviceInfo(device, info, 0, NULL, &bytes) != OPENCL_SUCCESS || bytes <= 1)
        return NULL;
    char *text = pool_alloc(pool, bytes + 1, 1);
    if (!text || library->api.clGetDeviceInfo(device, info, bytes, text, NULL) != OPENCL_SUCCESS)
        return NULL;
    text += strspn(text, " "); /* some vendors pad names on either side */
    for (size_t length = strlen(text); length > 0 && text[length - 1] == ' ';)
        text[--length] = '\0';
    return *text ? text : NULL;
}

static const char *driver_text(struct opencl_library *library, struct pool *pool,
                               const struct opencl_listed *listed)
{
    char platform[128] = "OpenCL";
    const char *version = device_text(library, pool, listed->device, OPENCL_DEVICE_DRIVER);
    if (library->api.clGetPlatformInfo(listed->platform, OPENCL_PLATFORM_NAME, sizeof platform,
                                       platform, NULL) != OPENCL_SUCCESS)
        strcpy(platform, "OpenCL");
    return version ? pool_printf(pool, "%s %s", platform, version) : pool_strdup(pool, platform);
}

/* Ignores the cache size that OpenCL reports: for some vendors it is the first level's, for others
 * the last level's, of one multiprocessor or of all. */
static void get_facts(struct opencl_library *library, struct pool *pool, size_t index,
                      struct gpu_facts *facts)
{
    const struct opencl_api *api = &library->api;
    struct opencl_device *device = library->devices[index].device;
    const char *name = device_text(library, pool, device, OPENCL_DEVICE_AMD_BOARD);
    if (!name)
        name = device_text(library, pool, device, OPENCL_DEVICE_NAME);
    unsigned major = (unsigned)opencl_number(api, device, OPENCL_DEVICE_NVIDIA_MAJOR);
    unsigned minor = (unsigned)opencl_number(api, device, OPENCL_DEVICE_NVIDIA_MINOR);
    double mhz = (double)opencl_number(api, device, OPENCL_DEVICE_CLOCK_MHZ);
    const uint64_t type = opencl_number(api, device, OPENCL_DEVICE_TYPE);
    *facts = (struct gpu_facts){
        .id = (int)index,
        .name = name ? name : "OpenCL device",
        .backend = gpu_opencl.name,
        .driver = driver_text(library, pool, &library->devices[index]),
        .kind = type & OPENCL_GPU   ? "gpu"
                : type & OPENCL_CPU ? "cpu"
                                    : "accelerator",
        .capability = major ? pool_printf(pool, "%u.%u", major, minor) : NULL,
        .multiprocessors = (unsigned)opencl_number(api, device, OPENCL_DEVICE_UNITS),
        .clock_hz = mhz > 0 ? mhz * 1e6 : (double)NAN,
        .memory_clock_hz = (double)NAN,
        .host_node = (double)NAN,
        .other_processes = (double)NAN,
        .memory_bytes = opencl_number(api, device, OPENCL_DEVICE_MEMORY_BYTES),
        .scratchpad_bytes = opencl_number(api, device, OPENCL_DEVICE_LOCAL_BYTES),
        .constant_bytes = opencl_number(api, device, OPENCL_DEVICE_CONSTANT_BYTES),
    };
}

static void close_library(struct gpu_library *opened)
{
    struct opencl_library *library = (struct opencl_library *)opened;
    if (library && library->handle)
        dlclose(library->handle);
}

static int open_library(struct gpu_library **out, struct pool *pool, struct gpu_facts **facts,
                        size_t *count, struct error *error)
{
    *out = NULL;
    *count = 0;
    struct opencl_library *library = pool_alloc(pool, 1, sizeof *library);
    if (!library)
        return error_out_of_memory(error);
    int code = load(library, error);
    if (code == 0)
        code = list_devices(library, pool, error);
    if (code == 0) {
        *facts = pool_alloc(pool, library->count, sizeof **facts);
        if (!*facts)
            code = error_out_of_memory(error);
    }
    if (code) {
        close_library((struct gpu_library *)library);
        return code;
    }
    for (size_t i = 0; i < library->count; i++)
        get_facts(library, pool, i, &(*facts)[i]);
    *out = (struct gpu_library *)library;
    *count = library->count;
    return 0;
}

const struct gpu_backend gpu_opencl = {
    .name = "opencl",
    .title = "OpenCL",
    .open = open_library,
    .close = close_library,
    .start = opencl_start,
    .stop = opencl_stop,
    .refuses = opencl_refuses,
    .prepare = opencl_prepare,
    .run = opencl_run,
    .free_bytes = opencl_free_bytes,
};
