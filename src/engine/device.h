/*
 * A device: something that works by itself and tells its own time, a GPU. A plan that has one is
 * carried out on it and on no CPU: rounds, trials, intervals and flags are the same, but the
 * coordinator's thread asks the device, no clock or core frequency is read, and nothing is
 * recalled. So every call ends by itself, within a second or so; between two of them the run may be
 * ended.
 *
 * Each point has one seat, whose CPU is -1.
 */
#ifndef FATHOM_ENGINE_DEVICE_H
#define FATHOM_ENGINE_DEVICE_H

#include "base/error.h"

#include <stdint.h>

struct batch;
struct team;
struct trial;
struct visit;

struct device {
    void *self;
    unsigned flags; /* of every point that it measures: FLAG_MODELLED where it is a model */
    /* Makes a trial ready: fresh memory or a fresh ring, from trial->seed; sets
     * trial->operations. An error fails the trial's point with that reason, and no other. */
    int (*prepare)(void *self, struct trial *, struct error *);
    /* One timed batch of so many repeats: fills ns and, in cycles a second of the device's own
     * clock, core_hz (NAN where it can't tell). Errors as prepare(). */
    int (*measure)(void *self, const struct trial *, uint64_t repeats, struct batch *,
                   struct error *);
};

/* A visit to a point of a plan that has a device, in the calling thread; for visit.c. 0 (the
 * visit's `end` tells), or ERROR_INTERRUPTED as team_run(), which is asked before each batch. */
int device_visit(struct visit *, struct team *, struct error *);

#endif
