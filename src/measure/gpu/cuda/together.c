/*
 * Copies between the host and several devices at once, in one direction or both. Each device uses
 * host memory near to it; only this device's copies are timed, by its own events. Both ways move
 * one half of `bytes` in each direction, as in transfer.c.
 *
 * The other devices begin first and copy more. If one of them ends before this device's last copy,
 * the time does not count, and the copies are repeated with twice as many for the others.
 *
 * Copies are queued in turn, one for each device, so that all devices begin soon.
 *
 * Reference: NVIDIA, nvbandwidth (github.com/NVIDIA/nvbandwidth), all_to_host_memcpy_ce,
 * host_to_all_memcpy_ce and their bidirectional forms, which give every device as many copies as
 * the others.
 */
#include "measure/gpu/cuda/cuda.h"

#include <stdlib.h>

/* The driver blocks if too many copies are queued, and a wait has to end within about a second. */
static const uint64_t MOST_QUEUED = 16;
static const uint64_t MOST_QUEUED_BYTES = (uint64_t)512 << 20;
/* How many copies each other device makes for one of this device: at first, and at most. */
enum { FIRST_TIMES = 2, MOST_TIMES = 16 };
/* Untimed copies before the first timed one, which wake the links. */
enum { WAKING = 2 };

static const char *refuses_together(const struct cuda_gpu *gpu, const struct gpu_work *work)
{
    const uint64_t known = gpu->library->count < GPU_TOGETHER_MOST
                               ? (UINT64_C(1) << gpu->library->count) - 1
                               : UINT64_MAX;
    if (work->bytes < 2)
        return "needs at least 2 bytes to copy";
    if (work->direction == GPU_TO_PEER)
        return "copies between device and host where several do so at once";
    if (gpu->index >= GPU_TOGETHER_MOST || !(work->together >> gpu->index & 1))
        return "has to be one of those that copy";
    if (work->together & ~known)
        return "needs another device";
    if (!gpu->library->calls.cuMemHostRegister || !gpu->library->calls.cuMemHostUnregister)
        return "needs a driver that pins memory where it lies (CUDA 6.5)";
    return NULL;
}

/* --- the devices that copy --- */

void cuda_part(struct cuda_gpu *gpu)
{
    struct cuda_fleet *fleet = &gpu->fleet;
    for (size_t i = 0; i < fleet->count; i++) {
        struct cuda_member *member = &fleet->members[i];
        const struct cuda_calls *calls = &gpu->library->calls;
        if (!gpu->stuck && member->context) {
            calls->cuCtxSetCurrent(member->context);
            if (member->begin)
                calls->cuEventDestroy(member->begin);
            for (size_t way = 0; way < gpu->fleet.ways; way++) {
                if (member->ways[way].end)
                    calls->cuEventDestroy(member->ways[way].end);
                if (member->ways[way].stream)
                    calls->cuStreamDestroy(member->ways[way].stream);
            }
            calls->cuCtxSetCurrent(gpu->context);
        }
        cuda_free(gpu, &member->device);
        cuda_free(gpu, &member->host);
    }
    free(fleet->members);
    *fleet = (struct cuda_fleet){0};
}

static void make_event(struct cuda_gpu *gpu, void **event)
{
    if (!CUDA_TRY(gpu, cuEventCreate, event, 0))
        *event = NULL;
}

/* Allocates a member's device memory, which opens the peer if it is not this device, and host
 * memory near to it. */
static void join(struct cuda_gpu *gpu, struct cuda_member *member, size_t bytes)
{
    const bool own = member->index == gpu->index;
    const int node = gpu->library->devices[member->index].host_node;
    if (!cuda_allocate(gpu, own ? GPU_ON_DEVICE : GPU_ON_PEER, (int)member->index, bytes,
                       &member->device))
        return;
    member->context = own ? gpu->context : gpu->peers[member->index];
    cuda_allocate_near(gpu, node, bytes, &member->host);
    if (cuda_works(gpu)) {
        CUDA_TRY(gpu, cuCtxSetCurrent, member->context);
        for (size_t i = 0; i < gpu->fleet.ways; i++) {
            struct cuda_way *way = &member->ways[i];
            if (!CUDA_TRY(gpu, cuStreamCreate, &way->stream, CUDA_STREAM_NON_BLOCKING))
                way->stream = NULL;
            make_event(gpu, &way->end);
        }
        make_event(gpu, &member->begin);
        cuda_come_back(gpu);
    }
}

