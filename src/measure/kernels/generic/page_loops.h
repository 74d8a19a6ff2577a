/*
 * One access to each page in C, for every other architecture. See measure/kernels/pages.h.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void loops_touch(unsigned char *at, uint64_t step, uint64_t pages)
{
    for (; pages; pages--, at += step)
        *(volatile unsigned char *)at = 1;
}

static inline void loops_look(unsigned char *at, uint64_t step, uint64_t pages)
{
    for (; pages; pages--, at += step)
        (void)*(volatile unsigned char *)at;
}

static inline void loops_clear(unsigned char *at, size_t bytes)
{
    memset(at, 0, bytes);
}
