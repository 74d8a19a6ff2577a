/*
 * A mix of reads and writes: a stream that loads and one that stores take turns, and each goes on
 * where it stopped. Many CPUs at once are in different parts of their turns, so the memory has
 * reads and writes at any time.
 */
#pragma once

#include "measure/kernels/stream.h"

/* Bytes of one part of a turn: so many that changing streams takes little of its time. */
enum { MIX_PART_BYTES = 64 * 1024 };

struct mix {
    struct stream from, to;
    kernel_function *load, *store;    /* kernels of the streams; NULL where that stream has no
                                         steps */
    uint64_t load_steps, store_steps; /* steps in a turn: whole parts */
};

/* A repeat is a turn. State: struct mix. */
kernel_function mix_run;
