/*
 * The clock that times everything: the processor's counter, checked against the operating system's
 * raw monotonic clock; or the system's clock itself, if the counter's rate varies or the kernel
 * does not trust the counter.
 */
#pragma once

#include "arch.h"
#include "base/error.h"
#include "machine/os.h"

#include <stdbool.h>
#include <stdint.h>

struct clock {
    const char *name;     /* "tsc", "cntvct", "time", "timebase", "clock_gettime" */
    bool counter;         /* the processor's counter, not the operating system's clock */
    double hz;            /* ticks a second */
    double resolution_ns; /* the step by which it advances */
    double reading_ns;    /* shortest time between two readings that differ */
    double cost_ns;       /* what one reading adds to the time between two readings */
};

/* Whether the system's clock advances; ERROR_SYSTEM where millions of readings are the same. All
 * that measures asks this first, because everything after it waits for that clock. */
int clock_check(struct error *);
/* Calibrates for some 30 ms. Never fails: the system's clock is used if the kernel distrusts the
 * counter, if no two windows in a row find the same rate, or if the counter does not advance. The
 * kernel's files are read below `root`, a machine's; NULL: this one's. */
void clock_calibrate_below(struct clock *, const char *root);
/* Whether the kernel has found the processor's counter unfit for a clock: most often because it
 * differs between CPUs, which reading it on one CPU can't show. False if the kernel doesn't say. */
bool clock_counter_distrusted(const char *root);
/* The step of a clock of which readings were `a` and `b` ticks apart: their greatest common
 * divisor. 0 if both are 0. */
uint64_t clock_step(uint64_t a, uint64_t b);

/* Reads the clock in ticks. The branch is always predicted, because `counter` never changes. */
static inline uint64_t clock_ticks(const struct clock *clock)
{
    return clock->counter ? arch_counter() : os_raw_ns();
}

/* The time between two readings, without the cost of a reading. */
static inline double clock_between_ns(const struct clock *clock, uint64_t start, uint64_t end)
{
    const double ns = (double)(end - start) * 1e9 / clock->hz;
    return ns > clock->cost_ns ? ns - clock->cost_ns : 0;
}

/* The shortest batch worth timing: 1000 steps of the clock, and 250 times the cost of reading it,
 * so that each changes a batch's time by less than half a percent. */
static inline double clock_shortest_batch_ns(const struct clock *clock)
{
    double steps = 1000 * clock->resolution_ns, readings = 250 * clock->reading_ns;
    return steps > readings ? steps : readings;
}

static inline double clock_ns(const struct clock *clock, uint64_t ticks)
{
    return (double)ticks * 1e9 / clock->hz;
}

static inline uint64_t clock_ticks_of_ns(const struct clock *clock, double ns)
{
    return (uint64_t)(ns * 1e-9 * clock->hz);
}
