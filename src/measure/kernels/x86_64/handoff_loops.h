/* The loops of hand-offs and of contended lines for x86-64, which handoff.loops has in assembly. */
#pragma once

#include "arch.h"

#include <stdint.h>

#include "handoff.loops.h"

/* CLFSH: CPUID 1 EDX bit 19 (Intel SDM vol. 2A). */
static inline bool loops_can_flush(void)
{
    return arch_has(1, 3, 19);
}
/* Takes the line out of every cache. */
static inline void loops_flush(void *line)
{
    __asm__ volatile("clflush (%0)" : : "r"(line) : "memory");
}
static inline void loops_fence(void)
{
    __asm__ volatile("mfence" : : : "memory");
}
