/*
 * The chases in C for every other architecture. See measure/kernels/assembled/chase_loops.h for
 * what each one is. Every load is volatile, so that the compiler neither removes nor joins loads.
 */
#pragma once

#include <stdint.h>

#define CHASE_STEPS 64
/* A load across the end of a line may trap on these architectures, or be emulated by the system. */
#define CHASE_STRADDLES 0

#define EIGHT_TIMES(step)      step step step step step step step step
#define SIXTY_FOUR_TIMES(step) EIGHT_TIMES(EIGHT_TIMES(step))

#define ONCE(step) step
#define HUNDRED_TIMES(step)                                                                        \
    SIXTY_FOUR_TIMES(step) EIGHT_TIMES(step step step step) step step step step
#define CHASE_OF(loads, times)                                                                     \
    static inline void *loops_chase_##loads(void *position, uint64_t repeats)                      \
    {                                                                                              \
        for (; repeats; repeats--) {                                                               \
            times(position = *(void *volatile *)position;)                                         \
        }                                                                                          \
        return position;                                                                           \
    }
CHASE_OF(1, ONCE)
CHASE_OF(8, EIGHT_TIMES)
CHASE_OF(64, SIXTY_FOUR_TIMES)
CHASE_OF(100, HUNDRED_TIMES)
#undef CHASE_OF

static inline void *loops_chase_spilled(void *position, uint64_t repeats)
{
    void *volatile slot = position;
    for (; repeats; repeats--) {
        SIXTY_FOUR_TIMES(slot = *(void *volatile *)slot;)
    }
    return slot;
}

static inline void *loops_chase_modify(void *position, uint64_t repeats)
{
    void *volatile *element = position;
    for (; repeats; repeats--) {
        SIXTY_FOUR_TIMES(position = element[0]; element[1] = position; element = position;)
    }
    return position;
}

#define INDEX_STEP(shift) index = *(const volatile uint64_t *)(bytes + (index << (shift)));
#define INDEX_STEP_8      INDEX_STEP(3)
#define INDEX_STEP_64     INDEX_STEP(6)
#define INDEX_STEP_128    INDEX_STEP(7)
#define INDEX_STEP_256    INDEX_STEP(8)

#define CHECK_STEP                                                                                 \
    if (index >= count)                                                                            \
        return index;

#define INDEX_LOOP(name, step)                                                                     \
    static inline uint64_t name(const void *base, uint64_t count, uint64_t index,                  \
                                uint64_t repeats)                                                  \
    {                                                                                              \
        const unsigned char *bytes = base;                                                         \
        (void)count;                                                                               \
        for (; repeats; repeats--) {                                                               \
            SIXTY_FOUR_TIMES(step)                                                                 \
        }                                                                                          \
        return index;                                                                              \
    }
