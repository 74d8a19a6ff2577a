/*
 * A device: something that works by itself and measures its own time, a GPU. A plan that has one is
 * carried out on it and on no CPU (executors/device.c): rounds, trials, intervals and flags are the
 * same, but the coordinator's thread asks the device, no clock or core frequency is read, and
 * nothing is recalled. So every call ends by itself, within a second or so; between two of them the
 * run may be ended.
 *
 * Each point has one seat, whose CPU is -1. What the point does is plan_point.index, which the
 * device knows how to read: a work.
 */
#ifndef FATHOM_MEASURE_ENGINE_DEVICE_H
#define FATHOM_MEASURE_ENGINE_DEVICE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* What one batch took. */
struct device_time {
    double ns;        /* for the repeats that were asked for */
    double worked_ns; /* that it worked: more than `ns` where it did more of them */
    double core_hz;   /* its clock; NAN where it can't tell */
};

struct device {
    void *self;
    unsigned flags; /* of every point that it measures: FLAG_MODELLED where it is a model */
    /* Makes a work ready, in the place of the one before: fresh memory or a fresh ring, from
     * `seed`. Fills the operations of one repeat. An error fails the trial's point with that
     * reason, and no other. */
    int (*prepare)(void *self, uint64_t work, uint64_t seed, double *operations, struct error *);
    /* One timed batch of the work that is ready. Errors as prepare(). */
    int (*measure)(void *self, uint64_t repeats, struct device_time *, struct error *);
    /* An idle device runs at a fraction of its clock. Code that starts one sets `asleep`; the next
     * plan then begins with this work, until the clock has come up to speed. */
    uint64_t wake_work;
    bool asleep;
    double full_hz; /* the clock that it declares; 0 or NAN unknown */
};

#endif
