/*
 * Store-to-load forwarding in C for every other architecture. See measure/kernels/forward.h. A load
 * across two words is not safe everywhere, so there is no FORWARD_OVERLAP_STEP.
 */
#pragma once

#include <stdint.h>

#define FORWARD_STEPS 64

typedef uint64_t __attribute__((may_alias)) forward_word;
typedef int32_t __attribute__((may_alias)) forward_half; /* signed: most architectures then load it
                                                            in one instruction */

#define STORE(type, value) *(volatile type *)to = (type)(value);
#define LOAD(type, where)  value = (uint64_t) * (const volatile type *)(where);

#define FORWARD_SAME_STEP   STORE(forward_word, value) LOAD(forward_word, from)
#define FORWARD_NAMED_STEP  STORE(forward_word, value) LOAD(forward_word, to)
#define FORWARD_NARROW_STEP STORE(forward_word, value) LOAD(forward_half, from)
#define FORWARD_WIDE_STEP   STORE(forward_half, value) LOAD(forward_word, from)

#define EIGHT_TIMES(step)      step step step step step step step step
#define SIXTY_FOUR_TIMES(step) EIGHT_TIMES(EIGHT_TIMES(step))

#define FORWARD_LOOP(name, step)                                                                   \
    static inline uint64_t name(void *to, const void *from, uint64_t value, uint64_t repeats)      \
    {                                                                                              \
        (void)from;                                                                                \
        for (; repeats; repeats--) {                                                               \
            SIXTY_FOUR_TIMES(step)                                                                 \
        }                                                                                          \
        return value;                                                                              \
    }
