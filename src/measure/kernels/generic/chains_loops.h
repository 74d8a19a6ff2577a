/*
 * Several chases at once in C, for every other architecture. See measure/kernels/chains.h. The
 * first eight chains are variables, which every compiler keeps in registers; the others live in
 * memory.
 */
#pragma once

#include <stdint.h>

#define CHAINS_REGISTERS 8

#define CHAINS_EACH(X, n) X(n, 0) X(n, 1) X(n, 2) X(n, 3) X(n, 4) X(n, 5) X(n, 6) X(n, 7)
#define CHAINS_HAS(n, i)  ((i) < (n))
#define CHAINS_TAKE(n, i) void *p##i = positions[CHAINS_HAS(n, i) ? i : 0];
#define CHAINS_STEP(n, i)                                                                          \
    if (CHAINS_HAS(n, i))                                                                          \
        p##i = *(void *volatile *)p##i;
#define CHAINS_KEEP(n, i)                                                                          \
    if (CHAINS_HAS(n, i))                                                                          \
        positions[i] = p##i;

#define CHAINS_LOOP(n, rounds, in_memory, repeats)                                                 \
    do {                                                                                           \
        void **positions = (in_memory);                                                            \
        CHAINS_EACH(CHAINS_TAKE, n)                                                                \
        for (uint64_t left = (repeats) * (rounds); left; left--) {                                 \
            CHAINS_EACH(CHAINS_STEP, n)                                                            \
            for (int i = CHAINS_REGISTERS; i < (n); i++) {                                         \
                void *volatile *at = (void *volatile *)&positions[i];                              \
                *at = *(void *volatile *)*at;                                                      \
            }                                                                                      \
        }                                                                                          \
        CHAINS_EACH(CHAINS_KEEP, n)                                                                \
    } while (0)

/* The high half of the product by halves, so that no type of 128 bits is needed. */
static inline uint64_t loops_iterations(uint64_t x, uint64_t iterations)
{
    const uint64_t low = UINT32_MAX;
    uint64_t y = x, z = x;
    for (; iterations; iterations--) {
        x += x >> 1;
        const uint64_t a = (y >> 32) * (x & low), b = (y & low) * (x >> 32),
                       carry = ((y & low) * (x & low) >> 32) + (a & low) + (b & low);
        y = (y >> 32) * (x >> 32) + (a >> 32) + (b >> 32) + (carry >> 32);
        z += y;
        __asm__ volatile("" : "+r"(z));
    }
    return z;
}

/* The empty assembly keeps the compiler from joining the additions into one. */
static inline uint64_t chains_work_loop(struct chains_work *work, uint64_t repeats, bool prefetch)
{
    void **const begin = work->chains, **const end = begin + work->chain_count;
    void **at = begin + work->turn;
    void **ahead = begin + (work->turn + work->ahead) % work->chain_count;
    uint64_t sum = 0;
    for (; repeats; repeats--) {
        void *pointer = *(void *volatile *)*at;
        *at = pointer;
        at = at + 1 == end ? begin : at + 1;
        if (prefetch) {
            __builtin_prefetch(*ahead);
            ahead = ahead + 1 == end ? begin : ahead + 1;
        }
        sum = (uint64_t)(uintptr_t)pointer;
        for (uint64_t left = work->work; left; left--) {
            sum++;
            __asm__ volatile("" : "+r"(sum));
        }
    }
    work->turn = (uint64_t)(at - begin);
    return sum;
}

static inline uint64_t loops_chains_work(struct chains_work *work, uint64_t repeats)
{
    return chains_work_loop(work, repeats, false);
}

static inline uint64_t loops_chains_prefetch(struct chains_work *work, uint64_t repeats)
{
    return chains_work_loop(work, repeats, true);
}
