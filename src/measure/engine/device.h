/*
 * A device works by itself and measures its own time: a GPU. A plan that has one is carried out on
 * it and not on CPUs (executors/device.c). Rounds, trials, intervals and flags are the same, but
 * the coordinator's thread calls the device, no CPU's clock or frequency is read, and no call can
 * be recalled. So every call must return within a second or so; a run can be stopped only between
 * two calls.
 *
 * Each point has one seat, and its CPU is -1. plan_point.index names the point's work: only the
 * device knows what it means.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* What one batch took. */
struct device_time {
    double ns;        /* for the repeats that were asked for */
    double worked_ns; /* working time: more than `ns` where it did more repeats than that */
    double core_hz;   /* its clock; NAN: unknown */
};

struct device {
    void *self;
    unsigned flags; /* for every point that it measures: FLAG_MODELLED if it is a model */
    /* Makes a work ready in place of the one before: fresh memory or a fresh ring, from `seed`.
     * Sets `*operations` to the operations of one repeat. An error fails the trial's point alone,
     * with that reason. */
    int (*prepare)(void *self, uint64_t work, uint64_t seed, double *operations, struct error *);
    /* One timed batch of the work that is ready. Errors as prepare(). */
    int (*measure)(void *self, uint64_t repeats, struct device_time *, struct error *);
    /* An idle device runs at a fraction of its clock. Code that starts a device sets `asleep`; the
     * next plan then repeats `wake_work` until the clock is up to speed. */
    uint64_t wake_work;
    bool asleep;
    double full_hz; /* the clock that it declares; 0 or NAN: unknown */
};
