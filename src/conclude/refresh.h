/*
 * DRAM's refresh, by the times of slow loads. Every tREFI the memory refreshes some rows, and for
 * tRFC it answers no request: a load that comes meanwhile waits for the rest. So the slow ones of
 * many loads of one line end at one phase of a period that is the same all the time.
 */
#pragma once

#include "base/pool.h"
#include "stats/order.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The periods looked at, in ns. JEDEC's tables have 7.8 us (DDR3, DDR4; JESD79-4, 4.26), 3.9 us
 * (the same where it is hot, DDR5, LPDDR4, HBM; JESD79-5, 4.13), halves and quarters of these
 * (refresh of fine granularity), and 15.6 us for what keeps its charge for longer. Nothing else of
 * a machine has periods like these: a kernel's and other programs' are a thousand times as long.
 */
extern const double refresh_least_ns, refresh_most_ns;
/* No refresh lasts longer (JESD79-4: at most 550 ns for 16 Gbit). */
extern const double refresh_longest_ns;

/* One load: when its value came, and how long it took. */
struct refresh_load {
    double at_ns, ns;
};

/* What is kept of a trial: its slow loads. */
struct refresh_trial {
    struct refresh_load *slow; /* ascending by at_ns */
    size_t count;
    double from_ns, to_ns; /* when its first load ended, and its last */
    double watched_ns;     /* between these, without gaps in which something else had the CPU */
    double usual_ns;       /* the median of all loads */
};

/* Takes the slowest tenth of a trial's loads, which come ascending by at_ns. A step of the pool. */
struct refresh_trial refresh_take(const struct refresh_load *, size_t count, struct pool *);

/* Whether the trial has loads enough to count; one that was broken off beside other programs may
 * not.
 */
bool refresh_tells(const struct refresh_trial *);

enum refresh_answer {
    REFRESH_FOUND,
    REFRESH_TOO_FEW, /* loads */
    REFRESH_NONE,    /* nothing repeats */
    REFRESH_APART,   /* one half of the run shows a period that the other does not */
    REFRESH_RARE,    /* what repeats is seen in too few of its periods: a multiple of it repeats */
};

struct refresh {
    enum refresh_answer answer;
    /* of the trials; the cost is the wait of a load that comes as the refresh begins */
    struct summary period_ns, cost_ns;
};

/* Looks for one period in all trials: Rayleigh's test ("On the problem of random vibrations",
 * Philosophical Magazine 37, 1919) at every period of the range, summed over the trials of each
 * half of the run. Where nothing repeats, a half shows a period in less than refresh_chance of all
 * runs, however many periods are looked at; both halves have to show the same one. Two refreshes
 * in turn that delay loads alike, half a period apart, are one of half that period: no load tells
 * them apart. A step of the pool. */
extern const double refresh_chance;
struct refresh refresh_find(const struct refresh_trial *, size_t trials, struct pool *);
