/*
 * Streams for x86-64, in assembly: scalar and 128 bits are SSE2, which every processor has; 256 and
 * 512 bits are AVX and AVX-512, which are checked at run time. Only a step is in each loop's
 * `.irp`; the lines of a step follow one another.
 */
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

static inline enum stream_width loops_stream_widest(void)
{
    return arch_has_avx512() ? STREAM_512 : arch_has_avx() ? STREAM_256 : STREAM_128;
}

/* Stores past the caches wait in buffers; the fence waits until these are empty. */
static inline void loops_stream_drain(void)
{
    __asm__ volatile("sfence" : : : "memory");
}

#define STREAM_LOOP(name, lines, parts, setup, step, bump_to, bump_from, bump_with, end)           \
    static inline void name(void *to, const void *from, const void *with, uint64_t stride,         \
                            uint64_t steps)                                                        \
    {                                                                                              \
        (void)stride;                                                                              \
        __asm__ volatile(                                                                          \
            setup ".p2align 6\n"                                                                   \
                  "1:\n\t"                                                                         \
                  ".irp line," lines "\n\t"                                                        \
                  ".irp at," parts "\n\t" step ".endr\n\t"                                         \
                  ".endr\n\t" bump_to bump_from bump_with "dec %[steps]\n\t"                       \
                  "jnz 1b\n\t" end                                                                 \
            : [to] "+r"(to), [from] "+r"(from), [with] "+r"(with), [steps] "+r"(steps)             \
            : [stride] "r"(stride), [factor] "m"(stream_factor)                                    \
            : "cc", "memory", "rax", "xmm0", "xmm15");                                             \
    }
#define STREAM_NEXT(pointer, by) "add " by ", %[" #pointer "]\n\t"
/* The two loops of a kernel: whole steps, and single lines `stride` apart. */
#define STREAM_LOOPS(name, parts, setup, step, to, from, with, end)                                \
    STREAM_LOOP(name, "0,64,128,192", parts, setup, step, to("$256"), from("$256"), with("$256"),  \
                end)                                                                               \
    STREAM_LOOP(name##_lines, "0", parts, setup, step, to("%[stride]"), from("%[stride]"),         \
                with("%[stride]"), end)
#define STREAM_NO(by)   ""
#define STREAM_TO(by)   STREAM_NEXT(to, by)
#define STREAM_FROM(by) STREAM_NEXT(from, by)
#define STREAM_WITH(by) STREAM_NEXT(with, by)

#define AT(pointer) "\\line+\\at(%[" #pointer "])"

/* SSE2: instructions have two operands; a scalar store past the caches needs a general register. */
#define STREAM_SSE(width, parts, setup, mov, mul, add, store_nt, to_nt, load_nt, reg_nt)           \
    STREAM_LOOPS(loops_read_##width, parts, "", mov " " AT(from) ", %%xmm0\n\t", STREAM_NO,        \
                 STREAM_FROM, STREAM_NO, "")                                                       \
    STREAM_LOOPS(loops_write_##width, parts, setup, mov " %%xmm15, " AT(to) "\n\t", STREAM_TO,     \
                 STREAM_NO, STREAM_NO, "")                                                         \
    STREAM_LOOPS(loops_copy_##width, parts, "",                                                    \
                 mov " " AT(from) ", %%xmm0\n\t" mov " %%xmm0, " AT(to) "\n\t", STREAM_TO,         \
                 STREAM_FROM, STREAM_NO, "")                                                       \
    STREAM_LOOPS(loops_scale_##width, parts, setup,                                                \
                 mov " " AT(from) ", %%xmm0\n\t" mul " %%xmm15, %%xmm0\n\t" mov                    \
                                  " %%xmm0, " AT(to) "\n\t",                                       \
                 STREAM_TO, STREAM_FROM, STREAM_NO, "")                                            \
    STREAM_LOOPS(loops_add_##width, parts, "",                                                     \
                 mov " " AT(from) ", %%xmm0\n\t" add " " AT(with) ", %%xmm0\n\t" mov               \
                                                                  " %%xmm0, " AT(to) "\n\t",       \
                 STREAM_TO, STREAM_FROM, STREAM_WITH, "")                                          \
    STREAM_LOOPS(loops_triad_##width, parts, setup,                                                \
                 mov " " AT(with) ", %%xmm0\n\t" mul " %%xmm15, %%xmm0\n\t" add                    \
                                  " " AT(from) ", %%xmm0\n\t" mov " %%xmm0, " AT(to) "\n\t",       \
                 STREAM_TO, STREAM_FROM, STREAM_WITH, "")                                          \
    STREAM_LOOPS(loops_write_nt_##width, parts, setup to_nt("%%xmm15"),                            \
                 store_nt " " reg_nt("%%xmm15") ", " AT(to) "\n\t", STREAM_TO, STREAM_NO,          \
                 STREAM_NO, "")                                                                    \
    STREAM_LOOPS(loops_copy_nt_##width, parts, "",                                                 \
                 load_nt                                                                           \
                 " " AT(from) ", " reg_nt("%%xmm0") "\n\t" store_nt                                \
                                                    " " reg_nt("%%xmm0") ", " AT(to) "\n\t",       \
                 STREAM_TO, STREAM_FROM, STREAM_NO, "")                                            \
    STREAM_LOOPS(loops_triad_nt_##width, parts, setup,                                             \
                 mov " " AT(with) ", %%xmm0\n\t" mul " %%xmm15, %%xmm0\n\t" add                    \
                                  " " AT(from) ", %%xmm0\n\t" to_nt("%%xmm0") store_nt             \
                 " " reg_nt("%%xmm0") ", " AT(to) "\n\t",                                          \
                 STREAM_TO, STREAM_FROM, STREAM_WITH, "")

