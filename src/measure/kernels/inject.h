/*
 * Traffic: lines of memory are read, or read and written, with a pause between lines that sets the
 * rate. Each run goes on where the last one stopped, and wraps around.
 *
 * A modified line is read and later written back, so memory has as many writes as reads if every
 * line is modified. Stores to cached memory can't cause a larger share of writes.
 */
#ifndef FATHOM_MEASURE_KERNELS_INJECT_H
#define FATHOM_MEASURE_KERNELS_INJECT_H

#include "measure/kernels/kernel.h"

struct injector {
    unsigned char *memory;
    uint64_t mask;     /* the memory's size, a power of two, less one line */
    uint64_t step;     /* size of a line */
    uint64_t position; /* where the next run goes on; in random order the generator's state */
    uint64_t delay;    /* turns of an empty loop after each line, about a cycle each; at least 1,
                          which is nothing compared with a miss */
};

enum inject_order { INJECT_SEQUENTIAL, INJECT_RANDOM, INJECT_ORDERS };
extern const char *const inject_order_names[INJECT_ORDERS + 1]; /* "sequential", ..., NULL */

struct injection {
    unsigned read_percent; /* share of reads among the lines that go to and from memory */
    unsigned modified;     /* how many of three lines are modified */
    kernel_function *run[INJECT_ORDERS]; /* state: struct injector */
};
enum { INJECTIONS = 3 };
extern const struct injection injections[INJECTIONS];
extern const unsigned inject_lines; /* lines per repeat; a multiple of three */

#endif
