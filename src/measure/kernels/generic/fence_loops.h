/* Operations that order memory, in C: what compilers make of its atomic operations. */
#pragma once

#include <stdint.h>

#define FENCE_STEPS 16

static inline uint64_t *fence_pick(struct fence *fence)
{
    fence->random = fence->random * 6364136223846793005u + 1442695040888963407u;
    return (uint64_t *)(void *)(fence->memory +
                                (((fence->random >> 32) * fence->lines) >> 32) * 64);
}

#define FENCE_LOOP(name, steps)                                                                    \
    static inline uint64_t loops_fence_##name(struct fence *fence, uint64_t repeats)               \
    {                                                                                              \
        uint64_t *word = (uint64_t *)(void *)fence->word, value = 0;                               \
        for (; repeats; repeats--) {                                                               \
            steps;                                                                                 \
        }                                                                                          \
        return value + *word;                                                                      \
    }
#define FENCE_LOAD_FROM(at) value += __atomic_load_n(at, __ATOMIC_RELAXED)
#define FENCE_OP_store(at)  __atomic_store_n(at, repeats, __ATOMIC_RELAXED)
#define FENCE_EACH(count, access)                                                                  \
    for (uint64_t left = count; left; left--) {                                                    \
        access;                                                                                    \
    }
#define FENCE_FIVE(name, operation)                                                                \
    FENCE_LOOP(name##_alone, FENCE_EACH(FENCE_STEPS, operation(word)))                             \
    FENCE_LOOP(name##_after, FENCE_OP_store(word); operation(word); FENCE_LOAD_FROM(word + 8))     \
    FENCE_LOOP(name##_lines, uint64_t *at = fence_pick(fence); operation(at))                      \
    FENCE_LOOP(name##_loads,                                                                       \
               FENCE_EACH(fence->open, FENCE_LOAD_FROM(fence_pick(fence))) operation(word))        \
    FENCE_LOOP(name##_stores,                                                                      \
               FENCE_EACH(fence->open, FENCE_OP_store(fence_pick(fence))) operation(word))

#define FENCE_OP_none(at)      (void)(at)
#define FENCE_OP_exchange(at)  value = __atomic_exchange_n(at, repeats, __ATOMIC_SEQ_CST)
#define FENCE_OP_fetch_add(at) value = __atomic_fetch_add(at, repeats, __ATOMIC_SEQ_CST)
#define FENCE_OP_cas(at)                                                                           \
    __atomic_compare_exchange_n(at, &value, repeats, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define FENCE_OP_fence(at)         (void)(at), __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define FENCE_OP_store_release(at) __atomic_store_n(at, repeats, __ATOMIC_RELEASE)

#define FENCE_LIST(X)                                                                              \
    X(none, "none", "no operation", FENCE_NOTHING, false, NULL)                                    \
    X(exchange, "exchange", "a sequentially consistent exchange", FENCE_ATOMIC, false, NULL)       \
    X(fetch_add, "fetch-add", "a sequentially consistent fetch-add", FENCE_ATOMIC, false, NULL)    \
    X(cas, "cas", "a sequentially consistent compare-and-swap", FENCE_ATOMIC, false, NULL)         \
    X(fence, "fence", "a sequentially consistent fence", FENCE_ORDER, true, NULL)                  \
    X(store, "store", "a plain store", FENCE_STORE, false, NULL)                                   \
    X(store_release, "store-release", "a store with release order", FENCE_STORE, false, NULL)
