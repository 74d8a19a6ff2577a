/* The end of a counted loop in assembly, for x86-64: counts down and jumps to `label`. */
#ifndef FATHOM_MEASURE_KERNELS_X86_64_REPEAT_H
#define FATHOM_MEASURE_KERNELS_X86_64_REPEAT_H

#define REPEAT(counter, label) "dec " counter "\n\tjnz " label

#endif
