/*
 * The pointer chase: each load gives the address of the next. Each run goes on where the last one
 * stopped.
 */
#pragma once

#include "measure/kernels/kernel.h"

#include <stdbool.h>

struct chase {
    void *position; /* the element that the next run loads first */
};

extern const unsigned chase_steps; /* loads per repeat of all chases but those that name theirs */
extern const bool chase_straddles; /* whether a pointer may lie across the end of a line */

kernel_function chase_run; /* state: struct chase */
/* The same with so many loads in the loop. Prefetchers that go by a load's address see each of them
 * take as many strides at once. */
kernel_function chase_1_run, chase_8_run, chase_100_run;
/* The same, but the pointer lives on the stack, stored and reloaded at each step, as in a build
 * without optimization. */
kernel_function chase_spilled_run;
/* The same, but each step also writes the word after the pointer: elements hold two words. */
kernel_function chase_modify_run;
