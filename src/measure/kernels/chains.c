#include "measure/kernels/chains.h"

#include "arch.h"
#include "chains_loops.h"

/* X(number of chains) for each. */
#define EIGHT(X, a, b, c, d, e, f, g, h) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h)
#define EVERY(X)                                                                                   \
    EIGHT(X, 1, 2, 3, 4, 5, 6, 7, 8)                                                               \
    EIGHT(X, 9, 10, 11, 12, 13, 14, 15, 16)                                                        \
    EIGHT(X, 17, 18, 19, 20, 21, 22, 23, 24)                                                       \
    EIGHT(X, 25, 26, 27, 28, 29, 30, 31, 32)                                                       \
    EIGHT(X, 33, 34, 35, 36, 37, 38, 39, 40)                                                       \
    EIGHT(X, 41, 42, 43, 44, 45, 46, 47, 48)                                                       \
    EIGHT(X, 49, 50, 51, 52, 53, 54, 55, 56)                                                       \
    EIGHT(X, 57, 58, 59, 60, 61, 62, 63, 64)

const unsigned chains_registers = CHAINS_REGISTERS;

#define KERNEL(n)                                                                                  \
    static uint64_t chains_##n##_run(void *state, uint64_t repeats)                                \
    {                                                                                              \
        struct chains *chains = state;                                                             \
        CHAINS_LOOP(n, (64 / n), chains->position, repeats);                                       \
        return (uint64_t)(uintptr_t)chains->position[0];                                           \
    }
EVERY(KERNEL)

#define ENTRY(n) [n] = chains_##n##_run,
static kernel_function *const kernels[CHAINS_MOST + 1] = {EVERY(ENTRY)};

kernel_function *chains_kernel(unsigned chains)
{
    return kernels[chains];
}

unsigned chains_steps(unsigned chains)
{
    return 64 / chains * chains;
}

uint64_t chains_work_run(void *state, uint64_t repeats)
{
    return loops_chains_work(state, repeats);
}

/* Chains take turns. A run of turns ends where they, or those whose lines are prefetched, begin
 * again, so that a turn has no more instructions than the article's two loops. */
static inline __attribute__((always_inline)) uint64_t
iterate(struct chains_work *work, uint64_t repeats, uint64_t ahead,
        uint64_t iterations_of(uint64_t, uint64_t))
{
    void **const begin = work->chains, **const end = begin + work->chain_count;
    void **at = begin + work->turn;
    const uint64_t iterations = work->work;
    uint64_t sum = 0;
    while (repeats) {
        void **soon = at + ahead < end ? at + ahead : at + ahead - work->chain_count;
        uint64_t run = (uint64_t)(end - (soon > at ? soon : at));
        run = run < repeats ? run : repeats;
        repeats -= run;
        for (; run; run--, at++, soon++) {
            char *pointer = *(void *volatile *)*at;
            *at = pointer;
            if (ahead)
                __builtin_prefetch(*soon);
            sum += iterations_of((uint64_t)(pointer - (char *)begin) / sizeof(void *), iterations);
        }
        at = at == end ? begin : at;
    }
    work->turn = (uint64_t)(at - begin);
    return sum;
}

static uint64_t chains_iterations_run(void *state, uint64_t repeats)
{
    const uint64_t ahead = ((const struct chains_work *)state)->ahead;
    return ahead ? iterate(state, repeats, ahead, loops_iterations)
                 : iterate(state, repeats, 0, loops_iterations);
}

#ifdef LOOPS_HAVE_BMI2
static uint64_t chains_iterations_bmi2_run(void *state, uint64_t repeats)
{
    const uint64_t ahead = ((const struct chains_work *)state)->ahead;
    return ahead ? iterate(state, repeats, ahead, loops_iterations_bmi2)
                 : iterate(state, repeats, 0, loops_iterations_bmi2);
}
#endif

kernel_function *chains_iterations(void)
{
#ifdef LOOPS_HAVE_BMI2
    if (arch_has_bmi2())
        return chains_iterations_bmi2_run;
#endif
    return chains_iterations_run;
}

uint64_t chains_prefetch_run(void *state, uint64_t repeats)
{
    return loops_chains_prefetch(state, repeats);
}
