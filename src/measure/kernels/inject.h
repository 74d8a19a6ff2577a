/*
 * Traffic: lines of memory are read, modified, or written past the caches, with a pause between
 * lines that sets the rate. Each run goes on where the last one stopped, and wraps around.
 *
 * A modified line is read and later written back, so memory has as many writes as reads if every
 * line is modified. More writes than reads take stores past the caches.
 */
#pragma once

#include "measure/kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>

enum inject_order { INJECT_SEQUENTIAL, INJECT_RANDOM, INJECT_ORDERS };
extern const char *const inject_order_names[INJECT_ORDERS + 1]; /* "sequential", ..., NULL */

/* Two ways in which lines take turns: of `of` lines `others` go the other way. */
struct inject_mix {
    kernel_function *plain, *other;
    unsigned others, of;
    bool apart;    /* the other way has lines of its own, or prefetchers would bring them in before
                      they are written past the caches */
    double moved;  /* lines to and from memory for each line that the injector goes through */
    bool modifies; /* some lines: they stay in the caches until others push them out */
};
/* The mix with that share of reads among the lines that go to and from memory, 0 to 100 percent.
 * NULL, or what is missing for it. */
const char *inject_mix_make(struct inject_mix *, unsigned read_percent, enum inject_order,
                            size_t line_bytes);

/* The lines that it goes through. */
struct inject_lines {
    unsigned char *memory;
    uint64_t mask;     /* the memory's size, a power of two, less one line */
    uint64_t step;     /* size of a line */
    uint64_t position; /* where the next run goes on; in random order the generator's state */
    uint64_t delay;    /* turns of an empty loop after each line, about a cycle each; at least 1,
                          which is nothing compared with a miss */
};

struct injector {
    struct inject_lines lines, apart;
    const struct inject_mix *mix;
    uint64_t owed; /* others / of lines that the mix still owes; begins as 0 */
};

/* State: struct injector. */
kernel_function inject_run;
extern const unsigned inject_lines_each; /* lines per repeat */
