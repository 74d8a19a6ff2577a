#include "measure/gpu/cuda/cuda.h"

#include "machine/os.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

/* The driver's library: by name for the loader, or in the folder of the Windows Subsystem for
 * Linux, which the loader does not always search. */
static const char driver_name[] = "libcuda.so.1";
static const char driver_of_windows[] = "/usr/lib/wsl/lib/libcuda.so.1";

static void *open_driver(struct error *error)
{
    char why[256];
    const char *chosen = getenv("FATHOM_LIBCUDA");
    if (chosen && *chosen) {
        void *handle = dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
        if (!handle)
            error_set(error, ERROR_IMPOSSIBLE, "FATHOM_LIBCUDA=%s does not load: %s", chosen,
                      gpu_loader_error(why, sizeof why, "the loader does not say why"));
        return handle;
    }
    void *handle = dlopen(driver_name, RTLD_NOW | RTLD_LOCAL);
    if (!handle && access(driver_of_windows, F_OK) == 0)
        handle = dlopen(driver_of_windows, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        error_set(error, ERROR_IMPOSSIBLE,
                  "no NVIDIA driver on this machine (%s): install it, or set FATHOM_LIBCUDA to its "
                  "libcuda.so.1",
                  gpu_loader_error(why, sizeof why, "the loader does not say why"));
    return handle;
}

/* ISO C has no cast from void * to a function pointer, so callers store the result through a void
 * **. */
static void *symbol(void *handle, const char *name)
{
    return dlsym(handle, name);
}

static int find_calls(struct cuda_library *library, struct error *error)
{
    const char *missing = NULL;
    struct cuda_calls *calls = &library->calls;
#define FIND(result, name, text, ...) *(void **)&calls->name = symbol(library->handle, text);
#define REQUIRE(result, name, text, ...)                                                           \
    FIND(result, name, text, )                                                                     \
    if (!calls->name && !missing)                                                                  \
        missing = text;
    CUDA_CALLS(REQUIRE)
    CUDA_OPTIONAL_CALLS(FIND)
#undef REQUIRE
#undef FIND
    library->modelled = symbol(library->handle, CUDA_STAND_IN) != NULL;
    *(void **)&library->host_ns = symbol(library->handle, CUDA_STAND_IN_CLOCK);
    if (!library->host_ns)
        library->host_ns = os_raw_ns;
    *(void **)&library->model_host.map = symbol(library->handle, CUDA_STAND_IN_MAP);
    *(void **)&library->model_host.unmap = symbol(library->handle, CUDA_STAND_IN_UNMAP);
    *(void **)&library->model_host.node_of = symbol(library->handle, CUDA_STAND_IN_NODE);
    if (missing)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "the NVIDIA driver is too old: it lacks %s; update it, or set "
                         "FATHOM_LIBCUDA to another",
                         missing);
    return 0;
}

int cuda_open(struct gpu_library **opened, struct pool *pool, struct gpu_facts **facts,
              size_t *count, struct error *error)
{
    struct cuda_library *library = pool_alloc(pool, 1, sizeof *library);
    *opened = NULL;
    *facts = NULL;
    *count = 0;
    if (!library)
        return error_out_of_memory(error);
    int code = 0;
    if (!(library->handle = open_driver(error)))
        code = ERROR_IMPOSSIBLE;
    if (code == 0)
        code = find_calls(library, error);
    if (code == 0)
        code = cuda_report(&library->calls, "the NVIDIA driver does not start", "cuInit",
                           library->calls.cuInit(0), error);
    if (code == 0)
        code = cuda_list(library, pool, facts, error);
    if (code < 0) {
        cuda_close((struct gpu_library *)library);
        return code;
    }
    *opened = (struct gpu_library *)library;
    *count = library->count;
    return 0;
}

void cuda_close(struct gpu_library *opened)
{
    struct cuda_library *library = (struct cuda_library *)opened;
    if (!library)
        return;
    nvml_close(library->nvml);
    /* A stuck launch may still write to memory that the driver manages, so the library stays open.
     */
    if (library->handle && !library->in_use)
        dlclose(library->handle);
}
