/*
 * The loops of hand-offs and of contended lines in C for every other architecture. See
 * x86_64/handoff_loops.h for what each one is.
 */
#pragma once

#include "arch.h"

#include <stdint.h>

/* --- hand-offs --- */

#define CAS_ORDER "compare-and-swap (relaxed)"
static inline void loops_cas(uint32_t *flag, uint32_t expected, uint32_t desired, uint64_t repeats)
{
    for (; repeats; repeats--) {
        uint32_t seen;
        do
            seen = expected;
        while (!__atomic_compare_exchange_n(flag, &seen, desired, 0, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED));
    }
}

#define READWRITE_ORDER "loads and stores (acquire and release)"
static inline uint32_t loops_wait_then_pass_on(uint32_t *mine, const uint32_t *theirs,
                                               uint32_t last, uint64_t repeats)
{
    for (; repeats; repeats--) {
        while (__atomic_load_n(theirs, __ATOMIC_ACQUIRE) != last)
            ;
        last++;
        __atomic_store_n(mine, last, __ATOMIC_RELEASE);
    }
    return last;
}

static inline uint32_t loops_wait_then_write(uint32_t *mine, const uint32_t *theirs, uint32_t last,
                                             uint64_t repeats)
{
    for (; repeats; repeats--) {
        last++;
        while (__atomic_load_n(theirs, __ATOMIC_ACQUIRE) != last)
            ;
        __atomic_store_n(mine, last, __ATOMIC_RELEASE);
    }
    return last;
}

#define TURN_LOOP(name, statement)                                                                 \
    static inline uint32_t name(uint32_t *line, uint32_t turn, uint64_t repeats)                   \
    {                                                                                              \
        for (; repeats; repeats--) {                                                               \
            while (__atomic_load_n(line, __ATOMIC_RELAXED) != turn)                                \
                ;                                                                                  \
            statement;                                                                             \
            turn += 2;                                                                             \
        }                                                                                          \
        return turn;                                                                               \
    }

#define STORE_LOAD_ORDER "load and store (relaxed)"
TURN_LOOP(loops_store_load, __atomic_store_n(line, turn + 1, __ATOMIC_RELAXED))
#define EXCHANGE_ORDER "load, then exchange (relaxed)"
TURN_LOOP(loops_exchange, (void)__atomic_exchange_n(line, turn + 1, __ATOMIC_RELAXED))
#define FETCH_ADD_ORDER "load, then fetch-and-add (relaxed)"
TURN_LOOP(loops_fetch_add, (void)__atomic_fetch_add(line, 1, __ATOMIC_RELAXED))
#undef TURN_LOOP

#define PAYLOAD_ORDER "loads and stores (acquire and release)"
static inline uint32_t loops_payload(uint32_t *line, uint32_t turn, unsigned char *payload,
                                     uint64_t step, uint64_t count, uint64_t repeats)
{
    for (; repeats; repeats--) {
        while (__atomic_load_n(line, __ATOMIC_ACQUIRE) != turn)
            ;
        for (uint64_t i = 0; i < count; i++)
            ++*(volatile uint32_t *)(payload + i * step);
        __atomic_store_n(line, turn + 1, __ATOMIC_RELEASE);
        turn += 2;
    }
    return turn;
}

#define ONE_WAY_ORDER "load and store (acquire and release)"
static inline int64_t loops_one_way(uint64_t *line, uint64_t side, int64_t least, uint64_t repeats)
{
    for (; repeats; repeats--) {
        uint64_t seen;
        do
            seen = __atomic_load_n(line, __ATOMIC_ACQUIRE);
        while ((seen & 1) == side);
        uint64_t now = arch_counter() << 1 | side;
        __atomic_store_n(line, now, __ATOMIC_RELEASE);
        int64_t difference = (int64_t)(now - seen);
        least = difference < least ? difference : least;
    }
    return least;
}

/* --- one line, many writers --- */

#define WRITE_LOOP(name, statement)                                                                \
    static inline void name(uint64_t *word, uint64_t repeats)                                      \
    {                                                                                              \
        for (; repeats; repeats--)                                                                 \
            statement;                                                                             \
    }

#define WRITE_FETCH_ADD_ORDER "fetch-and-add (relaxed)"
WRITE_LOOP(loops_write_fetch_add, (void)__atomic_fetch_add(word, 1, __ATOMIC_RELAXED))
#define WRITE_EXCHANGE_ORDER "exchange (relaxed)"
WRITE_LOOP(loops_write_exchange, (void)__atomic_exchange_n(word, repeats, __ATOMIC_RELAXED))
#define WRITE_STORE_ORDER "store (relaxed); a store buffer may merge and hide some of it"
WRITE_LOOP(loops_write_store, __atomic_store_n(word, repeats, __ATOMIC_RELAXED))
#undef WRITE_LOOP

#define WRITE_CAS_ORDER "load and compare-and-swap until it succeeds (relaxed)"
static inline void loops_write_cas(uint64_t *word, uint64_t repeats)
{
    for (; repeats; repeats--) {
        uint64_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(word, &seen, seen + 1, 0, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED))
            ;
    }
}

/* --- a ring of lines in a known state --- */

#define TOUCH_LOOP(name, statement)                                                                \
    static inline void *name(void *line, uint64_t count)                                           \
    {                                                                                              \
        for (; count; count--) {                                                                   \
            uint32_t *word = (uint32_t *)line + 2, seen = 0;                                       \
            (void)word;                                                                            \
            (void)seen;                                                                            \
            statement;                                                                             \
            line = *(void *volatile *)line;                                                        \
        }                                                                                          \
        return line;                                                                               \
    }

#define TOUCH_LOAD_ORDER "dependent load"
TOUCH_LOOP(loops_touch_load, (void)0)
#define TOUCH_STORE_ORDER "store and fence: until the store is done"
TOUCH_LOOP(loops_touch_store, __atomic_store_n(word, 0, __ATOMIC_RELAXED);
           __atomic_thread_fence(__ATOMIC_SEQ_CST))
#define TOUCH_CAS_ORDER "compare-and-swap and fence"
TOUCH_LOOP(loops_touch_cas,
           (void)__atomic_compare_exchange_n(word, &seen, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
           __atomic_thread_fence(__ATOMIC_SEQ_CST))
#define TOUCH_FETCH_ADD_ORDER "fetch-and-add and fence"
TOUCH_LOOP(loops_touch_fetch_add, (void)__atomic_fetch_add(word, 0, __ATOMIC_SEQ_CST);
           __atomic_thread_fence(__ATOMIC_SEQ_CST))
#undef TOUCH_LOOP

/* C has no way to flush a line. */
static inline bool loops_can_flush(void)
{
    return false;
}
static inline void loops_flush(void *line) {}
static inline void loops_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
