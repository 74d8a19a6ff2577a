/* Wake-ups: two workers wake each other in turn, or one lets the other sleep for a while and then
 * wakes it. The caller brings what rings and what sleeps: the loops know no system. */
#ifndef FATHOM_MEASURE_KERNELS_WAKE_H
#define FATHOM_MEASURE_KERNELS_WAKE_H

#include "measure/kernels/kernel.h"

#include <stdbool.h>

struct wake_bells {
    void (*ring)(void *bell);   /* wakes the sleeping thread, or lets the next sleep end at once */
    void (*await)(void *bell);  /* sleeps until it is rung */
    uint64_t (*switches)(void); /* of the calling thread since it began; NULL: not counted */
};

/* What a worker of either kind has done, in all its calls. */
struct wake_done {
    uint64_t repeats, switches;
    uint64_t last_ticks; /* of the counter, that the last call took */
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

/* What both sides share, each word on a line of its own. */
struct wake_shared {
    _Alignas(128) uint32_t asleep; /* the sleeper's turn, written before it goes to sleep */
    _Alignas(128) uint32_t awake;  /* the same, written as the first thing it does afterwards */
};

/* A repeat is one wake-up. */
struct wake_sleep {
    const struct wake_bells *bells;
    void *bell;
    struct wake_shared *shared;
    uint64_t turn;        /* begins as 1 */
    uint64_t pause_ticks; /* the waker's: between the sleeper's last word and the ring */
    double ps_per_tick;   /* of the counter, for the waker's result */
    struct wake_done done;
};
/* Returns the picoseconds from before each ring until the sleeper was awake, added up. */
kernel_function wake_waker_run;
kernel_function wake_sleeper_run;

#endif
