/* Operations that order memory, for AArch64. See measure/kernels/assembled/fence_loops.h. */
#pragma once

#include "arch.h"
#include "lse.h"
#include "measure/kernels/assembled/fence_loops.h"

#define FENCE_VALUE(value) "+&r"(value)
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
