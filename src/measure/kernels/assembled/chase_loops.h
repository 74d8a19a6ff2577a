/*
 * The chases in assembly: the C around the steps that each architecture's steps.loops gives. A
 * repeat is CHASE_STEPS steps. Only steps are in each loop's `.rept`.
 */
#pragma once

#include "repeat.h"
#include "steps.loops.h"

#include <stdint.h>

#define CHASE_STEPS 64
/* Loads may lie across the end of a line or a page. */
#define CHASE_STRADDLES 1

#define CHASE_LOOP(steps) ".p2align 6\n1:\n\t" steps ".endr\n\t" REPEAT("%[repeats]", "1b")

/* One load a step. */
#define CHASE_OF(loads)                                                                            \
    static inline void *loops_chase_##loads(void *position, uint64_t repeats)                      \
    {                                                                                              \
        __asm__ volatile(CHASE_LOOP(".rept " #loads "\n\t" CHASE_STEP)                             \
                         : [position] "+r"(position), [repeats] "+r"(repeats)                      \
                         :                                                                         \
                         : "cc", "memory");                                                        \
        return position;                                                                           \
    }
CHASE_OF(1)
CHASE_OF(8)
CHASE_OF(64)
CHASE_OF(100)
#undef CHASE_OF

/* The pointer lives on the stack: it is reloaded before each step and stored after it. */
static inline void *loops_chase_spilled(void *position, uint64_t repeats)
{
    void *next;
    __asm__ volatile(CHASE_LOOP(".rept 64\n\t" CHASE_SPILLED_STEP)
                     : [position] "+m"(position), [repeats] "+r"(repeats), [next] "=&r"(next)
                     :
                     : "cc", "memory");
    return position;
}

/* Each element's second word is written when its first has been loaded: the line becomes dirty,
 * and the chain still consists of the loads alone. Two steps alternate between two registers. */
static inline void *loops_chase_modify(void *position, uint64_t repeats)
{
    void *next;
    __asm__ volatile(CHASE_LOOP(".rept 32\n\t" CHASE_MODIFY_TWO_STEPS)
                     : [position] "+r"(position), [repeats] "+r"(repeats), [next] "=&r"(next)
                     :
                     : "cc", "memory");
    return position;
}

/* By index. With a check before each access, as in safe languages, an index that is out of bounds
 * ends the loop. Where the steps need another register, INDEX_SCRATCH declares it. */
#define INDEX_STEP_64  INDEX_STEP("6")
#define INDEX_STEP_128 INDEX_STEP("7")
#define INDEX_STEP_256 INDEX_STEP("8")

#define INDEX_LOOP(name, step)                                                                     \
    static inline uint64_t name(const void *base, uint64_t count, uint64_t index,                  \
                                uint64_t repeats)                                                  \
    {                                                                                              \
        INDEX_SCRATCH                                                                              \
        __asm__ volatile(CHASE_LOOP(".rept 64\n\t" step) "\n2:"                                    \
                         : [index] "+r"(index), [repeats] "+r"(repeats)INDEX_SCRATCH_OUTPUT        \
                         : [base] "r"(base), [count] "r"(count)                                    \
                         : "cc", "memory");                                                        \
        return index;                                                                              \
    }
