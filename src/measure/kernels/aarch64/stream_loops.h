/*
 * Streams for AArch64, in assembly: scalar, NEON in pairs of registers, which every processor has,
 * and SVE, which is checked at run time. See x86_64/stream_loops.h for what a step is. STNP is a
 * store with the hint not to keep the line in the caches (Arm ARM C3.2.5).
 */
#pragma once

#include "arch.h"

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
static inline enum stream_width loops_stream_widest(void)
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

/* SVE: a vector at a time until all doubles of the step are done, whatever a vector's length. */
#define STREAM_NEXT(pointer, by) "add %[" #pointer "], %[" #pointer "], " by "\n\t"
#define STREAM_NO(by)            ""
#define STREAM_TO(by)            STREAM_NEXT(to, by)
#define STREAM_FROM(by)          STREAM_NEXT(from, by)
#define STREAM_WITH(by)          STREAM_NEXT(with, by)
#define STREAM_SVE_LOOP(name, doubles, setup, step, bump_to, bump_from, bump_with)                 \
    static inline void name(void *to, const void *from, const void *with, uint64_t stride,         \
                            uint64_t steps)                                                        \
    {                                                                                              \
        uint64_t at, all = doubles;                                                                \
        __asm__ volatile(".arch_extension sve\n\t" setup ".p2align 6\n"                            \
                         "1:\n\t"                                                                  \
                         "mov %[at], #0\n\t"                                                       \
                         "whilelo p0.d, xzr, %[all]\n"                                             \
                         "2:\n\t" step "incd %[at]\n\t"                                            \
                         "whilelo p0.d, %[at], %[all]\n\t"                                         \
                         "b.mi 2b\n\t" bump_to bump_from bump_with                                 \
                         "subs %[steps], %[steps], #1\n\t"                                         \
                         "b.ne 1b"                                                                 \
                         : [to] "+r"(to), [from] "+r"(from), [with] "+r"(with),                    \
                           [steps] "+r"(steps), [at] "=&r"(at)                                     \
                         : [stride] "r"(stride), [factor] "w"(stream_factor), [all] "r"(all)       \
                         : "cc", "memory", "v0", "v2", "v31", "p0");                               \
    }
#define STREAM_SVE_LOOPS(name, setup, step, to, from, with)                                        \
    STREAM_SVE_LOOP(name, 32, setup, step, to("#256"), from("#256"), with("#256"))                 \
    STREAM_SVE_LOOP(name##_lines, 8, setup, step, to("%[stride]"), from("%[stride]"),              \
                    with("%[stride]"))
#define SVE_LOAD(z, pointer) "ld1d {" z ".d}, p0/z, [%[" #pointer "], %[at], lsl #3]\n\t"
#define SVE_STORE(z)         "st1d {" z ".d}, p0, [%[to], %[at], lsl #3]\n\t"
#define FACTOR_SVE           "mov z31.d, %d[factor]\n\t"

STREAM_SVE_LOOPS(loops_read_sve, "", SVE_LOAD("z0", from), STREAM_NO, STREAM_FROM, STREAM_NO)
STREAM_SVE_LOOPS(loops_write_sve, FACTOR_SVE, SVE_STORE("z31"), STREAM_TO, STREAM_NO, STREAM_NO)
STREAM_SVE_LOOPS(loops_copy_sve, "", SVE_LOAD("z0", from) SVE_STORE("z0"), STREAM_TO, STREAM_FROM,
                 STREAM_NO)
STREAM_SVE_LOOPS(loops_scale_sve, FACTOR_SVE,
                 SVE_LOAD("z0", from) "fmul z0.d, z0.d, z31.d\n\t" SVE_STORE("z0"), STREAM_TO,
                 STREAM_FROM, STREAM_NO)
STREAM_SVE_LOOPS(loops_add_sve, "",
                 SVE_LOAD("z0", from)
                     SVE_LOAD("z2", with) "fadd z0.d, z0.d, z2.d\n\t" SVE_STORE("z0"),
                 STREAM_TO, STREAM_FROM, STREAM_WITH)
STREAM_SVE_LOOPS(loops_triad_sve, FACTOR_SVE,
                 SVE_LOAD("z0", from)
                     SVE_LOAD("z2", with) "fmla z0.d, p0/m, z2.d, z31.d\n\t" SVE_STORE("z0"),
                 STREAM_TO, STREAM_FROM, STREAM_WITH)