#define STREAM_BY_RAX(reg) "movq " reg ", %%rax\n\t"
#define STREAM_RAX(reg)    "%%rax"
#define STREAM_AS_IS(reg)  ""
#define STREAM_ITSELF(reg) reg
STREAM_SSE(scalar, "0,8,16,24,32,40,48,56", "movsd %[factor], %%xmm15\n\t", "movsd", "mulsd",
           "addsd", "movnti", STREAM_BY_RAX, "mov", STREAM_RAX)
STREAM_SSE(128, "0,16,32,48", "movsd %[factor], %%xmm15\n\tunpcklpd %%xmm15, %%xmm15\n\t", "movapd",
           "mulpd", "addpd", "movntpd", STREAM_AS_IS, "movapd", STREAM_ITSELF)

/* AVX and AVX-512: instructions have three operands; the registers' upper parts must be cleared
 * before SSE code runs. */
#define STREAM_AVX(width, parts, r)                                                                \
    STREAM_AVX_LOOPS(width, parts, "%%" r "mm0", "%%" r "mm15",                                    \
                     "vbroadcastsd %[factor], %%" r "mm15\n\t")
#define STREAM_AVX_LOOPS(width, parts, x, f, setup)                                                \
    STREAM_LOOPS(loops_read_##width, parts, "", "vmovapd " AT(from) ", " x "\n\t", STREAM_NO,      \
                 STREAM_FROM, STREAM_NO, "vzeroupper")                                             \
    STREAM_AVX_STORING(write, width, parts, setup, "", f, "vmovapd", STREAM_NO, STREAM_NO)         \
    STREAM_AVX_STORING(write_nt, width, parts, setup, "", f, "vmovntpd", STREAM_NO, STREAM_NO)     \
    STREAM_AVX_STORING(copy, width, parts, "", "vmovapd " AT(from) ", " x "\n\t", x, "vmovapd",    \
                       STREAM_FROM, STREAM_NO)                                                     \
    STREAM_AVX_STORING(copy_nt, width, parts, "", "vmovapd " AT(from) ", " x "\n\t", x,            \
                       "vmovntpd", STREAM_FROM, STREAM_NO)                                         \
    STREAM_AVX_STORING(scale, width, parts, setup, "vmulpd " AT(from) ", " f ", " x "\n\t", x,     \
                       "vmovapd", STREAM_FROM, STREAM_NO)                                          \
    STREAM_AVX_STORING(add, width, parts, "",                                                      \
                       "vmovapd " AT(from) ", " x "\n\tvaddpd " AT(with) ", " x ", " x "\n\t", x,  \
                       "vmovapd", STREAM_FROM, STREAM_WITH)                                        \
    STREAM_AVX_STORING(triad, width, parts, setup,                                                 \
                       "vmulpd " AT(with) ", " f ", " x "\n\tvaddpd " AT(from) ", " x ", " x       \
                                                                               "\n\t",             \
                       x, "vmovapd", STREAM_FROM, STREAM_WITH)                                     \
    STREAM_AVX_STORING(triad_nt, width, parts, setup,                                              \
                       "vmulpd " AT(with) ", " f ", " x "\n\tvaddpd " AT(from) ", " x ", " x       \
                                                                               "\n\t",             \
                       x, "vmovntpd", STREAM_FROM, STREAM_WITH)
#define STREAM_AVX_STORING(op, width, parts, setup, load, stored, store, from, with)               \
    STREAM_LOOPS(loops_##op##_##width, parts, setup, load store " " stored ", " AT(to) "\n\t",     \
                 STREAM_TO, from, with, "vzeroupper")
STREAM_AVX(256, "0,32", "y")
STREAM_AVX(512, "0", "z")
