/*
 * A watch: one short trial a second in each level, by the engine, in memory that it keeps. What a
 * load takes there shows what neighbours do: in the core's own caches, whether something shares the
 * core; in a shared cache, what evicts lines that were loaded with the last trial; in memory, which
 * traffic loads it.
 *
 * A level has changed where compare() says so of its last values and the usual ones, in a test
 * whose share of false alarms holds for an hour of all levels; and again when it is back.
 */
#pragma once

#include "document/document.h"
#include "machine/machine.h"
#include "measure/engine/timing_model.h"
#include "measure/kernels/ring.h"

#include <signal.h>

/* Values that are kept, and how many of them, the last, are compared with the usual ones. */
enum { WATCH_LEVELS_MOST = 5, WATCH_KEPT = 64, WATCH_RECENT = 5, WATCH_USUAL_LEAST = 12 };
/* Parts of a shared cache's ring, of which each trial asks for the next: each has more lines than a
 * trial loads (384) where the caches before hold 256 KiB or more. */
enum { WATCH_PARTS = 16 };

struct watch_level {
    char name[8];                     /* "L1", ..., "DRAM" */
    bool private;                     /* a core's own cache: values are in cycles, else in ns */
    double now;                       /* a load; NAN: interrupted in this tick */
    struct factor values[WATCH_KEPT]; /* the last numbers, the oldest first */
    struct factor usual[WATCH_KEPT];  /* with these the last ones are compared */
    size_t count, usual_count;
    unsigned changes;
    int away; /* ticks since it changed; below 0: until its last values are usual ones again */
    double before, after; /* of the last change */
    bool changed;         /* in this tick */
    struct ring ring;     /* of its loads, built in a stage's arena, from byte `at` */
    size_t at;
    void *parts[WATCH_PARTS]; /* of a shared cache: where each part of its ring begins */
    size_t push_bytes; /* behind the ring: what pushes a part out of the core's own caches, by a
                          load in each of the ring's strides; 0: parts are not loaded ahead */
    unsigned times;    /* the loads of a batch, as a multiple of chase_steps */
    bool flushed;      /* its lines are out of all caches when a trial begins */
    size_t trials;     /* of a flushed one, so far */
};

struct watch {
    /* The request. */
    const struct machine *machine;
    const struct timing_model *model; /* NULL: the hardware itself */
    const volatile sig_atomic_t *stop;
    double every_s, for_s; /* for_s 0: until it is stopped */
    int cpu;               /* -1: the first that may be used */
    uint64_t seed;
    /* After each tick; the levels are in `watch`. */
    void (*tick)(void *argument, const struct watch *);
    void *argument;

    struct watch_level levels[WATCH_LEVELS_MOST];
    size_t level_count;
    double at_s; /* since the beginning, in the time of machine or model */
    unsigned ticks;
    double before_s;    /* of the stages that have ended */
    size_t arena_bytes; /* of all rings */
};

/* ERROR_INTERRUPTED where it was stopped; ERROR_SYSTEM; ERROR_USAGE where the CPU can't be used. */
int watch_run(struct watch *, struct error *);
