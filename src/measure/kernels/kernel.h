/*
 * A kernel is a function that repeats its loop `repeats` times (at least once) on its own state. It
 * returns a value that depends on the work, so that the compiler can't remove the loop.
 */
#pragma once

#include <stdint.h>

typedef uint64_t kernel_function(void *state, uint64_t repeats);
