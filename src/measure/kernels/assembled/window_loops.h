/*
 * Two loads and the fillers between them, in assembly. The jumps into the fillers decide how many
 * run; each always goes to the same place, so it is predicted.
 */
#pragma once

#include "repeat.h"
#include "steps.loops.h"

#include <stdint.h>

#define WINDOW_LOOP(name, steps, bytes)                                                            \
    static uint64_t name(void *state, uint64_t repeats)                                            \
    {                                                                                              \
        struct window *window = state;                                                             \
        void *first = window->position[0], *second = window->position[1];                          \
        WINDOW_DECLARE                                                                             \
        uint64_t enter[2];                                                                         \
        __asm__ volatile(WINDOW_ENTER                                                              \
                         ".p2align 6\n"                                                            \
                         "1:\n\t" WINDOW_STEP("first")                                             \
                             WINDOW_TO("one") "2:\n\t" steps "3:\n\t" WINDOW_STEP("second")        \
                                 WINDOW_TO("two") "4:\n\t" steps                                   \
                                                  "5:\n\t" REPEAT("%[repeats]", "1b")              \
                         : [first] "+&r"(first), [second] "+&r"(second), [repeats] "+&r"(repeats), \
                           [one] "=&r"(enter[0]), [two] "=&r"(enter[1])                            \
                         : [skip] "r"(bytes * window->fillers), WINDOW_LOADED                      \
                         : WINDOW_CLOBBERS, "cc", "memory");                                       \
        window->position[0] = first;                                                               \
        window->position[1] = second;                                                              \
        return (uint64_t)(uintptr_t)first;                                                         \
    }
