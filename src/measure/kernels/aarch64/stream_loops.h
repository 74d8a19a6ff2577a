/*
 * Streams for AArch64, in assembly: scalar, NEON in pairs of registers, which every processor has,
 * and SVE, which is checked at run time. See x86_64/stream_loops.h for what a step is. STNP is a
 * store with the hint not to keep the line in the caches (Arm ARM C3.2.5).
 */
#pragma once

#include "arch.h"
#include "steps.loops.h"

#include <stddef.h>
#include <stdint.h>

#define STREAM_WIDTH_LIST(X) STREAM_PAST_LIST(X) X(sve, STREAM_SVE)
#define STREAM_PAST_LIST(X)  X(scalar, STREAM_SCALAR) X(128, STREAM_128)

static inline const char *loops_stream_lacks(enum stream_width width)
{
    switch (width) {
    case STREAM_256:
    case STREAM_512:
        return "AArch64 has vectors of 128 bits, and of no fixed width";
    case STREAM_SVE:
        return arch_has_sve() ? NULL : "this processor or its system has no SVE";
    default:
        return NULL;
    }
}

/* Pairs of NEON registers take fewer instructions than SVE vectors of 128 bits, the length of one
 * NEON register. */
static inline enum stream_width loops_stream_usual_width(void)
{
    uint64_t doubles = 0;
    if (arch_has_sve())
        __asm__(".arch_extension sve\n\tcntd %0" : "=r"(doubles));
    return doubles > 2 ? STREAM_SVE : STREAM_128;
}

static inline void loops_stream_drain(void)
{
    __asm__ volatile("dmb ishst" : : : "memory");
}

#include "stream.streams.h"

/* SVE, whose steps are in steps.loops: a step has 32 doubles, and a line 8. */
#define STREAM_SVE_LOOP(name, doubles, setup, step, next)                                          \
    static inline void name(void *to, const void *from, const void *with, uint64_t stride,         \
                            uint64_t steps)                                                        \
    {                                                                                              \
        uint64_t at, all = doubles;                                                                \
        __asm__ volatile(SVE_LOOP(setup, step, next)                                               \
                         : [to] "+r"(to), [from] "+r"(from), [with] "+r"(with),                    \
                           [steps] "+r"(steps), [at] "=&r"(at)                                     \
                         : [stride] "r"(stride), [factor] "w"(stream_factor), [all] "r"(all)       \
                         : "cc", "memory", "v0", "v2", "v31", "p0");                               \
    }
#define STREAM_SVE_LOOPS(name, setup, step, next)                                                  \
    STREAM_SVE_LOOP(name, 32, setup, step, next("#256"))                                           \
    STREAM_SVE_LOOP(name##_lines, 8, setup, step, next("%[stride]"))
STREAM_SVE_LOOPS(loops_read_sve, "", SVE_READ, SVE_NEXT_FROM)
STREAM_SVE_LOOPS(loops_write_sve, SVE_FACTOR, SVE_WRITE, SVE_NEXT_TO)
STREAM_SVE_LOOPS(loops_copy_sve, "", SVE_COPY, SVE_NEXT_TO_FROM)
STREAM_SVE_LOOPS(loops_scale_sve, SVE_FACTOR, SVE_SCALE, SVE_NEXT_TO_FROM)
STREAM_SVE_LOOPS(loops_add_sve, "", SVE_ADD, SVE_NEXT_ALL)
STREAM_SVE_LOOPS(loops_triad_sve, SVE_FACTOR, SVE_TRIAD, SVE_NEXT_ALL)
