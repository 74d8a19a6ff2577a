/* The loops of hand-offs and of contended lines for AArch64, which handoff.loops has in assembly.
 */
#pragma once

#include <stdint.h>

/* Instructions of the Large System Extensions (ARMv8.1), which the interconnect may execute where
 * the line is. Run loops with them only if arch_has_lse(). */
#ifdef __ARM_FEATURE_ATOMICS /* the compiler uses them itself, so they must stay allowed */
#define LSE(instructions) instructions
#else
#define LSE(instructions) ".arch_extension lse\n\t" instructions "\n\t.arch_extension nolse"
#endif
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
