/*
 * Streams in C, for every architecture without loops of its own: one double at a time, with each
 * load and store as written here. There is no way to store past the caches.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define STREAM_WIDTH_LIST(X) X(scalar, STREAM_SCALAR)
#define STREAM_PAST_LIST(X)

static inline const char *loops_stream_lacks(enum stream_width width)
{
    return width == STREAM_SCALAR ? NULL
                                  : "fathom has no loops with vectors for this architecture yet";
}

static inline enum stream_width loops_stream_usual_width(void)
{
    return STREAM_SCALAR;
}

static inline void loops_stream_drain(void) {}

#define STREAM_LOOP(name, lines, step_bytes, STEP)                                                 \
    static inline void name(void *to, const void *from, const void *with, uint64_t stride,         \
                            uint64_t steps)                                                        \
    {                                                                                              \
        for (uint64_t at = 0; steps--; at += step_bytes)                                           \
            for (int i = 0; i < lines * 8; i += 8) {                                               \
                STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)                    \
            }                                                                                      \
        (void)to, (void)from, (void)with, (void)stride;                                            \
    }
/* The two loops of a kernel: whole steps, and single lines `stride` apart. */
#define STREAM_LOOPS(name, STEP)                                                                   \
    STREAM_LOOP(name, 4, 256, STEP) STREAM_LOOP(name##_lines, 1, stride, STEP)

#define TO(k)    ((volatile double *)((uintptr_t)to + (uintptr_t)at))[i + k]
#define FROM(k)  ((const volatile double *)((uintptr_t)from + (uintptr_t)at))[i + k]
#define WITH(k)  ((const volatile double *)((uintptr_t)with + (uintptr_t)at))[i + k]
#define READ(k)  (void)FROM(k);
#define WRITE(k) TO(k) = stream_factor;
#define COPY(k)  TO(k) = FROM(k);
#define SCALE(k) TO(k) = stream_factor * FROM(k);
#define ADD(k)   TO(k) = FROM(k) + WITH(k);
#define TRIAD(k) TO(k) = FROM(k) + stream_factor * WITH(k);

STREAM_LOOPS(loops_read_scalar, READ)
STREAM_LOOPS(loops_write_scalar, WRITE)
STREAM_LOOPS(loops_copy_scalar, COPY)
STREAM_LOOPS(loops_scale_scalar, SCALE)
STREAM_LOOPS(loops_add_scalar, ADD)
STREAM_LOOPS(loops_triad_scalar, TRIAD)
