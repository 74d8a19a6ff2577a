/* Wake-ups: two workers wake each other in turn, or one lets the other sleep for a while and then
 * wakes it. The caller gives the functions that ring and sleep, so the loops use no system call of
 * their own. */
#pragma once

#include "measure/kernels/kernel.h"

#include <stdbool.h>

struct wake_bells {
    void (*ring)(void *bell);   /* wakes the sleeping thread, or lets the next sleep end at once */
    void (*await)(void *bell);  /* sleeps until it is rung */
    uint64_t (*switches)(void); /* context switches of the calling thread so far; NULL: not
                                   counted */
};

/* Totals of a worker of either kind, over all its calls. */
struct wake_done {
    uint64_t repeats, switches;
    uint64_t last_ticks; /* ticks of the counter that the last call took */
};

/* --- in turn --- */

/* A repeat is a round trip, two wake-ups. Both sides must be asked for the same number of repeats
 * in total; the side that begins rings first. */
struct wake_turns {
    const struct wake_bells *bells;
    void *mine, *theirs;
    bool begins;
    struct wake_done done;
};
kernel_function wake_turns_run;

/* --- after a sleep --- */

/* Shared by both sides; each word has a line of its own. */
struct wake_shared {
    _Alignas(128) uint32_t asleep; /* the sleeper's turn, written before it goes to sleep */
    _Alignas(128) uint32_t awake;  /* the same, written first thing when it is awake */
};

/* A repeat is one wake-up. */
struct wake_sleep {
    const struct wake_bells *bells;
    void *bell;
    struct wake_shared *shared;
    uint64_t turn;        /* begins as 1 */
    uint64_t pause_ticks; /* of the waker: from the sleeper's write to `asleep` until the ring */
    double ps_per_tick;   /* of the counter, for the waker's result */
    struct wake_done done;
};
/* Returns the sum of the times from each ring until the sleeper was awake, in picoseconds. */
kernel_function wake_waker_run;
kernel_function wake_sleeper_run;
