/* The loops of hand-offs and of contended lines for AArch64, which handoff.loops has in assembly.
 */
#pragma once

#include "lse.h"

#include <stdint.h>

#define LOOPS_HAVE_LSE 1

#include "handoff.loops.h"

#define LOOPS_CAN_FLUSH 1
static inline void loops_flush(void *line)
{
    __asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
}
static inline void loops_fence(void)
{
    __asm__ volatile("dsb ish" : : : "memory");
}
