/* What the plain programs share: the thread's own time, so that they can be run beside other
 * programs, and one random cycle. */
#ifndef FATHOM_BENCHMARKS_PLAIN_H
#define FATHOM_BENCHMARKS_PLAIN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { HUGE = 2 << 20 };
static const double walks_ns = 2e8; /* of walks */

static inline double read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline double now_ns(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static inline double wall_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

static inline int compare(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static inline double ranked(double *values, size_t n, size_t rank)
{
    qsort(values, n, sizeof *values, compare);
    return values[rank];
}

/* ns a cycle of the core's clock: a chain of additions, each of which waits for the one before. */
static inline double cycle_ns(void)
{
    enum { ADDITIONS = 1 << 18 };
    size_t sum = 1, more = 1;
    __asm__("" : "+r"(more));
    const double began = now_ns();
    _Pragma("GCC unroll 32") for (size_t i = 0; i < ADDITIONS; i++)
    {
        sum += more;
        __asm__ volatile("" : "+r"(sum));
    }
    return (now_ns() - began) / ADDITIONS;
}

enum { WALKS = 1 << 16 };
static double walks[WALKS], in_cycles[WALKS];
static size_t walk_count;

static inline void note(double ns)
{
    walks[walk_count % WALKS] = ns;
    in_cycles[walk_count++ % WALKS] = ns / cycle_ns();
}

/* The median of the walks, as fathom has that of its trials, the least, the median in cycles. */
static inline void tell(void)
{
    const size_t n = walk_count < WALKS ? walk_count : WALKS;
    const double median = ranked(walks, n, n / 2);
    printf("%.4g %.4g %.4g\n", median, walks[0], ranked(in_cycles, n, n / 2));
}

static inline char *take(size_t bytes, int huge)
{
    const size_t whole = (bytes + HUGE - 1) / HUGE * HUGE;
    char *memory = aligned_alloc(HUGE, whole);
    madvise(memory, whole, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return memory;
}

/* 0 to n - 1, shuffled or not: each number's follower is the next one. */
static inline size_t *order_of(size_t n, int shuffled)
{
    size_t *order = malloc(n * sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = 0; shuffled && i < n; i++) {
        const size_t j = i + (size_t)rand() % (n - i), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    return order;
}

#endif
