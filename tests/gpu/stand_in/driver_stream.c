/* Streams, events, and what waiting means. */
#include "driver.h"

#include <stdlib.h>
#include <time.h>

enum { STREAM_NON_BLOCKING = 1, EVENT_NO_TIMING = 2 };
static double later(double a, double b)
{
    return a > b ? a : b;
}

int stream_find(void *handle, struct stream **found)
{
    *found = &driver.current->null;
    if (!handle)
        return DONE;
    for (*found = driver.current->streams; *found; *found = (*found)->next)
        if (*found == handle)
            return DONE;
    return INVALID_HANDLE;
}

struct event *event_find(void *handle)
{
    struct event *event = driver.current->events;
    while (event && event != handle)
        event = event->next;
    return event;
}

double stream_begin(const struct stream *stream, double engine_ns)
{
    const struct device *device = stream->device;
    double begin = later(driver.host_ns, later(stream->end_ns, engine_ns));
    if (stream == &device->null) {
        for (const struct stream *other = device->streams; other; other = other->next)
            if (!other->apart)
                begin = later(begin, other->end_ns);
    } else if (!stream->apart) {
        begin = later(begin, device->null.end_ns);
    }
    return begin;
}

int host_waits(struct device *device, const struct stream *stream, double until_ns)
{
    if (stream->hangs) {
        const double seconds = driver.machine.hang_s;
        struct timespec left = {.tv_sec = (time_t)seconds};
        left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
        while (nanosleep(&left, &left)) {
        }
        if (device)
            device->dead = LAUNCH_TIMEOUT;
        return LAUNCH_TIMEOUT;
    }
    driver.host_ns = later(driver.host_ns, until_ns);
    return device ? device->dead : DONE;
}

int host_waits_for_all(struct device *device)
{
    int result = host_waits(device, &device->null, device->null.end_ns);
    for (const struct stream *stream = device->streams; stream && !result; stream = stream->next)
        result = host_waits(device, stream, stream->end_ns);
    return result;
}

void streams_free(struct device *device)
{
    while (device->streams) {
        struct stream *gone = device->streams;
        device->streams = gone->next;
        free(gone);
    }
    while (device->events) {
        struct event *gone = device->events;
        device->events = gone->next;
        free(gone);
    }
}

API int cuStreamCreate(void **handle, unsigned flags)
{
    struct stream *stream;
    ENTER("cuStreamCreate", NEEDS_LIVE_CONTEXT);
    if (flags & ~(unsigned)STREAM_NON_BLOCKING)
        return INVALID_VALUE;
    stream = calloc(1, sizeof *stream);
    if (!stream)
        return OUT_OF_MEMORY;
    stream->device = driver.current;
    stream->apart = flags & STREAM_NON_BLOCKING;
    stream->next = driver.current->streams;
    driver.current->streams = stream;
    *handle = stream;
    return DONE;
}

API int cuStreamDestroy_v2(void *handle)
{
    struct stream **at;
    ENTER("cuStreamDestroy_v2", NEEDS_CONTEXT);
    for (at = &driver.current->streams; *at && *at != handle; at = &(*at)->next) {
    }
    if (!*at)
        return INVALID_HANDLE;
    for (struct event *event = driver.current->events; event; event = event->next)
        if (event->stream == handle)
            event->stream = &driver.current->null;
    *at = (*at)->next;
    free(handle);
    return DONE;
}

API int cuStreamQuery(void *handle)
{
    struct stream *stream;
    int result;
    ENTER("cuStreamQuery", NEEDS_LIVE_CONTEXT);
    result = stream_find(handle, &stream);
    if (result)
        return result;
    if (stream->hangs)
        return NOT_READY;
    /* Who asks again and again sees time go by: as much as it takes. */
    return host_waits(driver.current, stream, stream->end_ns);
}

API int cuStreamSynchronize(void *handle)
{
    struct stream *stream;
    int result;
    ENTER("cuStreamSynchronize", NEEDS_LIVE_CONTEXT);
    result = stream_find(handle, &stream);
    return result ? result : host_waits(driver.current, stream, stream->end_ns);
}

API int cuStreamWaitEvent(void *handle, void *event_handle, unsigned flags)
{
    struct stream *stream;
    struct event *event;
    int result;
    ENTER("cuStreamWaitEvent", NEEDS_LIVE_CONTEXT);
    result = stream_find(handle, &stream);
    event = event_find(event_handle);
    if (result || !event)
        return INVALID_HANDLE;
    if (flags > 1)
        return INVALID_VALUE;
    stream->end_ns = later(stream->end_ns, event->stream ? event->ns : 0);
    stream->hangs |= event->hangs;
    return DONE;
}

API int cuEventCreate(void **handle, unsigned flags)
{
    struct event *event;
    ENTER("cuEventCreate", NEEDS_LIVE_CONTEXT);
    event = calloc(1, sizeof *event);
    if (!event)
        return OUT_OF_MEMORY;
    event->timed = !(flags & EVENT_NO_TIMING);
    event->next = driver.current->events;
    driver.current->events = event;
    *handle = event;
    return DONE;
}

API int cuEventDestroy_v2(void *handle)
{
    struct event **at;
    ENTER("cuEventDestroy_v2", NEEDS_CONTEXT);
    for (at = &driver.current->events; *at && *at != handle; at = &(*at)->next) {
    }
    if (!*at)
        return INVALID_HANDLE;
    *at = (*at)->next;
    free(handle);
    return DONE;
}

API int cuEventRecord(void *handle, void *stream_handle)
{
    struct event *event;
    struct stream *stream;
    int result;
    ENTER("cuEventRecord", NEEDS_LIVE_CONTEXT);
    event = event_find(handle);
    result = stream_find(stream_handle, &stream);
    if (!event || result)
        return INVALID_HANDLE;
    event->stream = stream;
    event->hangs = stream->hangs;
    event->ns = stream_begin(stream, 0);
    stream->end_ns = event->ns;
    return DONE;
}

API int cuEventQuery(void *handle)
{
    struct event *event;
    ENTER("cuEventQuery", NEEDS_LIVE_CONTEXT);
    event = event_find(handle);
    if (!event)
        return INVALID_HANDLE;
    if (event->hangs)
        return NOT_READY;
    /* Here one who asks learns what is so: nobody waits by it. */
    return event->stream && event->ns > driver.host_ns ? NOT_READY : DONE;
}

API int cuEventSynchronize(void *handle)
{
    struct event *event;
    struct stream hung = {.hangs = true};
    ENTER("cuEventSynchronize", NEEDS_LIVE_CONTEXT);
    event = event_find(handle);
    if (!event)
        return INVALID_HANDLE;
    if (event->hangs)
        return host_waits(driver.current, &hung, 0);
    if (event->stream)
        driver.host_ns = later(driver.host_ns, event->ns);
    return DONE;
}

/* The real one's resolution is about half a microsecond; milliseconds in a float. */
API int cuEventElapsedTime(float *ms, void *begin_handle, void *end_handle)
{
    struct event *begin, *end;
    ENTER("cuEventElapsedTime", NEEDS_LIVE_CONTEXT);
    begin = event_find(begin_handle);
    end = event_find(end_handle);
    if (!begin || !end || !begin->timed || !end->timed || !begin->stream || !end->stream)
        return INVALID_HANDLE;
    if (begin->hangs || end->hangs)
        return NOT_READY;
    *ms = (float)((end->ns - begin->ns) / 1e6);
    return DONE;
}
