/*
 * Store-to-load forwarding: a store, then a load of the same bytes; the next store writes the
 * loaded value. So a step takes the time in which a store hands its value to a load, before the
 * value reaches the cache.
 */
#pragma once

#include "measure/kernels/kernel.h"

struct forward {
    void *to;         /* stored to */
    const void *from; /* loaded from: the same address, in a register of its own */
};

enum forwarding {
    FORWARD_SAME,    /* 8 bytes stored, the same 8 bytes loaded */
    FORWARD_NAMED,   /* the same, with the same address register: a processor may then forward
                        without comparing addresses */
    FORWARD_NARROW,  /* 8 bytes stored, the first 4 of them loaded */
    FORWARD_WIDE,    /* 4 bytes stored, 8 loaded: half of these come from the cache */
    FORWARD_OVERLAP, /* 8 bytes stored, 8 loaded that begin 4 bytes later */
    FORWARD_COUNT
};

extern const unsigned forward_steps; /* pairs of a store and a load per repeat */
/* State: struct forward, with 16 bytes of memory, aligned to 16. NULL for FORWARD_OVERLAP where a
 * load can't lie across two words. */
extern kernel_function *const forward_kernels[FORWARD_COUNT];
