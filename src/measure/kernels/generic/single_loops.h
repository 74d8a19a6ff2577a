/* One load between two readings of the counter, in C. */
#pragma once

#include "arch.h"

#include <stdint.h>

/* C has no instruction that takes a line out of the caches. */
static inline void loops_flush(const void *at) {}

/* Returns the ticks from the reading *began to the one after the load. */
static inline uint64_t loops_single(const void *at, uint64_t *began)
{
    *began = arch_counter();
    *(const volatile uint64_t *)at;
    return arch_counter() - *began;
}

static inline uint64_t loops_no_load(const void *at, uint64_t *began)
{
    *began = arch_counter();
    return arch_counter() - *began;
}
