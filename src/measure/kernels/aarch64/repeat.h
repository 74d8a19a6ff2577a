/* The end of a counted loop in assembly, for AArch64: counts down and jumps to `label`. */
#ifndef FATHOM_MEASURE_KERNELS_AARCH64_REPEAT_H
#define FATHOM_MEASURE_KERNELS_AARCH64_REPEAT_H

#define REPEAT(counter, label) "subs " counter ", " counter ", #1\n\tb.ne " label

#endif
