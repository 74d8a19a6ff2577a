/* The end of a counted loop in assembly, for AArch64: counts down and jumps to `label`. */
#pragma once

#define REPEAT(counter, label) "subs " counter ", " counter ", #1\n\tb.ne " label
