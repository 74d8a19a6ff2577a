/* Operations that order memory, for x86-64. See measure/kernels/assembled/fence_loops.h. */
#pragma once

#include "arch.h"
#include "measure/kernels/assembled/fence_loops.h"

#define FENCE_VALUE(value) "+&a"(value)
/* at = memory + 64 * ((the number's upper half * lines) >> 32) */
#define FENCE_PICK                                                                                 \
    "imul %[by], %[random]\n\t"                                                                    \
    "add %[more], %[random]\n\t"                                                                   \
    "mov %[random], %[at]\n\t"                                                                     \
    "shr $32, %[at]\n\t"                                                                           \
    "imul %[lines], %[at]\n\t"                                                                     \
    "shr $32, %[at]\n\t"                                                                           \
    "shl $6, %[at]\n\t"                                                                            \
    "add %[memory], %[at]\n\t"
#define FENCE_OPEN(access)                                                                         \
    "mov %[open], %[left]\n2:\n\t" FENCE_PICK access "dec %[left]\n\tjnz 2b\n\t"
#define FENCE_LOAD_FROM(at) "mov (%[" at "]), %[value]\n\t"
#define FENCE_STORE_TO(at)  "mov %[n], (%[" at "])\n\t"
#define FENCE_LOAD_BEHIND   "mov 64(%[word]), %[value]\n\t"

#define FENCE_NONE(at)
#define FENCE_STORE_NT(at)   "movnti %[n], (%[" at "])\n\t"
#define FENCE_EXCHANGE(at)   "xchg %[value], (%[" at "])\n\t"
#define FENCE_FETCH_ADD(at)  "lock xadd %[value], (%[" at "])\n\t"
#define FENCE_CAS(at)        "lock cmpxchg %[value], (%[" at "])\n\t"
#define FENCE_LOCK_OR(at)    "lock orq $0, (%%rsp)\n\t"
#define FENCE_MFENCE(at)     "mfence\n\t"
#define FENCE_SFENCE(at)     "sfence\n\t"
#define FENCE_LFENCE(at)     "lfence\n\t"
#define FENCE_CLFLUSH(at)    "clflush (%[" at "])\n\t"
#define FENCE_CLFLUSHOPT(at) "clflushopt (%[" at "])\n\t"
#define FENCE_CLWB(at)       "clwb (%[" at "])\n\t"

FENCE_FIVE(none, FENCE_NONE)
FENCE_FIVE(store, FENCE_STORE_TO)
FENCE_FIVE(store_nt, FENCE_STORE_NT)
FENCE_FIVE(exchange, FENCE_EXCHANGE)
FENCE_FIVE(fetch_add, FENCE_FETCH_ADD)
FENCE_FIVE(cas, FENCE_CAS)
FENCE_FIVE(lock_or, FENCE_LOCK_OR)
FENCE_FIVE(mfence, FENCE_MFENCE)
FENCE_FIVE(sfence, FENCE_SFENCE)
FENCE_FIVE(lfence, FENCE_LFENCE)
FENCE_FIVE(clflush, FENCE_CLFLUSH)
FENCE_FIVE(clflushopt, FENCE_CLFLUSHOPT)
FENCE_FIVE(clwb, FENCE_CLWB)

/* CPUID 7.0 EBX (Intel SDM vol. 2A). */
static inline bool fence_has(unsigned bit)
{
    uint32_t registers[4];
    return arch_cpuid(7, 0, registers) && (registers[1] >> bit & 1);
}
static bool fence_has_clflushopt(void)
{
    return fence_has(23);
}
static bool fence_has_clwb(void)
{
    return fence_has(24);
}

#define FENCE_LIST(X)                                                                              \
    X(none, "none", "no operation", FENCE_NOTHING, false, NULL)                                    \
    X(exchange, "exchange", "xchg with memory", FENCE_ATOMIC, true, NULL)                          \
    X(fetch_add, "fetch-add", "lock xadd", FENCE_ATOMIC, true, NULL)                               \
    X(cas, "cas", "lock cmpxchg", FENCE_ATOMIC, true, NULL)                                        \
    X(lock_or, "lock-or", "lock or of the stack's top, a fence", FENCE_ORDER, true, NULL)          \
    X(mfence, "mfence", "orders all loads and stores", FENCE_ORDER, true, NULL)                    \
    X(sfence, "sfence", "orders stores", FENCE_ORDER, false, NULL)                                 \
    X(lfence, "lfence", "waits for all earlier instructions", FENCE_ORDER, false, NULL)            \
    X(clflush, "clflush", "writes a line back and drops it", FENCE_FLUSH, false, NULL)             \
    X(clflushopt, "clflushopt", "the same, in no order with other flushes", FENCE_FLUSH, false,    \
      fence_has_clflushopt)                                                                        \
    X(clwb, "clwb", "writes a line back and may keep it", FENCE_FLUSH, false, fence_has_clwb)      \
    X(store, "store", "a plain store", FENCE_STORE, false, NULL)                                   \
    X(store_nt, "store-nt", "movnti: a store past the caches", FENCE_STORE, false, NULL)
