/* The loops of hand-offs and of contended lines for AArch64, which handoff.loops has in assembly.
 */
#pragma once

#include "lse.h"

#include <stdint.h>

#define LOOPS_HAVE_LSE 1

#include "handoff.loops.h"

/* Linux lets programs do it (SCTLR_EL1.UCI). */
static inline bool loops_can_flush(void)
{
    return true;
}
static inline void loops_flush(void *line)
{
    __asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
}
static inline void loops_fence(void)
{
    __asm__ volatile("dsb ish" : : : "memory");
}
