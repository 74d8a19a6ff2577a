/* Instructions of the Large System Extensions (ARMv8.1) in assembly. */
#pragma once

/* The interconnect may execute them where the line is. Run loops with them only if arch_has_lse().
 */
#ifdef __ARM_FEATURE_ATOMICS /* the compiler uses them itself, so they must stay allowed */
#define LSE(instructions) instructions
#else
#define LSE(instructions) ".arch_extension lse\n\t" instructions "\n\t.arch_extension nolse"
#endif
