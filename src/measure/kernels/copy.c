#include "measure/kernels/copy.h"

#include "measure/kernels/stream.h"

#include "copy_loops.h"
#include "stream_loops.h"

#include <string.h>

const char *const copy_method_names[COPY_METHODS + 1] = {
    [COPY_MEMCPY] = "memcpy",    [COPY_MEMMOVE] = "memmove",   [COPY_STRING] = "movsb",
    [COPY_LOOP] = "loop",        [COPY_PAST] = "nt",           [COPY_SET] = "memset",
    [COPY_SET_STRING] = "stosb", [COPY_SET_LOOP] = "set_loop", [COPY_SET_PAST] = "set_nt",
};

bool copy_only_fills(enum copy_method method)
{
    return method >= COPY_SET;
}

bool copy_takes_any(enum copy_method method)
{
    return method != COPY_LOOP && method != COPY_PAST && method != COPY_SET_LOOP &&
           method != COPY_SET_PAST;
}

uint64_t copy_counted(enum copy_method method, uint64_t bytes)
{
    return copy_only_fills(method) ? bytes : 2 * bytes;
}

/* With one place the loop does nothing but call, because the smallest calls take a few cycles.
 * Without the barrier a compiler may remove a store that the next call repeats. */
#define COPY_KERNEL(name, CALL)                                                                    \
    static uint64_t name(void *state, uint64_t repeats)                                            \
    {                                                                                              \
        struct copy *copy = state;                                                                 \
        unsigned char *to = copy->to;                                                              \
        const unsigned char *from = copy->from;                                                    \
        const size_t bytes = copy->bytes;                                                          \
        (void)from;                                                                                \
        if (copy->places <= 1) {                                                                   \
            for (; repeats; repeats--) {                                                           \
                CALL(to, from, bytes);                                                             \
                __asm__ volatile("" : : : "memory");                                               \
            }                                                                                      \
            return 0;                                                                              \
        }                                                                                          \
        for (; repeats; repeats--) {                                                               \
            const size_t at = copy->place * copy->place_bytes;                                     \
            CALL(to + at, from + at, bytes);                                                       \
            copy->place = copy->place + 1 < copy->places ? copy->place + 1 : 0;                    \
        }                                                                                          \
        return 0;                                                                                  \
    }

#define BY_MEMCPY(to, from, bytes)  memcpy(to, from, bytes)
#define BY_MEMMOVE(to, from, bytes) memmove(to, from, bytes)
#define BY_MEMSET(to, from, bytes)  memset(to, 0, bytes)
COPY_KERNEL(copy_memcpy_run, BY_MEMCPY)
COPY_KERNEL(copy_memmove_run, BY_MEMMOVE)
COPY_KERNEL(copy_memset_run, BY_MEMSET)

#if COPY_HAS_STRINGS
#define BY_MOVSB(to, from, bytes) loops_movsb(to, from, bytes)
#define BY_STOSB(to, from, bytes) loops_stosb(to, bytes)
COPY_KERNEL(copy_movsb_run, BY_MOVSB)
COPY_KERNEL(copy_stosb_run, BY_STOSB)
#else
#define copy_movsb_run NULL
#define copy_stosb_run NULL
#endif

/* A kernel for each width that the loops have. */
#define BY_LOOP(loop, to, from, bytes)                                                             \
    loop(to, from, from, COPY_STEP_BYTES, (bytes) / COPY_STEP_BYTES)
#define BY_PAST(loop, to, from, bytes)                                                             \
    do {                                                                                           \
        BY_LOOP(loop, to, from, bytes);                                                            \
        loops_stream_drain();                                                                      \
    } while (0)
#define LOOP_KERNEL(name, by, loop)                                                                \
    static inline void name##_call(void *to, const void *from, uint64_t bytes)                     \
    {                                                                                              \
        by(loop, to, from, bytes);                                                                 \
    }                                                                                              \
    COPY_KERNEL(name, name##_call)
#define CACHED_KERNELS(width, WIDTH)                                                               \
    LOOP_KERNEL(copy_loop_##width##_run, BY_LOOP, loops_copy_##width)                              \
    LOOP_KERNEL(copy_set_##width##_run, BY_LOOP, loops_write_##width)
#define PAST_KERNELS(width, WIDTH)                                                                 \
    LOOP_KERNEL(copy_past_##width##_run, BY_PAST, loops_copy_nt_##width)                           \
    LOOP_KERNEL(copy_set_past_##width##_run, BY_PAST, loops_write_nt_##width)
STREAM_WIDTH_LIST(CACHED_KERNELS)
STREAM_PAST_LIST(PAST_KERNELS)

#define CACHED_LINES(width, WIDTH)                                                                 \
    {COPY_LOOP, WIDTH, copy_loop_##width##_run}, {COPY_SET_LOOP, WIDTH, copy_set_##width##_run},
#define PAST_LINES(width, WIDTH)                                                                   \
    {COPY_PAST, WIDTH, copy_past_##width##_run},                                                   \
        {COPY_SET_PAST, WIDTH, copy_set_past_##width##_run},
static const struct {
    enum copy_method method;
    enum stream_width width;
    kernel_function *run;
} loops[] = {STREAM_WIDTH_LIST(CACHED_LINES) STREAM_PAST_LIST(PAST_LINES)};

/* Of the usual width, or else the next narrower one. */
static kernel_function *find_loop(enum copy_method method, const char **missing)
{
    *missing = "fathom has no stores past the caches for this architecture";
    for (int width = (int)stream_usual_width(); width >= 0; width--)
        for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++)
            if (loops[i].method == method && (int)loops[i].width == width &&
                !loops_stream_lacks(loops[i].width))
                return loops[i].run;
    return NULL;
}

kernel_function *copy_find(enum copy_method method, const char **missing)
{
    static kernel_function *const calls[COPY_METHODS] = {
        [COPY_MEMCPY] = copy_memcpy_run,    [COPY_MEMMOVE] = copy_memmove_run,
        [COPY_STRING] = copy_movsb_run,     [COPY_SET] = copy_memset_run,
        [COPY_SET_STRING] = copy_stosb_run,
    };
    if (!copy_takes_any(method))
        return find_loop(method, missing);
    *missing = "string instructions are x86-64's";
    return calls[method];
}
