#include "machine/clock.h"

#include "machine/files.h"

#include <math.h>
#include <stdlib.h>

/* The rates of two windows may differ by this share, or the counter's rate varies. The length of a
 * window of 10 ms is known to 1 us even if a hypervisor interrupts a reading at one of its ends. */
static const double agreement = 5e-4;
static const uint64_t window_ns = 10 * 1000 * 1000;
enum { WINDOWS_MAX = 6, READINGS = 5 };

/* A system whose clock advances 100 times a second reads it a million times in between at most. */
int clock_check(struct error *error)
{
    enum { READINGS_MOST = 1 << 22 };
    const uint64_t first = os_raw_ns();
    for (int i = 0; i < READINGS_MOST; i++)
        if (os_raw_ns() != first)
            return 0;
    return error_set(
        error, ERROR_SYSTEM,
        "the system's clock (CLOCK_MONOTONIC_RAW) stands still, so nothing can be timed: run "
        "without what replaces it (LD_PRELOAD, a sandbox or an emulator)");
}

struct instant {
    uint64_t ticks, raw_ns;
};

/* Reads both clocks at one moment: reads the counter between two readings of the system's clock,
 * several times, and takes the time for which these two are closest. */
static struct instant read_both(void)
{
    struct instant best = {0};
    uint64_t tightest = UINT64_MAX;
    for (int i = 0; i < READINGS; i++) {
        uint64_t before = os_raw_ns();
        uint64_t ticks = arch_counter();
        uint64_t after = os_raw_ns();
        if (after - before < tightest) {
            tightest = after - before;
            best = (struct instant){ticks, before + (after - before) / 2};
        }
    }
    return best;
}

static double measure_window(void)
{
    struct instant start = read_both(), end;
    do
        end = read_both();
    while (end.raw_ns - start.raw_ns < window_ns);
    return (double)(end.ticks - start.ticks) * 1e9 / (double)(end.raw_ns - start.raw_ns);
}

uint64_t clock_step(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Linux lists a clock source while it considers it usable: __clocksource_unstable() and
 * available_clocksource_show() in its kernel/time/clocksource.c. */
bool clock_counter_distrusted(const char *root)
{
    const char *const source = ARCH_CLOCK_SOURCE;
    if (!source)
        return false;
    char *list =
        files_text(root, "/sys/devices/system/clocksource/clocksource0/available_clocksource");
    const bool distrusted = list && *list && !text_has_word(list, source);
    free(list);
    return distrusted;
}

void clock_calibrate_below(struct clock *clock, const char *root)
{
    *clock = (struct clock){.name = "clock_gettime", .counter = false, .hz = 1e9};
    if (ARCH_COUNTER_USABLE && !clock_counter_distrusted(root)) {
        double previous = measure_window();
        for (int i = 1; i < WINDOWS_MAX; i++) {
            double hz = measure_window();
            if (hz > 0 && fabs(hz / previous - 1) < agreement) {
                *clock = (struct clock){
                    .name = ARCH_COUNTER_NAME, .counter = true, .hz = (hz + previous) / 2};
                break;
            }
            previous = hz;
        }
    }
    /* Measures resolution and cost. The time between two readings of a clock that advances in steps
     * is a multiple of its step. */
    uint64_t shortest = UINT64_MAX, step = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t before = clock_ticks(clock), after;
        do
            after = clock_ticks(clock);
        while (after == before);
        step = clock_step(after - before, step);
        if (after - before < shortest)
            shortest = after - before;
    }
    clock->resolution_ns = clock_ns(clock, step);
    clock->reading_ns = clock_ns(clock, shortest);
    /* Takes the mean of many readings, because a single one can be shorter than the clock's step,
     * and the least of several such means, because an interruption only adds time. */
    enum { TRIES = 16, IN_A_ROW = 256 };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t start = clock_ticks(clock);
        uint64_t end = start;
        for (int k = 0; k < IN_A_ROW; k++)
            end = clock_ticks(clock);
        least = end - start < least ? end - start : least;
    }
    clock->cost_ns = clock_ns(clock, least) / (double)IN_A_ROW;
}
