/*
 * Traffic in C for every other architecture. See assembled/inject_loops.h.
 */
#pragma once

#include <stdint.h>

#define INJECT_FORWARD                                                                             \
    position += step;                                                                              \
    at = position & mask;
#define INJECT_ANYWHERE                                                                            \
    position = position * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);           \
    at = position >> 24 & mask;

#define INJECT_READ   (void)*(volatile uint64_t *)(void *)(memory + at);
#define INJECT_MODIFY *(volatile uint64_t *)(void *)(memory + at) += 1;
/* The empty assembly makes the compiler keep every turn of the loop. */
#define INJECT_LINE(address, access)                                                               \
    address access for (uint64_t left = delay; left; left--) __asm__ volatile("" : "+r"(left));

#define INJECT_LOOP(name, address, access)                                                         \
    static inline uint64_t name(unsigned char *memory, uint64_t mask, uint64_t step,               \
                                uint64_t position, uint64_t delay, uint64_t turns)                 \
    {                                                                                              \
        uint64_t at;                                                                               \
        (void)step;                                                                                \
        for (; turns; turns--) {                                                                   \
            INJECT_LINE(address, access)                                                           \
            INJECT_LINE(address, access)                                                           \
            INJECT_LINE(address, access)                                                           \
        }                                                                                          \
        return position;                                                                           \
    }