/* Fills in the members; this device is the last one, so the others begin first. */
static void gather(struct cuda_gpu *gpu, uint64_t devices, size_t bytes, size_t ways)
{
    struct cuda_fleet *fleet = &gpu->fleet;
    cuda_part(gpu);
    fleet->ways = ways;
    fleet->members = calloc(gpu->library->count, sizeof *fleet->members);
    if (!fleet->members) {
        cuda_fail_memory(gpu);
        return;
    }
    for (unsigned i = 0; i <= gpu->library->count && i <= GPU_TOGETHER_MOST && cuda_works(gpu);
         i++) {
        const bool last = i == gpu->library->count || i == GPU_TOGETHER_MOST;
        const unsigned index = last ? gpu->index : i;
        if ((!last && index == gpu->index) || !(devices >> index & 1))
            continue;
        struct cuda_member *member = &fleet->members[fleet->count++];
        member->index = index;
        join(gpu, member, bytes);
    }
    fleet->devices = devices;
    fleet->bytes = bytes;
    if (!cuda_works(gpu) && !gpu->lost.code)
        cuda_part(gpu);
}

/* --- copying --- */

/* Queues one copy in each direction. */
static void queue_copies_of(struct cuda_gpu *gpu, const struct cuda_member *member)
{
    const size_t piece = gpu->fleet.bytes / gpu->fleet.ways;
    CUDA_TRY(gpu, cuCtxSetCurrent, member->context);
    for (size_t way = 0; way < gpu->fleet.ways; way++) {
        const bool back = gpu->job.work.direction == GPU_TO_HOST || way > 0;
        const uint64_t device = member->device.address + way * piece;
        unsigned char *host = (unsigned char *)member->host.host + way * piece;
        void *stream = member->ways[way].stream;
        if (back)
            CUDA_TRY(gpu, cuMemcpyDtoHAsync, host, device, piece, stream);
        else
            CUDA_TRY(gpu, cuMemcpyHtoDAsync, device, host, piece, stream);
    }
}

/* Queues `copies` copies of this device and `times` as many of each other device. */
static void queue_copies(struct cuda_gpu *gpu, uint64_t copies, uint64_t times)
{
    const struct cuda_fleet *fleet = &gpu->fleet;
    const struct cuda_member *own = &fleet->members[fleet->count - 1];
    for (uint64_t i = 0; i < copies * times && cuda_works(gpu); i++) {
        for (size_t k = 0; k + 1 < fleet->count; k++)
            queue_copies_of(gpu, &fleet->members[k]);
        if (i == 0) {
            /* The second way begins no earlier than the first. */
            CUDA_TRY(gpu, cuCtxSetCurrent, own->context);
            CUDA_TRY(gpu, cuEventRecord, own->begin, own->ways[0].stream);
            for (size_t way = 1; way < gpu->fleet.ways; way++)
                CUDA_TRY(gpu, cuStreamWaitEvent, own->ways[way].stream, own->begin, 0);
        }
        if (i < copies)
            queue_copies_of(gpu, own);
        if (i + 1 == copies) {
            /* The first way's end waits for the second way. */
            for (size_t way = gpu->fleet.ways; way-- > 0;) {
                CUDA_TRY(gpu, cuEventRecord, own->ways[way].end, own->ways[way].stream);
                if (way > 0)
                    CUDA_TRY(gpu, cuStreamWaitEvent, own->ways[0].stream, own->ways[way].end, 0);
            }
        }
    }
    for (size_t k = 0; k + 1 < fleet->count; k++) {
        const struct cuda_member *member = &fleet->members[k];
        CUDA_TRY(gpu, cuCtxSetCurrent, member->context);
        for (size_t way = 0; way < fleet->ways; way++)
            CUDA_TRY(gpu, cuEventRecord, member->ways[way].end, member->ways[way].stream);
    }
}

