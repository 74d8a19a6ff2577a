/* The end of a counted loop in assembly, for x86-64: counts down and jumps to `label`. */
#pragma once

#define REPEAT(counter, label) "dec " counter "\n\tjnz " label
