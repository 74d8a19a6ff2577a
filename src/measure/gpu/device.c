#include "measure/gpu/device.h"

#include "document/flag.h"

#include <math.h>

/* The work that wakes a device: a chase through the first-level cache, which every backend
 * supports. */
enum { WAKE_BYTES = 512 << 10, WAKE_STRIDE = 128 };
static const struct gpu_work wake_chase = {.action = GPU_CHASE,
                                           .path = GPU_L1,
                                           .bytes = WAKE_BYTES,
                                           .stride = WAKE_STRIDE,
                                           .carve_out = -1,
                                           .multiprocessor = -1};
static const uint64_t wake_work = UINT64_MAX; /* not an index of device->works */

/* If this many operations take 0 ns, the GPU's clock does not run. */
static const uint64_t operations_in_no_time = 1 << 30;

/* Operations in one of the engine's repeats: a whole pass of a stream or transfer, 64 loads of a
 * chase. One repeat is thus never less than the device does at once. Traffic beside a chase lasts
 * as long as that, so how many bytes it moves is not known before. */
static uint64_t operations_a_repeat(const struct gpu_work *work)
{
    enum { LOADS = 64 };
    switch (work->action) {
    case GPU_CHASE:
        return LOADS;
    case GPU_STREAM:
    case GPU_TRANSFER:
        return work->bytes && !work->beside ? work->bytes : 1;
    case GPU_LAUNCH:
        break;
    }
    return 1;
}

static int prepare(void *self, uint64_t work, uint64_t seed, double *operations,
                   struct error *error)
{
    struct gpu_device *device = self;
    device->ready = work == wake_work ? &wake_chase : &device->works[work];
    *operations = (double)operations_a_repeat(device->ready);
    return device->backend->prepare(device->gpu, device->ready, seed, error);
}

/* The backend may do more operations than asked for: a few more loads, or a stream's bytes once for
 * each block. The reported time is scaled to the operations asked for. For streams and transfers
 * backend->run() takes passes, not bytes. */
static int measure(void *self, uint64_t repeats, struct device_time *took, struct error *error)
{
    const struct gpu_device *device = self;
    const uint64_t operations = repeats * operations_a_repeat(device->ready);
    uint64_t did = operations;
    struct gpu_time time = {NAN, NAN};
    int code = device->backend->run(device->gpu, device->ready,
                                    device->ready->action == GPU_CHASE ? operations : repeats, &did,
                                    &time, error);
    if (code < 0)
        return code;
    if (did < operations || !isfinite(time.ns) || time.ns < 0)
        return error_set(error, ERROR_IMPOSSIBLE, "did %llu of %llu operations in %g ns",
                         (unsigned long long)did, (unsigned long long)operations, time.ns);
    if (!(time.ns > 0) && did >= operations_in_no_time)
        return error_set(error, ERROR_IMPOSSIBLE, "its clock does not run");
    took->ns = time.ns * (double)operations / (double)did;
    took->worked_ns = time.ns;
    took->core_hz = time.ns > 0 ? time.cycles / time.ns * 1e9 : NAN;
    return 0;
}

void gpu_device_begin(struct gpu_device *device, const struct gpu_backend *backend, struct gpu *gpu,
                      const struct gpu_facts *facts)
{
    device->backend = backend;
    device->gpu = gpu;
    device->ready = NULL;
    device->device = (struct device){.self = device,
                                     .flags = facts->modelled ? FLAG_BIT(FLAG_MODELLED) : 0,
                                     .prepare = prepare,
                                     .measure = measure,
                                     .wake_work = wake_work,
                                     .asleep = true,
                                     .full_hz = facts->clock_hz};
}
