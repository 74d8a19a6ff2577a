/* Streams for x86-64, which stream.streams has in assembly. */
#pragma once

#include "arch.h"

#include <stddef.h>
#include <stdint.h>

#define STREAM_WIDTH_LIST(X)                                                                       \
    X(scalar, STREAM_SCALAR) X(128, STREAM_128) X(256, STREAM_256) X(512, STREAM_512)
#define STREAM_PAST_LIST(X) STREAM_WIDTH_LIST(X)

static inline const char *loops_stream_lacks(enum stream_width width)
{
    switch (width) {
    case STREAM_256:
        return arch_has_avx() ? NULL : "this processor or its system has no AVX";
    case STREAM_512:
        return arch_has_avx512() ? NULL : "this processor or its system has no AVX-512";
    case STREAM_SVE:
        return "vectors of no fixed width are an extension of AArch64";
    default:
        return NULL;
    }
}

static inline enum stream_width loops_stream_usual_width(void)
{
    return arch_has_avx512() && !arch_halves_avx512() ? STREAM_512
           : arch_has_avx()                           ? STREAM_256
                                                      : STREAM_128;
}

/* Stores past the caches wait in buffers; the fence waits until these are empty. */
static inline void loops_stream_drain(void)
{
    __asm__ volatile("sfence" : : : "memory");
}

#include "stream.streams.h"
