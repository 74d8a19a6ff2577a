/*
 * The string instructions of x86-64, which copy and fill by themselves. See measure/kernels/copy.h.
 */
#pragma once

#include <stdint.h>

#define COPY_HAS_STRINGS 1

static inline void loops_movsb(void *to, const void *from, uint64_t bytes)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

static inline void loops_stosb(void *to, uint64_t bytes)
{
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(0) : "memory");
}
