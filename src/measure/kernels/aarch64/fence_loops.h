/* Operations that order memory, for AArch64. See measure/kernels/assembled/fence_loops.h. */
#pragma once

#include "arch.h"
#include "measure/kernels/assembled/fence_loops.h"

#define FENCE_VALUE(value) "+&r"(value)
/* at = memory + 64 * ((the number's upper half * lines) >> 32) */
#define FENCE_PICK                                                                                 \
    "madd %[random], %[random], %[by], %[more]\n\t"                                                \
    "lsr %[at], %[random], #32\n\t"                                                                \
    "mul %[at], %[at], %[lines]\n\t"                                                               \
    "lsr %[at], %[at], #32\n\t"                                                                    \
    "add %[at], %[memory], %[at], lsl #6\n\t"
#define FENCE_OPEN(access)                                                                         \
    "mov %[left], %[open]\n2:\n\t" FENCE_PICK access "subs %[left], %[left], #1\n\tb.ne 2b\n\t"
#define FENCE_LOAD_FROM(at) "ldr %[value], [%[" at "]]\n\t"
#define FENCE_STORE_TO(at)  "str %[n], [%[" at "]]\n\t"
#define FENCE_LOAD_BEHIND   "ldr %[value], [%[word], #64]\n\t"

#ifdef __ARM_FEATURE_ATOMICS
#define FENCE_LSE(instruction) instruction "\n\t"
#else
#define FENCE_LSE(instruction) ".arch_extension lse\n\t" instruction "\n\t.arch_extension nolse\n\t"
#endif
#define FENCE_NONE(at)
#define FENCE_STORE_NT(at)      "stnp %[n], %[n], [%[" at "]]\n\t"
#define FENCE_STORE_RELEASE(at) "stlr %[n], [%[" at "]]\n\t"
#define FENCE_EXCHANGE(at)      FENCE_LSE("swpal %[n], %[value], [%[" at "]]")
#define FENCE_FETCH_ADD(at)     FENCE_LSE("ldaddal %[n], %[value], [%[" at "]]")
#define FENCE_CAS(at)           FENCE_LSE("casal %[value], %[n], [%[" at "]]")
#define FENCE_DMB_ISH(at)       "dmb ish\n\t"
#define FENCE_DMB_ISHST(at)     "dmb ishst\n\t"
#define FENCE_DMB_ISHLD(at)     "dmb ishld\n\t"
#define FENCE_DSB_ISH(at)       "dsb ish\n\t"
#define FENCE_ISB(at)           "isb\n\t"
#define FENCE_CIVAC(at)         "dc civac, %[" at "]\n\t"
#define FENCE_CVAC(at)          "dc cvac, %[" at "]\n\t"

FENCE_FIVE(none, FENCE_NONE)
FENCE_FIVE(store, FENCE_STORE_TO)
FENCE_FIVE(store_nt, FENCE_STORE_NT)
FENCE_FIVE(store_release, FENCE_STORE_RELEASE)
FENCE_FIVE(exchange, FENCE_EXCHANGE)
FENCE_FIVE(fetch_add, FENCE_FETCH_ADD)
FENCE_FIVE(cas, FENCE_CAS)
FENCE_FIVE(dmb_ish, FENCE_DMB_ISH)
FENCE_FIVE(dmb_ishst, FENCE_DMB_ISHST)
FENCE_FIVE(dmb_ishld, FENCE_DMB_ISHLD)
FENCE_FIVE(dsb_ish, FENCE_DSB_ISH)
FENCE_FIVE(isb, FENCE_ISB)
FENCE_FIVE(civac, FENCE_CIVAC)
FENCE_FIVE(cvac, FENCE_CVAC)

#define FENCE_LIST(X)                                                                              \
    X(none, "none", "no operation", FENCE_NOTHING, false, NULL)                                    \
    X(exchange, "exchange", "swpal", FENCE_ATOMIC, false, arch_has_lse)                            \
    X(fetch_add, "fetch-add", "ldaddal", FENCE_ATOMIC, false, arch_has_lse)                        \
    X(cas, "cas", "casal", FENCE_ATOMIC, false, arch_has_lse)                                      \
    X(dmb_ish, "dmb-ish", "orders all loads and stores", FENCE_ORDER, true, NULL)                  \
    X(dmb_ishst, "dmb-ishst", "orders stores", FENCE_ORDER, false, NULL)                           \
    X(dmb_ishld, "dmb-ishld", "orders loads before all that follows", FENCE_ORDER, false, NULL)    \
    X(dsb_ish, "dsb-ish", "waits for all loads and stores", FENCE_ORDER, true, NULL)               \
    X(isb, "isb", "fetches the instructions behind it anew", FENCE_ORDER, false, NULL)             \
    X(civac, "dc-civac", "writes a line back and drops it", FENCE_FLUSH, false, NULL)              \
    X(cvac, "dc-cvac", "writes a line back and may keep it", FENCE_FLUSH, false, NULL)             \
    X(store, "store", "a plain store", FENCE_STORE, false, NULL)                                   \
    X(store_nt, "store-nt", "stnp: a store that hints to pass the caches", FENCE_STORE, false,     \
      NULL)                                                                                        \
    X(store_release, "store-release", "stlr", FENCE_STORE, false, NULL)
