/* The loops of hand-offs and of contended lines for x86-64, which handoff.loops has in assembly. */
#pragma once

#include <stdint.h>

#include "handoff.loops.h"

/* Takes the line out of every cache. */
#define LOOPS_CAN_FLUSH 1
static inline void loops_flush(void *line)
{
    __asm__ volatile("clflush (%0)" : : "r"(line) : "memory");
}
static inline void loops_fence(void)
{
    __asm__ volatile("mfence" : : : "memory");
}
