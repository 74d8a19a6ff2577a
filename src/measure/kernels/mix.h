/*
 * A mix of reads and writes: a stream that loads and one that stores, in turns, each going on where
 * it stopped. Many CPUs at once, each at another place of its turn, give the memory both at any
 * time.
 */
#ifndef FATHOM_MEASURE_KERNELS_MIX_H
#define FATHOM_MEASURE_KERNELS_MIX_H

#include "measure/kernels/stream.h"

/* Bytes of one part of a turn: long enough that changing streams, and waiting for stores past the
 * caches, costs little of it. */
enum { MIX_PART_BYTES = 64 * 1024 };

struct mix {
    struct stream from, to;
    kernel_function *load, *store;    /* of streams; NULL where there are no parts of it */
    uint64_t load_steps, store_steps; /* a turn: whole parts */
};

/* A repeat is a turn. State: struct mix. */
kernel_function mix_run;

#endif
