/*
 * A meeting point for threads that spin: they leave it within the time of a cache miss. When a
 * thread has waited too long it gives up, and then all threads do.
 */
#pragma once

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
/* Waits for all members, at most `patience_ns`. False where a thread gave up: the barrier then
 * stays broken. */
bool barrier_wait(struct barrier *, double patience_ns);
