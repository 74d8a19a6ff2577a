/*
 * Copies between the host and several devices at once, one way or both, each with memory of the
 * host that is near to it, and the copies of this device timed by its own events. Both ways move
 * one half of `bytes` in each direction, as transfer.c does.
 *
 * The others begin first and copy more than this one does; when its last copy has ended, none of
 * them may have ended yet, or what was timed is not what was asked for. Then they copy twice as
 * much.
 *
 * All are asked in turns, a copy each, so that no queue is long before the next one has begun.
 *
 * Reference: NVIDIA, nvbandwidth (github.com/NVIDIA/nvbandwidth), all_to_host_memcpy_ce,
 * host_to_all_memcpy_ce and their bidirectional forms, which give every device as many copies as
 * the others.
 */
#include "measure/gpu/cuda/cuda.h"

#include <stdlib.h>

/* The driver blocks when too many copies wait; and a wait has to end in a second or so. */
static const uint64_t MOST_QUEUED = 16;
static const uint64_t MOST_QUEUED_BYTES = (uint64_t)512 << 20;
/* How much more than this device's the others' copies are, at first and at most. */
enum { FIRST_TIMES = 2, MOST_TIMES = 16 };
/* Copies before the first that is timed: what the others' links need to wake up. */
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

static void leave(struct cuda_gpu *gpu, struct cuda_member *member)
{
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

void cuda_part(struct cuda_gpu *gpu)
{
    struct cuda_fleet *fleet = &gpu->fleet;
    for (size_t i = 0; i < fleet->count; i++)
        leave(gpu, &fleet->members[i]);
    free(fleet->members);
    *fleet = (struct cuda_fleet){0};
}

static int make_event(struct cuda_gpu *gpu, void **event, struct error *error)
{
    void *made = NULL;
    const int code = CUDA_TRY(gpu, error, cuEventCreate, &made, 0);
    *event = code == 0 ? made : NULL;
    return code;
}

static int make_way(struct cuda_gpu *gpu, struct cuda_way *way, struct error *error)
{
    void *stream = NULL;
    const int code = CUDA_TRY(gpu, error, cuStreamCreate, &stream, CUDA_STREAM_NON_BLOCKING);
    way->stream = code == 0 ? stream : NULL;
    return code < 0 ? code : make_event(gpu, &way->end, error);
}

static int make_queues(struct cuda_gpu *gpu, struct cuda_member *member, struct error *error)
{
    int code = CUDA_TRY(gpu, error, cuCtxSetCurrent, member->context);
    for (size_t way = 0; way < gpu->fleet.ways && code == 0; way++)
        code = make_way(gpu, &member->ways[way], error);
    if (code == 0)
        code = make_event(gpu, &member->begin, error);
    const int back = CUDA_TRY(gpu, code < 0 ? NULL : error, cuCtxSetCurrent, gpu->context);
    return code < 0 ? code : back;
}

/* Its memory, which opens the device where it is another one, and the host's near it. */
static int join(struct cuda_gpu *gpu, struct cuda_member *member, size_t bytes, struct error *error)
{
    const bool own = member->index == gpu->index;
    const int node = gpu->library->devices[member->index].host_node;
    int code = cuda_allocate(gpu, own ? GPU_ON_DEVICE : GPU_ON_PEER, (int)member->index, bytes,
                             &member->device, error);
    if (code < 0)
        return code;
    member->context = own ? gpu->context : gpu->peers[member->index];
    code = cuda_allocate_near(gpu, node, bytes, &member->host, error);
    return code < 0 ? code : make_queues(gpu, member, error);
}

/* This device comes last: the others have begun when it does. */
static int gather(struct cuda_gpu *gpu, uint64_t devices, size_t bytes, size_t ways,
                  struct error *error)
{
    struct cuda_fleet *fleet = &gpu->fleet;
    cuda_part(gpu);
    fleet->ways = ways;
    fleet->members = calloc(gpu->library->count, sizeof *fleet->members);
    if (!fleet->members)
        return error_out_of_memory(error);
    int code = 0;
    for (unsigned i = 0; i <= gpu->library->count && i <= GPU_TOGETHER_MOST && code == 0; i++) {
        const bool last = i == gpu->library->count || i == GPU_TOGETHER_MOST;
        const unsigned index = last ? gpu->index : i;
        if ((!last && index == gpu->index) || !(devices >> index & 1))
            continue;
        struct cuda_member *member = &fleet->members[fleet->count++];
        member->index = index;
        code = join(gpu, member, bytes, error);
    }
    fleet->devices = devices;
    fleet->bytes = bytes;
    if (code < 0 && !gpu->lost.code)
        cuda_part(gpu);
    return code;
}

/* --- copying --- */

static int queue_copy(struct cuda_gpu *gpu, const struct cuda_member *member, size_t way,
                      struct error *error)
{
    const size_t piece = gpu->fleet.bytes / gpu->fleet.ways, at = way * piece;
    const bool back = gpu->job.work.direction == GPU_TO_HOST || way > 0;
    unsigned char *host = member->host.host;
    if (back)
        return CUDA_TRY(gpu, error, cuMemcpyDtoHAsync, host + at, member->device.address + at,
                        piece, member->ways[way].stream);
    return CUDA_TRY(gpu, error, cuMemcpyHtoDAsync, member->device.address + at, host + at, piece,
                    member->ways[way].stream);
}

/* One copy each way. */
static int queue_copies_of(struct cuda_gpu *gpu, const struct cuda_member *member,
                           struct error *error)
{
    int code = CUDA_TRY(gpu, error, cuCtxSetCurrent, member->context);
    for (size_t way = 0; way < gpu->fleet.ways && code == 0; way++)
        code = queue_copy(gpu, member, way, error);
    return code;
}

/* The other way begins with the first one. */
static int begin_own(struct cuda_gpu *gpu, const struct cuda_member *own, struct error *error)
{
    int code = CUDA_TRY(gpu, error, cuCtxSetCurrent, own->context);
    if (code == 0)
        code = CUDA_TRY(gpu, error, cuEventRecord, own->begin, own->ways[0].stream);
    for (size_t way = 1; way < gpu->fleet.ways && code == 0; way++)
        code = CUDA_TRY(gpu, error, cuStreamWaitEvent, own->ways[way].stream, own->begin, 0);
    return code;
}

/* The first way ends with the other one. */
static int end_own(struct cuda_gpu *gpu, const struct cuda_member *own, struct error *error)
{
    int code = 0;
    for (size_t way = gpu->fleet.ways; way-- > 0 && code == 0;) {
        code = CUDA_TRY(gpu, error, cuEventRecord, own->ways[way].end, own->ways[way].stream);
        if (way > 0 && code == 0)
            code =
                CUDA_TRY(gpu, error, cuStreamWaitEvent, own->ways[0].stream, own->ways[way].end, 0);
    }
    return code;
}

static int end_other(struct cuda_gpu *gpu, const struct cuda_member *member, struct error *error)
{
    int code = CUDA_TRY(gpu, error, cuCtxSetCurrent, member->context);
    for (size_t way = 0; way < gpu->fleet.ways && code == 0; way++)
        code = CUDA_TRY(gpu, error, cuEventRecord, member->ways[way].end, member->ways[way].stream);
    return code;
}

/* So many copies of this device and `times` as many of each other one. */
static int queue_copies(struct cuda_gpu *gpu, uint64_t copies, uint64_t times, struct error *error)
{
    const struct cuda_fleet *fleet = &gpu->fleet;
    const struct cuda_member *own = &fleet->members[fleet->count - 1];
    int code = 0;
    for (uint64_t i = 0; i < copies * times && code == 0; i++) {
        for (size_t k = 0; k + 1 < fleet->count && code == 0; k++)
            code = queue_copies_of(gpu, &fleet->members[k], error);
        if (i >= copies || code < 0)
            continue;
        if (i == 0)
            code = begin_own(gpu, own, error);
        if (code == 0)
            code = queue_copies_of(gpu, own, error);
        if (code == 0 && i + 1 == copies)
            code = end_own(gpu, own, error);
    }
    for (size_t k = 0; k + 1 < fleet->count && code == 0; k++)
        code = end_other(gpu, &fleet->members[k], error);
    return code;
}

/* 1: that way of the device, whose context is current, still has copies to do; 0: it has ended. */
static int is_copying(struct cuda_gpu *gpu, const struct cuda_way *way, struct error *error)
{
    const int result = gpu->library->calls.cuEventQuery(way->end);
    if (result == CUDA_NOT_READY)
        return 1;
    const int code = cuda_check(gpu, "cuEventQuery", result, error);
    return code < 0 ? code : 0;
}

/* 1: every other device still copies, each way; 0: one has ended already. */
static int all_copy(struct cuda_gpu *gpu, struct error *error)
{
    const struct cuda_fleet *fleet = &gpu->fleet;
    int copying = 1;
    for (size_t k = 0; k + 1 < fleet->count && copying == 1; k++) {
        const struct cuda_member *member = &fleet->members[k];
        const int code = CUDA_TRY(gpu, error, cuCtxSetCurrent, member->context);
        if (code < 0)
            return code;
        for (size_t way = 0; way < fleet->ways && copying == 1; way++)
            copying = is_copying(gpu, &member->ways[way], error);
    }
    return copying;
}

static int wait_for_others(struct cuda_gpu *gpu, double slowest_ns, struct error *error)
{
    const struct cuda_fleet *fleet = &gpu->fleet;
    int code = 0;
    for (size_t k = 0; k + 1 < fleet->count && code == 0; k++)
        for (size_t way = 0; way < fleet->ways && code == 0; way++)
            code = cuda_wait_for(gpu, fleet->members[k].context, fleet->members[k].ways[way].stream,
                                 slowest_ns, error);
    return code;
}

/* 1 where the others copied all the while, and *ns is what this device's copies took; 0 where not.
 */
static int copy_once(struct cuda_gpu *gpu, uint64_t copies, uint64_t times, double *ns,
                     struct error *error)
{
    const struct cuda_fleet *fleet = &gpu->fleet;
    const struct cuda_member *own = &fleet->members[fleet->count - 1];
    const double slowest_ns =
        (double)(copies * times * fleet->count * fleet->bytes) * CUDA_SLOWEST_BYTE_NS;
    float ms = 0;
    int code = queue_copies(gpu, copies, times, error), copied = 0;
    if (code == 0)
        code = cuda_wait_for(gpu, own->context, own->ways[0].stream, slowest_ns, error);
    if (code == 0)
        code = copied = all_copy(gpu, error);
    if (code >= 0)
        code = wait_for_others(gpu, slowest_ns, error);
    if (code >= 0)
        code = CUDA_TRY(gpu, error, cuCtxSetCurrent, gpu->context);
    if (code >= 0)
        code = CUDA_TRY(gpu, error, cuEventElapsedTime, &ms, own->begin, own->ways[0].end);
    *ns = (double)ms * 1e6;
    return code < 0 ? code : copied;
}

static int copy_together(struct cuda_gpu *gpu, uint64_t copies, double *ns, struct error *error)
{
    int code = 0;
    for (uint64_t times = FIRST_TIMES; times <= MOST_TIMES && code == 0; times *= 2)
        code = copy_once(gpu, copies, times, ns, error);
    if (code != 0)
        return code < 0 ? code : 0;
    return error_set(error, ERROR_IMPOSSIBLE,
                     "gpu%u: another device copied %d times as much and was done first: their "
                     "links are too different for one to be timed beside the other",
                     gpu->index, MOST_TIMES);
}

static int prepare_together(struct cuda_gpu *gpu, uint64_t seed, struct error *error)
{
    const struct gpu_work *work = &gpu->job.work;
    const size_t ways = work->direction == GPU_BOTH_WAYS ? 2 : 1;
    double ns;
    (void)seed;
    if (gpu->fleet.devices == work->together && gpu->fleet.bytes == work->bytes &&
        gpu->fleet.ways == ways)
        return 0;
    int code = gather(gpu, work->together, work->bytes, ways, error);
    return code < 0 ? code : copy_together(gpu, WAKING, &ns, error);
}

static int run_together(struct cuda_gpu *gpu, uint64_t repeats, uint64_t *did,
                        struct gpu_time *time, struct error *error)
{
    uint64_t most = MOST_QUEUED_BYTES / gpu->fleet.bytes;
    most = most < 1 ? 1 : most > MOST_QUEUED ? MOST_QUEUED : most;
    double sum = 0, ns;
    for (uint64_t left = repeats; left;) {
        const uint64_t copies = left < most ? left : most;
        int code = copy_together(gpu, copies, &ns, error);
        if (code < 0)
            return code;
        sum += ns;
        left -= copies;
    }
    time->ns = sum;
    *did = repeats * (gpu->fleet.bytes / gpu->fleet.ways * gpu->fleet.ways);
    return 0;
}

const struct cuda_kind cuda_together = {refuses_together, prepare_together, run_together};