/* Whether every other device is still copying in each direction. */
static bool all_copy(struct cuda_gpu *gpu)
{
    const struct cuda_fleet *fleet = &gpu->fleet;
    for (size_t k = 0; k + 1 < fleet->count; k++) {
        const struct cuda_member *member = &fleet->members[k];
        if (!CUDA_TRY(gpu, cuCtxSetCurrent, member->context))
            return false;
        for (size_t way = 0; way < fleet->ways; way++) {
            const int result = gpu->library->calls.cuEventQuery(member->ways[way].end);
            if (result != CUDA_NOT_READY) {
                cuda_check(gpu, "cuEventQuery", result);
                return false;
            }
        }
    }
    return cuda_works(gpu);
}

/* Sets *ns to the time of this device's copies; false if another device ended before. */
static bool copy_once(struct cuda_gpu *gpu, uint64_t copies, uint64_t times, double *ns)
{
    const struct cuda_fleet *fleet = &gpu->fleet;
    const struct cuda_member *own = &fleet->members[fleet->count - 1];
    const double slowest_ns =
        (double)(copies * times * fleet->count * fleet->bytes) * CUDA_SLOWEST_BYTE_NS;
    float ms = 0;
    queue_copies(gpu, copies, times);
    if (cuda_works(gpu))
        cuda_wait_for(gpu, own->context, own->ways[0].stream, slowest_ns);
    const bool copied = all_copy(gpu);
    for (size_t k = 0; k + 1 < fleet->count; k++)
        for (size_t way = 0; way < fleet->ways && cuda_works(gpu); way++)
            cuda_wait_for(gpu, fleet->members[k].context, fleet->members[k].ways[way].stream,
                          slowest_ns);
    CUDA_TRY(gpu, cuCtxSetCurrent, gpu->context);
    CUDA_TRY(gpu, cuEventElapsedTime, &ms, own->begin, own->ways[0].end);
    *ns = (double)ms * 1e6;
    return copied && cuda_works(gpu);
}

static double copy_together(struct cuda_gpu *gpu, uint64_t copies)
{
    double ns = 0;
    for (uint64_t times = FIRST_TIMES; times <= MOST_TIMES && cuda_works(gpu); times *= 2)
        if (copy_once(gpu, copies, times, &ns))
            return ns;
    cuda_fail(gpu,
              "another device copied %d times as much and was done first: their links are too "
              "different for one to be timed while the other copies",
              MOST_TIMES);
    return ns;
}

static void prepare_together(struct cuda_gpu *gpu, uint64_t seed)
{
    const struct gpu_work *work = &gpu->job.work;
    const size_t ways = work->direction == GPU_BOTH_WAYS ? 2 : 1;
    if (gpu->fleet.devices == work->together && gpu->fleet.bytes == work->bytes &&
        gpu->fleet.ways == ways)
        return;
    gather(gpu, work->together, work->bytes, ways);
    if (cuda_works(gpu))
        copy_together(gpu, WAKING);
}

static void run_together(struct cuda_gpu *gpu, uint64_t repeats, uint64_t *did,
                         struct gpu_time *time)
{
    uint64_t most = MOST_QUEUED_BYTES / gpu->fleet.bytes;
    most = most < 1 ? 1 : most > MOST_QUEUED ? MOST_QUEUED : most;
    double ns = 0;
    for (uint64_t left = repeats, copies; left && cuda_works(gpu); left -= copies) {
        copies = left < most ? left : most;
        ns += copy_together(gpu, copies);
    }
    if (!cuda_works(gpu))
        return;
    time->ns = ns;
    *did = repeats * (gpu->fleet.bytes / gpu->fleet.ways * gpu->fleet.ways);
}

const struct cuda_kind cuda_together = {refuses_together, prepare_together, run_together};
