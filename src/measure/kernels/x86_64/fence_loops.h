/* Operations that order memory, for x86-64. See measure/kernels/assembled/fence_loops.h. */
#pragma once

#include "arch.h"
#include "measure/kernels/assembled/fence_loops.h"
#include "measure/kernels/contention.h"

#define FENCE_VALUE(value) "+&a"(value)
/* CPUID 7.0 EBX (Intel SDM vol. 2A). */
static bool fence_has_clflushopt(void)
{
    return arch_has(7, 1, 23);
}
static bool fence_has_clwb(void)
{
    return arch_has(7, 1, 24);
}

#define FENCE_LIST(X)                                                                              \
    X(none, "none", "no operation", FENCE_NOTHING, false, NULL)                                    \
    X(exchange, "exchange", "xchg with memory", FENCE_ATOMIC, true, NULL)                          \
    X(fetch_add, "fetch-add", "lock xadd", FENCE_ATOMIC, true, NULL)                               \
    X(cas, "cas", "lock cmpxchg", FENCE_ATOMIC, true, NULL)                                        \
    X(lock_or, "lock-or", "lock or on the stack's top, as a fence", FENCE_ORDER, true, NULL)       \
    X(mfence, "mfence", "orders all loads and stores", FENCE_ORDER, true, NULL)                    \
    X(sfence, "sfence", "orders stores", FENCE_ORDER, false, NULL)                                 \
    X(lfence, "lfence", "waits for all earlier instructions", FENCE_ORDER, false, NULL)            \
    X(clflush, "clflush", "writes a line back and drops it", FENCE_FLUSH, false,                   \
      line_flush_possible)                                                                         \
    X(clflushopt, "clflushopt", "the same, in no order with other flushes", FENCE_FLUSH, false,    \
      fence_has_clflushopt)                                                                        \
    X(clwb, "clwb", "writes a line back and may keep it", FENCE_FLUSH, false, fence_has_clwb)      \
    X(store, "store", "a plain store", FENCE_STORE, false, NULL)                                   \
    X(store_nt, "store-nt", "movnti: a store past the caches", FENCE_STORE, false, NULL)
