/*
 * Several chases that take turns with one piece of code, in assembly. A jump into the additions, of
 * CHAINS_WORK_BYTES each, decides how many run. It always goes to the same place, so it is
 * predicted.
 */
#pragma once

#include "repeat.h"

#include <stdint.h>

#define CHAINS_WORK_LOOP(name, ahead_step)                                                         \
    static inline uint64_t name(struct chains_work *work, uint64_t repeats)                        \
    {                                                                                              \
        void **const begin = work->chains, **const end = begin + work->chain_count;                \
        void **at = begin + work->turn;                                                            \
        void **ahead = begin + (work->turn + work->ahead) % work->chain_count;                     \
        uint64_t entry, pointer, sum;                                                              \
        __asm__ volatile(                                                                          \
            CHAINS_WORK_ENTER ".p2align 6\n"                                                       \
                              "1:\n\t" CHAINS_WORK_TURN ahead_step CHAINS_WORK_JUMP                \
                              "2:\n\t.rept 1024\n\t" CHAINS_WORK_STEP ".endr\n"                    \
                              "3:\n\t" REPEAT("%[repeats]", "1b")                                  \
            : [at] "+&r"(at), [ahead] "+&r"(ahead), [repeats] "+&r"(repeats),                      \
              [entry] "=&r"(entry), [pointer] "=&r"(pointer), [sum] "=&r"(sum)                     \
            : [begin] "r"(begin), [end] "r"(end), [skip] "r"(CHAINS_WORK_BYTES * work->work)       \
            : "cc", "memory");                                                                     \
        work->turn = (uint64_t)(at - begin);                                                       \
        return sum;                                                                                \
    }

CHAINS_WORK_LOOP(loops_chains_work, "")
CHAINS_WORK_LOOP(loops_chains_prefetch, CHAINS_WORK_AHEAD)
