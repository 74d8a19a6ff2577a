/*
 * A meeting point for threads that spin: they leave within a cache miss of one another. A
 * thread that has waited too long gives up, and then all do.
 */
#ifndef FATHOM_MEASURE_ENGINE_BARRIER_H
#define FATHOM_MEASURE_ENGINE_BARRIER_H

#include "machine/clock.h"

#include <stdatomic.h>
#include <stdbool.h>

struct barrier {
    _Alignas(128) atomic_uint waiting;
    _Alignas(128) atomic_uint generation;
    atomic_bool broken;
    unsigned members;
    const struct clock *clock;
};

void barrier_init(struct barrier *, unsigned members, const struct clock *);
/* Waits for all members, at most that long. False where one gave up: the barrier is then broken for
 * good. */
bool barrier_wait(struct barrier *, double patience_ns);

#endif
