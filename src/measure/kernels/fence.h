/*
 * Operations that order memory: atomic read-modify-writes, fences, flushes of a line and stores
 * past the caches, each in the same five loops. Which there are is the architecture's.
 */
#pragma once

#include "measure/kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>

enum fence_loop {
    FENCE_ALONE,  /* in a row on one word, fence_steps a repeat; the other loops have one */
    FENCE_AFTER,  /* on a word that was just stored to; a load from another line follows */
    FENCE_LINES,  /* each on another line of the memory */
    FENCE_LOADS,  /* on the word, after `open` loads from lines of the memory */
    FENCE_STORES, /* on the word, after `open` stores to lines of the memory */
    FENCE_LOOPS
};
extern const unsigned fence_steps;

enum fence_kind {
    FENCE_NOTHING, /* the loops without an operation, with which the others are compared */
    FENCE_STORE,
    FENCE_ATOMIC,
    FENCE_ORDER,
    FENCE_FLUSH,
};

struct fence_op {
    const char *name, *text; /* "exchange", "xchg with memory" */
    enum fence_kind kind;
    bool full;           /* orders the stores before it before the loads after it */
    bool (*there)(void); /* NULL: every processor of this architecture has it */
    kernel_function *run[FENCE_LOOPS];
};
extern const struct fence_op fence_ops[];
extern const size_t fence_op_count;
extern const char *const fence_op_names[]; /* "all", then theirs in order, NULL */

/* State of the loops. */
struct fence {
    unsigned char *memory, *word; /* lines of 64 bytes; a word elsewhere, with a line behind it */
    uint64_t lines;               /* of the memory, less than 2^32 */
    uint64_t open;                /* accesses before each operation, at least 1 */
    uint64_t random;              /* chooses the lines */
    uint64_t brought;             /* what it was when the lines before it were brought back */
};

/* Stores to each line that was chosen since the last call: flushed lines come back. State: struct
 * fence. */
kernel_function fence_bring_run;
