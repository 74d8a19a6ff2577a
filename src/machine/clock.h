/*
 * The clock that times everything: the processor's own counter, checked against the operating
 * system's raw monotonic clock; or that clock itself, where the counter can't be trusted because
 * its rate varies or the kernel says so.
 */
#ifndef FATHOM_MACHINE_CLOCK_H
#define FATHOM_MACHINE_CLOCK_H

#include "arch.h"
#include "machine/os.h"

#include <stdbool.h>
#include <stdint.h>

struct clock {
    const char *name;     /* "tsc", "cntvct", "time", "timebase", "clock_gettime" */
    bool counter;         /* the processor's counter, not the operating system's clock */
    double hz;            /* ticks a second */
    double resolution_ns; /* the step in which it advances */
    double reading_ns;    /* shortest time from one reading to the next that differs */
    double cost_ns;       /* what a reading adds to the time between two */
};

/* Calibrates for some 30 ms. Never fails: a counter is not used if the kernel distrusts it, if two
 * windows find different rates, or if it stands still. */
void clock_calibrate(struct clock *);
/* The same with the kernel's files read below another root than "/": for tests. */
void clock_calibrate_below(struct clock *, const char *root);
/* Whether the kernel has found the processor's counter unfit for a clock: most often because it
 * differs from CPU to CPU, which reading it on one CPU can't show. False where the kernel doesn't
 * say. */
bool clock_counter_distrusted(const char *root);
/* The step of a clock whose readings lay `a` and `b` ticks apart: the greatest common divisor. 0:
 * no reading. */
uint64_t clock_step(uint64_t a, uint64_t b);

/* Reads the clock in ticks. Only here do the counter and the system's clock differ; the branch is
 * predicted. */
static inline uint64_t clock_ticks(const struct clock *clock)
{
    return clock->counter ? arch_counter() : os_raw_ns();
}

/* The time between two readings, without what reading itself takes. */
static inline double clock_between_ns(const struct clock *clock, uint64_t start, uint64_t end)
{
    const double ns = (double)(end - start) * 1e9 / clock->hz;
    return ns > clock->cost_ns ? ns - clock->cost_ns : 0;
}

/* The shortest batch worth timing: 1000 steps of the clock, and 250 times the cost of reading it,
 * so that neither shows in a batch by more than half a percent. */
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

#endif
