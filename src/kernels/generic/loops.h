/*
 * The timed loops in C for every other architecture. See x86_64/loops.h for what each one is.
 * KEEP hides a value from the optimizer and costs no instruction.
 */
#ifndef FATHOM_KERNELS_LOOPS_H
#define FATHOM_KERNELS_LOOPS_H

#include <stdint.h>

#define KEEP(value) __asm__ volatile("" : "+r"(value))

#define CHASE_STEPS 64
static inline void *loops_chase(void *position, uint64_t repeats)
{
#define STEP        position = *(void *volatile *)position;
#define EIGHT_STEPS STEP STEP STEP STEP STEP STEP STEP STEP
    for (; repeats; repeats--) {
        EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS
            EIGHT_STEPS
    }
#undef EIGHT_STEPS
#undef STEP
    return position;
}

#define ADDITION_STEPS 64
static inline uint64_t loops_additions(uint64_t value, uint64_t repeats)
{
    uint64_t one = 1;
    KEEP(one);
#define STEP                                                                                       \
    value += one;                                                                                  \
    KEEP(value);
#define EIGHT_STEPS STEP STEP STEP STEP STEP STEP STEP STEP
    for (; repeats; repeats--) {
        EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS EIGHT_STEPS
            EIGHT_STEPS
    }
#undef EIGHT_STEPS
#undef STEP
    return value;
}

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
static inline uint32_t loops_write_then_wait(uint32_t *mine, const uint32_t *theirs, uint32_t last,
                                             uint64_t repeats)
{
    for (; repeats; repeats--) {
        last++;
        __atomic_store_n(mine, last, __ATOMIC_RELEASE);
        while (__atomic_load_n(theirs, __ATOMIC_ACQUIRE) != last)
            ;
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

#endif
