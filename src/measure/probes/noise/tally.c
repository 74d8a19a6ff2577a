/* What the kernel saw of one CPU, as sums, lengths and a sample of times. */
#include "measure/probes/noise/noise.h"

#include <math.h>

/* Ticks from which on an interruption is a long one: some 20 us. A timer's tick seldom takes as
 * much, and what does is rare enough to be kept for hours. */
static const double long_overs = 100;

static enum gap_kind kind_of(const struct gap *gap)
{
    return gap->switches ? GAP_THREADS : gap->faults ? GAP_FAULTS : GAP_OTHER;
}

static int add_event(struct noise_tally *tally, const struct gap *gap, struct pool *pool)
{
    const int length = (double)gap->ticks >= long_overs * (double)tally->over;
    if (tally->event_counts[length] >= EVENTS_MOST)
        return 0;
    void *list = tally->events[length];
    struct noise_event *event =
        pool_append(pool, &list, &tally->event_counts[length], sizeof *event);
    tally->events[length] = list;
    if (!event)
        return ERROR_SYSTEM;
    *event = (struct noise_event){(double)gap->at, (double)gap->ticks, kind_of(gap)};
    return 0;
}

static void empty(struct gaps *gaps)
{
    gaps->used = 0;
    gaps->missed = gaps->missed_ticks = gaps->missed_longest = 0;
    gaps->readings = gaps->watched = gaps->backwards = 0;
}

static void fold(double *values)
{
    for (size_t i = 0; i < NOISE_WINDOWS / 2; i++)
        values[i] = values[2 * i] + values[2 * i + 1];
}

static void add_trial(struct noise_tally *tally, const double *lost, double watched)
{
    if (!tally->windows || tally->filled == tally->each) {
        tally->each = tally->each ? tally->each : 1;
        if (tally->windows == NOISE_WINDOWS) {
            for (int kind = 0; kind < GAP_KINDS; kind++)
                fold(tally->lost[kind]);
            fold(tally->watched);
            tally->windows /= 2;
            tally->each *= 2;
        }
        for (int kind = 0; kind < GAP_KINDS; kind++)
            tally->lost[kind][tally->windows] = 0;
        tally->watched[tally->windows++] = 0;
        tally->filled = 0;
    }
    tally->filled++;
    for (int kind = 0; kind < GAP_KINDS; kind++)
        tally->lost[kind][tally->windows - 1] += lost[kind];
    tally->watched[tally->windows - 1] += watched;
}

int noise_tally_add(struct noise_tally *tally, struct gaps *gaps, struct pool *pool)
{
    double lost[GAP_KINDS] = {0};
    int code = 0;
    for (size_t i = 0; i < gaps->used && code == 0; i++) {
        const struct gap *gap = &gaps->log[i];
        const enum gap_kind kind = kind_of(gap);
        if (gap->ticks < tally->over)
            continue;
        histogram_add(&tally->lengths[kind], gap->ticks);
        lost[kind] += (double)gap->ticks;
        if (gap->ticks > tally->longest[kind])
            tally->longest[kind] = gap->ticks;
        code = add_event(tally, gap, pool);
    }
    /* Those that found no room in the log have no length each, but none is left out of the sums. */
    lost[GAP_OTHER] += (double)gaps->missed_ticks;
    if (gaps->missed_longest > tally->longest[GAP_OTHER])
        tally->longest[GAP_OTHER] = gaps->missed_longest;
    tally->missed += gaps->missed;
    tally->backwards += gaps->backwards;
    if (gaps->watched)
        add_trial(tally, lost, (double)gaps->watched);
    empty(gaps);
    return code;
}

size_t noise_first_bin(const struct noise_tally *tally)
{
    return histogram_bin_from(tally->over);
}

uint64_t noise_count(const struct noise_tally *tally)
{
    uint64_t count = tally->missed;
    for (int kind = 0; kind < GAP_KINDS; kind++)
        count += histogram_count(&tally->lengths[kind], 0);
    return count;
}

static double sum_of(const double *values, unsigned n)
{
    double sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

double noise_lost(const struct noise_tally *tally, enum gap_kind kind)
{
    return sum_of(tally->lost[kind], tally->windows);
}

double noise_watched(const struct noise_tally *tally)
{
    return sum_of(tally->watched, tally->windows);
}
